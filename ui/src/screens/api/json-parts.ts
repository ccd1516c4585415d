// JSON in parts of one kind each, for colours.

type Part = { kind: 'key' | 'text' | 'number' | 'word' | undefined; words: string };

/** What is longer is shown in one colour: each part is an element of the page. */
const longest = 100_000;

const part = /("(?:[^"\\]|\\.)*")(?=(\s*:)?)|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;

export function jsonParts(json: string): Part[] {
  if (json.length > longest) return [{ kind: undefined, words: json }];
  const parts: Part[] = [];
  let at = 0;
  for (const found of json.matchAll(part)) {
    const [words, text, colon, number] = found;
    if (found.index > at) parts.push({ kind: undefined, words: json.slice(at, found.index) });
    const kind = text !== undefined ? (colon ? 'key' : 'text') : number !== undefined ? 'number' : 'word';
    parts.push({ kind, words });
    at = found.index + words.length;
  }
  if (at < json.length) parts.push({ kind: undefined, words: json.slice(at) });
  return parts;
}
