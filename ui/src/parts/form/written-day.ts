// A day as people write and read it, in a language. Pure.

/** A typed day, such as "1.7.2098", "July 1, 2098" or "2098-07-01", as "2098-07-01"; null if it is none. */
export function readDay(typed: string, language: string): string | null {
  const text = typed.trim().toLowerCase();
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text);
  if (iso) return dayOf(iso[1]!, iso[2]!, iso[3]!);
  const numbers = text.match(/\d+/g) ?? [];
  if (numbers.length === 3) {
    const order = orderOf(language);
    const [year, month, day] = (['year', 'month', 'day'] as const).map((part) => numbers[order.indexOf(part)]!);
    return dayOf(year!, month!, day!);
  }
  const month = monthNames(language).findIndex((names) => names.some((name) => text.includes(name)));
  const year = numbers.find((number) => number.length === 4);
  const day = numbers.find((number) => number.length < 3);
  return month < 0 || numbers.length !== 2 || !year || !day ? null : dayOf(year, String(month + 1), day);
}

/** "Wed 1 Jul 2098" in the order and the words of the language. */
export const showDay = (day: string, language: string): string =>
  new Intl.DateTimeFormat(language, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${day}T00:00:00Z`));

function dayOf(year: string, month: string, day: string): string | null {
  const text = `${year.length === 2 ? `20${year}` : year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const at = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== text ? null : text;
}

const orderOf = (language: string): string[] =>
  new Intl.DateTimeFormat(language, { day: 'numeric', month: 'numeric', year: 'numeric' })
    .formatToParts(new Date(0))
    .map(({ type }) => type)
    .filter((type) => type !== 'literal');

/** The long and the short name of each month, in small letters and without a dot. */
function monthNames(language: string): string[][] {
  return Array.from({ length: 12 }, (_, month) =>
    (['long', 'short'] as const).map((length) =>
      new Intl.DateTimeFormat(language, { month: length, day: 'numeric', timeZone: 'UTC' })
        .formatToParts(new Date(Date.UTC(2024, month, 15)))
        .find(({ type }) => type === 'month')!
        .value.toLowerCase()
        .replace(/\.$/, ''),
    ),
  );
}
