// Values as JSON that PostgreSQL takes. Its jsonb refuses NUL and halves of characters (as a cut in the middle of an emoji
// leaves them), and the statement with them: a text of somebody else must never be able to do that.

/** At most so many UTF-16 units of a text, without half a character at the cut, and without NUL. */
export const cut = (text: string, most: number): string => text.slice(0, most).toWellFormed().replaceAll('\0', ' ');

/** JSON for a jsonb parameter; what jsonb cannot hold of a text becomes U+FFFD, and NUL a space. */
export function jsonb(value: unknown): string {
  const text = JSON.stringify(value);
  // Well-formed JSON.stringify writes halves of characters as escapes; in a text that says so itself nothing changes.
  if (!/\\u(?:d[89a-f]|0000)/.test(text)) return text;
  return JSON.stringify(value, (_, one) => (typeof one === 'string' ? one.toWellFormed().replaceAll('\0', ' ') : one));
}
