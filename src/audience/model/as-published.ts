// Values of contacts as published clients of the API family write them, in the forms that our methods read: dates day first,
// decimals after a comma, words for nothing, the addresses of several proxies. Pure.
import { type Message, message } from '../../base/messages.ts';
import { decimalOf, isNothing, isoDayOf, isZeroDate } from '../../method/published.ts';
import { isIp } from './special-vars.ts';

/** The types whose values can be a word such as "null". */
const ofWords: ReadonlySet<string> = new Set(['text', 'address']);

/** Whether a value means that there is none: an update keeps what is there. */
export function isNotGiven({ type, choices }: { type: string; choices: readonly string[] }, text: string): boolean {
  if (type === 'date' && isZeroDate(text)) return true;
  if (ofWords.has(type) || !isNothing(text)) return false;
  return !choices.some((choice) => choice.toLowerCase() === text.trim().toLowerCase());
}

/** A text in the form that a field of the type reads; '' for a date of zeros. */
export const textAsPublished = (type: string, text: string): string =>
  type === 'date' ? dateOf(text) : type === 'number' ? numberOf(text) : text;

/** The same for a variable that is no field; undefined for a value that is not given. */
export function specialAsPublished(variable: string, text: string): string | undefined {
  if (isNothing(text) || (variable === 'OPTINTIME' && isZeroDate(text))) return undefined;
  return variable === 'OPTINIP' ? addressOf(text) : variable === 'OPTINTIME' ? dateOf(text) : text;
}

/**
 * The first address of those that a proxy lists in X-Forwarded-For, which is the visitor's, without a port; the text itself if
 * there is none, '' for a word for nothing.
 */
export function addressOf(list: string): string {
  if (isNothing(list)) return '';
  const addresses = list.split(',').map((item) => {
    const text = item.trim();
    return (
      /^\[([^\]]{2,45})\](?::\d{1,5})?$/.exec(text)?.[1] ??
      /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(text)?.[1] ??
      text
    );
  });
  return addresses.find(isIp) ?? list.trim();
}

/** The problem of a date that may be day first, with the date as it was written. */
export function problemAsWritten(problem: Message, text: string): Message {
  const value = text.slice(0, 40);
  if (problem.key === 'value.not_a_date') return message('value.not_a_date_day_first', { value });
  return 'value' in problem.values ? { ...problem, values: { ...problem.values, value } } : problem;
}

const dateOf = (text: string) => (isZeroDate(text) ? '' : (isoDayOf(text) ?? text));

/** With the signs between thousands removed, where decimals show which sign they are. */
function numberOf(text: string): string {
  const [, whole, decimals] =
    /^([+-]?\d{1,3}(?:\.\d{3}){1,4}),(\d{1,10})$/.exec(text) ??
    /^([+-]?\d{1,3}(?:,\d{3}){1,4})\.(\d{1,10})$/.exec(text) ??
    [];
  if (whole === undefined) return decimalOf(text);
  return `${whole.replace(/[.,]/g, '')}.${decimals}`;
}
