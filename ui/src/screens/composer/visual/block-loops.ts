// A row that is repeated for each item of a list. In an email the merge tags of the loop are in comments before and after the row,
// where they are valid in a table; in the visual editor the list is an attribute of the row, as conditions are (block-conditions.ts).
// Only loops around one row are read; all others stay as they are. Pure.
import { afterRow, afterSpace, isEncoded, isRow } from './block-conditions.ts';
import { tokens } from './page-patch.ts';

/** The attribute of a row in the editor. Its value is what the list is called in the tag, encoded for a URL. */
export const loopAttribute = 'data-each';

const opening = /^<!--\s*\*\|EACH:([^|]*)\|\*\s*-->$/i;
const closing = /^<!--\s*\*\|END:EACH\|\*\s*-->$/i;

/** The name of a list as the tag takes it: EVENT:items; undefined for what is none. */
export function usableList(text: string): string | undefined {
  const [, name, path] = /^\s*([A-Za-z]\w{0,63})\s*(?::([^|<>:\r\n]{1,150}))?\s*$/.exec(text) ?? [];
  if (name === undefined || /--/.test(text)) return undefined;
  const members = path?.split('.').map((member) => member.trim());
  if (members?.includes('')) return undefined;
  return members ? `${name.toUpperCase()}:${members.join('.')}` : name.toUpperCase();
}

export const encodeList = (list: string): string => encodeURIComponent(list);

/** The list of an attribute; undefined if it is none. */
export function decodeList(attribute: unknown): string | undefined {
  if (!isEncoded(attribute)) return undefined;
  try {
    return usableList(decodeURIComponent(attribute));
  } catch {
    return undefined;
  }
}

/** Comments around rows become attributes of the rows. */
export function loopsToAttributes(html: string): string {
  if (!/<!--\s*\*\|EACH/i.test(html)) return html;
  const all = tokens(html);
  for (let at = 0; at < all.length; at += 1) {
    const text = opening.exec(all[at]!)?.[1];
    const list = text === undefined ? undefined : usableList(text);
    const row = afterSpace(all, at + 1);
    if (list === undefined || list !== text || !isRow(all[row] ?? '')) continue;
    const end = afterRow(all, row);
    const close = end === undefined ? -1 : afterSpace(all, end);
    if (!closing.test(all[close] ?? '')) continue;
    all[at] = '';
    all[close] = '';
    all[row] = all[row]!.replace(/^<tr/i, (open) => `${open} ${loopAttribute}="${encodeList(list)}"`);
  }
  return all.join('');
}

const attribute = new RegExp(` ${loopAttribute}="([^"]*)"`);

/** Attributes of rows become comments around them; one that is no list stays. */
export function attributesToLoops(html: string): string {
  if (!html.includes(loopAttribute)) return html;
  const all = tokens(html);
  for (const [at, token] of all.entries()) {
    if (!isRow(token)) continue;
    const list = decodeList(attribute.exec(token)?.[1]);
    const end = afterRow(all, at);
    if (list === undefined || end === undefined) continue;
    all[at] = `<!--*|EACH:${list}|*-->${token.replace(attribute, '')}`;
    all[end - 1] += '<!--*|END:EACH|*-->';
  }
  return all.join('');
}
