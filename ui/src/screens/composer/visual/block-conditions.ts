// A row that is shown on a condition. In an email the merge tags of the condition are in comments before and after the row, where
// they are valid in a table; in the visual editor the condition is an attribute of the row, so that it moves, and goes, with it.
// Only conditions with one branch around one row are read; all others stay as they are. Pure.
import { tokens } from './page-patch.ts';

/** The attribute of a row in the editor. Its value is the condition, encoded for a URL. */
export const conditionAttribute = 'data-show-if';

export type Operator = 'set' | 'empty' | '=' | '!=' | '>' | '<';
export type BlockCondition = { field: string; operator: Operator; value: string };

const opening = /^<!--\s*\*\|(IF(?:NOT)?):([^|]*)\|\*\s*-->$/i;
const closing = /^<!--\s*\*\|END:IF\|\*\s*-->$/i;
const expression = /^\s*([A-Za-z]\w{0,63})\s*(?:(!=|=|>|<)\s*(.*?))?\s*$/s;

/** Undefined for a condition that the settings of a block do not offer. */
function readCondition(name: string, text: string): BlockCondition | undefined {
  const [, field, operator, value = ''] = expression.exec(text) ?? [];
  if (field === undefined) return undefined;
  const negated = name.toUpperCase() === 'IFNOT';
  if (operator === undefined) return { field: field.toUpperCase(), operator: negated ? 'empty' : 'set', value: '' };
  if (negated || value.startsWith('=')) return undefined;
  return { field: field.toUpperCase(), operator: operator as Operator, value };
}

/** What ends a merge tag or a comment is left out of the value. */
export const usableValue = (value: string): string => value.replace(/[|<>\r\n]/g, '').replace(/--+/g, '-');

function tagOf({ field, operator, value }: BlockCondition): string {
  if (operator === 'set') return `*|IF:${field}|*`;
  if (operator === 'empty') return `*|IFNOT:${field}|*`;
  return `*|IF:${field}${operator}${usableValue(value)}|*`;
}

/** The condition as the attribute has it. */
export const encodeCondition = (condition: BlockCondition): string => encodeURIComponent(tagOf(condition));

/** Whether an attribute of the editor has what encodeURIComponent makes. */
export const isEncoded = (attribute: unknown): attribute is string =>
  typeof attribute === 'string' && /^(?:%[0-9A-F]{2}|[\w.!~*'()-])+$/i.test(attribute);

/** The condition of an attribute; undefined if it is none. */
export function decodeCondition(attribute: unknown): BlockCondition | undefined {
  if (!isEncoded(attribute)) return undefined;
  const [, name, text] = opening.exec(`<!--${decodeURIComponent(attribute)}-->`) ?? [];
  return name === undefined ? undefined : readCondition(name, text!);
}

export const isRow = (token: string) => /^<tr\b/i.test(token);

/** The index after the end of the row that begins there; undefined for a row without an end. */
export function afterRow(all: readonly string[], start: number): number | undefined {
  for (let at = start, depth = 0; at < all.length; at += 1) {
    if (isRow(all[at]!)) depth += 1;
    else if (/^<\/tr\b/i.test(all[at]!)) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return undefined;
}

export const afterSpace = (all: readonly string[], at: number) => (/^\s+$/.test(all[at] ?? '') ? at + 1 : at);

/** Comments around rows become attributes of the rows. */
export function conditionsToAttributes(html: string): string {
  if (!/<!--\s*\*\|IF/i.test(html)) return html;
  const all = tokens(html);
  for (let at = 0; at < all.length; at += 1) {
    const [, name, text] = opening.exec(all[at]!) ?? [];
    const condition = name === undefined ? undefined : readCondition(name, text!);
    const row = afterSpace(all, at + 1);
    if (!condition || !isRow(all[row] ?? '')) continue;
    const end = afterRow(all, row);
    const close = end === undefined ? -1 : afterSpace(all, end);
    if (!closing.test(all[close] ?? '')) continue;
    all[at] = '';
    all[close] = '';
    all[row] = all[row]!.replace(/^<tr/i, (open) => `${open} ${conditionAttribute}="${encodeCondition(condition)}"`);
  }
  return all.join('');
}

const attribute = new RegExp(` ${conditionAttribute}="([^"]*)"`);

/** Attributes of rows become comments around them; one that is no condition stays. */
export function attributesToConditions(html: string): string {
  if (!html.includes(conditionAttribute)) return html;
  const all = tokens(html);
  for (const [at, token] of all.entries()) {
    if (!isRow(token)) continue;
    const condition = decodeCondition(attribute.exec(token)?.[1]);
    const end = afterRow(all, at);
    if (!condition || end === undefined) continue;
    all[at] = `<!--${tagOf(condition)}-->${token.replace(attribute, '')}`;
    all[end - 1] += '<!--*|END:IF|*-->';
  }
  return all.join('');
}
