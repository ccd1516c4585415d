// Merge tags in a text that is shown in the application: the name of a campaign, its subject, an email that no contact is
// chosen for. Finds them in all three notations. What a tag is for a recipient is decided by the server (src/campaigns/compile).

/** `key` is the name of the tag, with what belongs to it: FNAME, LIST:NAME, RSSITEM:TITLE, EVENT:TOTAL. `instead`: what empty values become. */
export type ValueTag = { kind: 'value'; key: string; instead: string };
export type ConditionTag = { kind: 'if' | 'elseif' | 'else' | 'end'; key: string };
export type Piece = string | ValueTag | ConditionTag;

const notations = /\*\|([^|\r\n]{1,220})\|\*|#\[([^[\]\r\n]{1,220})\]#|\*\[([^[\]\r\n]{1,220})\]\*/g;
/** Where the part after the colon belongs to the name, rather than being what an empty value becomes. */
const families = new Set(['CAMPAIGN', 'LIST', 'RSSITEM', 'RSSITEMS', 'RSSFEED']);

export const hasTags = (text: string): boolean => piecesOf(text).some((piece) => typeof piece !== 'string');

/** The text in pieces, in order; strings are never empty. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(notations)) {
    const tag = readTag(match[1] ?? match[2] ?? match[3] ?? '');
    if (!tag) continue;
    if (match.index > from) pieces.push(text.slice(from, match.index));
    pieces.push(tag);
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}

/** The same without conditions: of each, the text for those who have the value. */
export function piecesOfName(text: string): (string | ValueTag)[] {
  const shown: (string | ValueTag)[] = [];
  // For each open condition, whether the branch that is shown has passed.
  const passed: boolean[] = [];
  for (const piece of piecesOf(text)) {
    if (typeof piece !== 'string' && piece.kind !== 'value') {
      if (piece.kind === 'if') passed.push(false);
      else if (piece.kind === 'end') passed.pop();
      else if (passed.length > 0) passed[passed.length - 1] = true;
    } else if (!passed.includes(true)) {
      shown.push(piece);
    }
  }
  return shown;
}

function readTag(inner: string): ValueTag | ConditionTag | undefined {
  const [, word, argument = ''] = /^[ \t]*([A-Za-z]\w{0,63})[ \t]*(?::(.*))?$/.exec(inner) ?? [];
  if (word === undefined) return undefined;
  const name = word.toUpperCase();
  if (name === 'ENDIF' || (name === 'END' && /^\s*IF\s*$/i.test(argument))) return { kind: 'end', key: '' };
  if (name === 'ELSE' && argument.trim() === '') return { kind: 'else', key: '' };
  const condition = /^(ELSE)?IF(?:NOT)?$/.exec(name);
  if (condition && argument !== '') {
    const key = /^\s*(\w+)/.exec(argument)?.[1]?.toUpperCase() ?? '';
    return { kind: condition[1] ? 'elseif' : 'if', key };
  }
  if (name === 'END') return { kind: 'value', key: `END:${argument.trim().toUpperCase()}`, instead: '' };
  if (name === 'EACH') return { kind: 'value', key: `EACH:${lastOf(argument)}`, instead: '' };
  if (name === 'EVENT' || name === 'ITEM') {
    const [path = '', instead = ''] = argument.split(/:(.*)/s);
    return { kind: 'value', key: `${path.includes('[]') ? 'ITEM' : name}:${lastOf(path)}`, instead: instead.trim() };
  }
  if (families.has(name))
    return { kind: 'value', key: `${name}:${(/^\s*(\w*)/.exec(argument)?.[1] ?? '').toUpperCase()}`, instead: '' };
  return { kind: 'value', key: name, instead: name === 'DATE' ? '' : argument.trim() };
}

/** The member that a path leads to: TOTAL of `order.total`, URL of `items[].url`, LINES of `EVENT:order.lines`. */
const lastOf = (path: string): string =>
  path
    .split(/[.:[\]\s]+/)
    .findLast((part) => part !== '')
    ?.toUpperCase() ?? '';
