// How long a relay rests whose reply says that an amount is used up: until the time that the reply names, else an hour. Pure.

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export const unnamedWaitMs = hourMs;
const minWaitMs = 10_000;
/** It is asked again at least that often: a limit may be raised before. */
export const maxWaitMs = 36 * hourMs;

const unitMs: Record<string, number> = { s: 1_000, m: minuteMs, h: hourMs, d: dayMs };
const number = String.raw`(\d{1,7}(?:\.\d{1,3})?[ -]?|(?:an?|one) )`;
const unit = String.raw`(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)\b`;
const again = `(?:again|back|retry|retrying|resend|resume[sd]?|reset[s]?|renew(?:s|ed)?|lifted|available|wait|try)`;

const inDuration = new RegExp(
  `\\b${again}\\b[^.;\\d]{0,40}?\\b(?:in|after|for|within)?\\s*(?:about |approximately |at least )?${number}${unit}(?:(?:,| and)? (\\d{1,4}) ?${unit})?`,
  'i',
);
const retryAfter = /\bretry[- _]?after\b["']?\s*[:=]?\s*["']?(\d{1,7})\b(?!\s*(?:m|h|d))/i;
const tomorrow = /\b(tomorrow|next day|following day|midnight)\b/i;
const instant = /\b(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?/;
const clock = /\b(?:after|at|until|by|from)\s+(\d{1,2}):(\d\d)(?::\d\d)?\s*(am|pm)?\s*(UTC|GMT|Z|[+-]\d\d:?\d\d)?/i;

/** Milliseconds, between ten seconds and a day and a half. */
export function waitNamedIn(text: string, now: Date): number {
  const ms = named(text, now);
  return ms === undefined ? unnamedWaitMs : Math.max(minWaitMs, Math.min(maxWaitMs, ms));
}

function named(text: string, now: Date): number | undefined {
  const seconds = retryAfter.exec(text)?.[1];
  if (seconds !== undefined) return Number(seconds) * 1_000;
  const duration = inDuration.exec(text);
  if (duration) {
    const [, count = '', word = '', more = '0', moreWord = 's'] = duration;
    return amount(count, word) + amount(more, moreWord);
  }
  const date = instant.exec(text);
  if (date) {
    const at = Date.parse(`${date[1]}T${date[2]}${zone(date[3])}`);
    return Number.isNaN(at) ? undefined : at - now.getTime();
  }
  const time = clock.exec(text);
  if (time) return untilClock(time, now);
  if (!tomorrow.test(text)) return undefined;
  return dayMs - (now.getTime() % dayMs);
}

const amount = (count: string, word: string): number =>
  (/^\d/.test(count) ? Number(count.replace(/[ -]$/, '')) : 1) * unitMs[word[0]!.toLowerCase()]!;

/** The next time that a clock shows, in UTC where no zone is named. */
function untilClock([, hours = '', minutes = '', half, name]: RegExpExecArray, now: Date): number | undefined {
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  if (hour > 24 || Number(minutes) > 59) return undefined;
  const midnight = Date.parse(`${now.toISOString().slice(0, 10)}T00:00:00${zone(name)}`);
  const ms = midnight + hour * hourMs + Number(minutes) * minuteMs - now.getTime();
  return ((ms % dayMs) + dayMs) % dayMs;
}

const zone = (name: string | undefined): string =>
  name === undefined || /^(z|utc|gmt)$/i.test(name) ? 'Z' : name.replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2');
