// What is typed in a text to open a menu: "/" for blocks, at the start or after a space, and "{" or "*|" for merge tags. Pure.

export type Trigger = {
  kind: 'block' | 'tag';
  /** What was typed after it. */
  query: string;
  /** Of all of it, in letters. */
  length: number;
};

/** @param before the words before the cursor */
export function triggerBefore(before: string): Trigger | undefined {
  const block = /(?:^|[\s\u200b])(\/([\p{L}][\p{L} ]{0,20})?)$/u.exec(before);
  if (block) return { kind: 'block', query: block[2] ?? '', length: block[1]!.length };
  const tag = /(?:\{\{?|\*\|)\s?([\p{L}\d_:' ]{0,20})$/u.exec(before);
  if (tag) return { kind: 'tag', query: tag[1]!.trim(), length: tag[0].length };
  return undefined;
}
