// Writes the addresses of links and pictures as mail programs read them: without white space at their ends, and those of pictures
// with blanks and letters outside of ASCII encoded. Browsers correct both, some mail programs do not, and parameters that are added
// must not follow a blank. Everything else stays byte for byte.
import { editHtml } from '../content/relink.ts';
import { parseTags } from '../markup/merge-tags.ts';

export function tidyAddresses(html: string): string {
  // Only what has such characters can change.
  if (!/=|url\(/i.test(html)) return html;
  return editHtml(html, {
    address: (address, { attribute }) => {
      const trimmed = tidyAddress(address);
      const tidy = attribute === 'href' || !/^https?:\/\//i.test(trimmed) ? trimmed : encoded(trimmed);
      // In a style an address is written again, in other quotes.
      return tidy === address && (attribute === '' || attribute === 'style') ? null : tidy;
    },
  });
}

/** URL Standard 4.4: line breaks and tabs within an address are dropped. */
export function tidyAddress(address: string): string {
  let start = 0;
  let end = address.length;
  // A pattern of a run before the end would take quadratic time.
  while (start < end && around.test(address[start]!)) start++;
  while (end > start && around.test(address[end - 1]!)) end--;
  return address.slice(start, end).replace(/[\t\r\n]/g, '');
}

/** What no address begins or ends with: white space, also without width, and controls. */
const around = /[\s\p{Cc}\p{Cf}]/u;

/** The address of a picture as browsers request it. */
function encoded(address: string): string {
  const [, origin = '', rest = ''] = /^(https?:\/\/[^/?#\s]*)(.*)$/is.exec(address)!;
  const isAscii = /^[\x21-\x7e]+$/.test(origin);
  return (isAscii || !URL.canParse(origin) ? origin : new URL(origin).origin) + encodedPath(rest);
}

/** Blanks and what is not ASCII, outside of merge tags. Signs that have a meaning in addresses stay. */
function encodedPath(path: string): string {
  if (!/[^!#-;=?-_a-z{-~]/.test(path)) return path;
  return parseTags(path, 'address')
    .map((part) => {
      const written = typeof part === 'string' ? part : path.slice(part.start, part.end);
      return typeof part === 'string' ? written.replace(/[^\x21-\x7e]+|["<>`]/g, percentEncoded) : written;
    })
    .join('');
}

const percentEncoded = (text: string): string => encodeURIComponent(text.toWellFormed());
