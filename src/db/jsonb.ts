// JSON that PostgreSQL accepts. Its jsonb refuses NUL and lone surrogates (as left by a cut in the middle of an emoji), and
// with them the whole statement: text from outside must never cause that.

/** The first `maxLength` UTF-16 units of a text, without a lone surrogate at the end and without NUL. */
export const cut = (text: string, maxLength: number): string =>
  text.slice(0, maxLength).toWellFormed().replaceAll('\0', ' ');

/** JSON for a jsonb parameter. Lone surrogates become U+FFFD, and NUL a space. */
export function jsonb(value: unknown): string {
  const text = JSON.stringify(value);
  // JSON.stringify writes lone surrogates as escapes. A text that contains such an escape literally stays unchanged.
  if (!/\\u(?:d[89a-f]|0000)/.test(text)) return text;
  return JSON.stringify(value, (_, part) =>
    typeof part === 'string' ? part.toWellFormed().replaceAll('\0', ' ') : part,
  );
}
