// The items of FETCH responses (RFC 3501 7.4.2). Reads a response once from its beginning to its end, whatever a server sends.

/** A response without its `*`: text and literals in turn. */
export type Response = (string | Buffer)[];

export type Items = Map<string, string | Buffer>;

/** The value of an item that is NIL: no text can be this one. */
export const nil = '\0NIL';

/** The items by name; what is in parentheses is left out. @returns null when a string has no end, undefined for other responses */
export function fetchItems(response: Response): Items | null | undefined {
  if (!/^\d+ FETCH \(/i.test(response[0] as string)) return undefined;
  const items: Items = new Map();
  let name: string | undefined;
  let depth = 0;
  for (const token of tokens(response)) {
    if (token === null) return null;
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    if (depth > 1 || token === '(') continue;
    if (token === ')') name = undefined;
    else if (depth === 1 && name === undefined) name = token.toString().toUpperCase();
    else if (depth === 1 && name !== undefined) {
      if (!items.has(name)) items.set(name, typeof token === 'string' ? unquoted(token) : token);
      name = undefined;
    }
  }
  return items;
}

/** Parentheses, strings in their quotes, literals and words; null for a string without end, after which nothing follows. */
function* tokens(response: Response): Generator<string | Buffer | null> {
  for (const [index, part] of response.entries()) {
    if (typeof part !== 'string') yield part;
    else {
      const line = index === 0 ? part.replace(/^\d+ FETCH /i, '') : part;
      const isBeforeLiteral = index < response.length - 1;
      for (const token of tokensOf(isBeforeLiteral ? line.replace(/~?\{\d{1,15}\+?\}$/, '') : line)) {
        yield token;
        if (token === null) return;
      }
    }
  }
}

/** A regular expression would look for the end of a string again from each of its quotes. */
function* tokensOf(line: string): Generator<string | null> {
  const word = /[^\s()"]+/y;
  for (let at = 0; at < line.length; ) {
    const sign = line[at]!;
    let end = at + 1;
    if (sign === '"') {
      end = endOfString(line, at);
      yield end < 0 ? null : line.slice(at, end);
      if (end < 0) return;
    } else if (sign === '(' || sign === ')') yield sign;
    else {
      word.lastIndex = at;
      const [found] = word.exec(line) ?? [];
      if (found !== undefined) {
        yield found;
        end = at + found.length;
      }
    }
    at = end;
  }
}

/** Behind its closing quote; -1 without one. */
function endOfString(line: string, begin: number): number {
  for (let at = begin + 1; at < line.length; at++) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === '"') return at + 1;
  }
  return -1;
}

const unquoted = (token: string): string => {
  if (token.startsWith('"')) return token.slice(1, -1).replaceAll(/\\(.)/g, '$1');
  return /^nil$/i.test(token) ? nil : token;
};
