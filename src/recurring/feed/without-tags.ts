// Texts of other sites must not contain merge tags, which would show a reader's own data or break the message.

/** U+2060, which is not shown and keeps the signs together. */
const joiner = '\u2060';

/**
 * A text in which nothing is read as a merge tag, wherever it is put: an invisible character separates the characters that open a
 * tag. At its ends too, where the text around it could complete them.
 */
export function withoutTags(text: string): string {
  if (!/[*#|[]/.test(text)) return text;
  return text
    .replace(/([*#])(?=[|[]|%7C|%5B)/gi, `$1${joiner}`)
    .replace(/^(?=[|[])/, joiner)
    .replace(/([*#])$/, `$1${joiner}`);
}

/** A # or brackets in the fragment could be read as a merge tag, #[TAG]#. */
export function withoutTagsInUrl(url: string): string {
  const hash = url.indexOf('#');
  const encoded = (text: string) =>
    text.replace(/[#[\]*|]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  if (hash < 0) return url.replace(/[*|]/g, encoded);
  const fragment = encoded(url.slice(hash + 1)).replace(/^%5B/i, '%255B');
  return `${url.slice(0, hash).replace(/[*|]/g, encoded)}#${fragment}`;
}
