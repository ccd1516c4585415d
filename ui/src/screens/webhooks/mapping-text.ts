// The parts of a mapping that are lists, as lines of text: "name = member", and "items = line_items: name = title, price" for the
// members of the items of a list. Pure.
import type { ParamsOf } from '../../api/types.ts';

export type Mapping = NonNullable<ParamsOf<'incomingWebhookUpdate'>['mapping']>;
type Data = NonNullable<Mapping['data']>;
type Pair = { name: string; member: string };

const pairText = ({ name, member }: Pair) => (name === member ? name : `${name} = ${member}`);

/** A line without "=" is a member that keeps its name. */
function pairOf(text: string): Pair[] {
  const at = text.indexOf('=');
  const name = (at < 0 ? text : text.slice(0, at)).trim();
  const member = (at < 0 ? text : text.slice(at + 1)).trim();
  return name === '' || member === '' ? [] : [{ name, member }];
}

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '');

export const pairsText = (pairs: readonly Pair[]): string => pairs.map(pairText).join('\n');
export const pairsOf = (text: string): Pair[] => linesOf(text).flatMap(pairOf);

export const dataText = (data: Data): string =>
  data
    .map(({ items = [], ...pair }) =>
      items.length === 0 ? pairText(pair) : `${pairText(pair)}: ${items.map(itemText).join('; ')}`,
    )
    .join('\n');

const itemText = pairText;

/** Paths may have commas, so the members of items are separated by semicolons. */
export const dataOf = (text: string): Data =>
  linesOf(text).flatMap((line) => {
    const [pair = '', ...items] = line.split(/:(?:\s|$)|;/);
    const [read] = pairOf(pair);
    return read ? [{ ...read, items: items.flatMap(pairOf) }] : [];
  });
