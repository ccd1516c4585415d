// Cron expressions of five fields: minute, hour, day of the month, month, weekday. Lists, ranges, steps and English names, as
// crontab(5) has them. The minute is a single number, so that a campaign has at most one issue an hour.

/** `days` and `weekdays` are null where every day is meant; weekdays count from Monday, 1, to Sunday, 7. */
export type Cron = {
  minute: number;
  hours: Set<number>;
  days: Set<number> | null;
  months: Set<number>;
  weekdays: Set<number> | null;
};

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Null for what is no such expression. */
export function parseCron(expression: string): Cron | null {
  const fields = expression.trim().toLowerCase().split(/\s+/);
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  if (fields.length !== 5 || !/^[0-9]{1,2}$/.test(minute) || Number(minute) > 59) return null;
  const hours = parseField(hour, 0, 23);
  const days = parseField(day, 1, 31);
  const months = parseField(month, 1, 12, monthNames);
  // Sunday is 0 and 7.
  const weekdays = parseField(weekday, 0, 7, dayNames);
  if (!hours || !days || !months || !weekdays) return null;
  return {
    minute: Number(minute),
    hours,
    days: day.startsWith('*') && days.size === 31 ? null : days,
    months,
    weekdays: weekday.startsWith('*') && weekdays.size === 8 ? null : new Set([...weekdays].map((one) => one || 7)),
  };
}

function parseField(field: string, min: number, max: number, names: readonly string[] = []): Set<number> | null {
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const match = /^(?:(\*)|([a-z0-9]+)(?:-([a-z0-9]+))?)(?:\/([0-9]{1,2}))?$/.exec(part);
    if (!match) return null;
    const [, every, low, high, stepText] = match;
    const from = every ? min : numberOf(low!, min, max, names);
    // As in cron, "3/5" counts from 3 to the end.
    const to = every || (high === undefined && stepText) ? max : numberOf(high ?? low!, min, max, names);
    const step = stepText === undefined ? 1 : Number(stepText);
    if (from === null || to === null || from > to || step < 1) return null;
    for (let value = from; value <= to; value += step) values.add(value);
  }
  return values;
}

function numberOf(text: string, min: number, max: number, names: readonly string[]): number | null {
  const named = names.indexOf(text);
  if (named >= 0) return named + min;
  if (!/^[0-9]{1,2}$/.test(text)) return null;
  const value = Number(text);
  return value >= min && value <= max ? value : null;
}
