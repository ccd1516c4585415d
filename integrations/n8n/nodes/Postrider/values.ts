// From what is entered in a field to what the API takes.
import type { IDataObject } from 'n8n-workflow';

/** Text with commas between the words, or an array of them. */
export const wordsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value.map(String) : String(value).split(',')).map((word) => word.trim()).filter(Boolean);

/** Addresses with commas between them, also after a name in quotes that has a comma. */
export const addressesOf = (value: unknown): string[] =>
  Array.isArray(value)
    ? wordsOf(value)
    : (String(value).match(/(?:"(?:\\.|[^"\\])*"|[^,"])+/g) ?? []).map((one) => one.trim()).filter(Boolean);

export const jsonOf = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value || '{}') : value);

export function fieldsOf(value: unknown): IDataObject {
  const { field = [] } = value as { field?: { tag: string; value: string }[] };
  return Object.fromEntries(field.map(({ tag, value }) => [tag, value]));
}

/** GMT, as the API takes times. A time without a zone is that of the workflow. @param zone such as Europe/Berlin */
export function timeOf(value: unknown, zone: string): string {
  const given = String(value);
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/.test(given);
  const at = new Date(hasZone ? given : `${given.replace(' ', 'T')}${/T| /.test(given) ? '' : 'T00:00:00'}Z`);
  const gmt = hasZone ? at : new Date(at.getTime() - offsetMs(new Date(at.getTime() - offsetMs(at, zone)), zone));
  return gmt.toISOString().slice(0, 19).replace('T', ' ');
}

/** How far the clocks of a zone are ahead of GMT. */
function offsetMs(at: Date, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const part = (type: string) => Number(parts.find((one) => one.type === type)!.value);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return local - Math.floor(at.getTime() / 1_000) * 1_000;
}
