// Escapes values for their place in a message: HTML text, attribute, URL, header, plain text, style or script.
// Guarantees that no value leaves its place: it cannot open markup, end an attribute, change the scheme or host that the
// author wrote, or add a header line or a MIME part. Knows nothing about tags or recipients.
import { escapeHtml } from '../../base/html.ts';

/**
 * text       HTML text; line breaks become <br>
 * attribute  an HTML attribute value, <title>, <textarea>, a comment
 * whole-url  the start of a URL in an attribute: only http, https and mailto are let through
 * url-part   inside a URL, percent-encoded
 * raw        style, script, event handlers, inside a tag: only letters, digits and a few harmless characters
 * header     one header line's worth of text, not yet encoded
 * plain      the plain text part
 * aside      the plain text part, in parentheses behind what it belongs to: ` (value)`, and nothing without a value
 */
export type Place = 'text' | 'attribute' | 'whole-url' | 'url-part' | 'raw' | 'header' | 'plain' | 'aside';

/** Characters of a value in a header or a style; the rest is cut off. */
const maxShort = 500;

/** Returns the value as it must be written in this place. */
export function escapeFor(place: Place, value: string): string {
  switch (place) {
    case 'text':
      return htmlValue(value, '<br>');
    case 'attribute':
      return htmlValue(value, ' ');
    case 'whole-url':
      return htmlValue(safeUrl(value), '');
    case 'url-part':
      return urlPart(value);
    case 'raw':
      return value.slice(0, maxShort).replace(/[^\p{L}\p{M}\p{N} _.,#%-]/gu, '');
    case 'header':
      return headerText(value.slice(0, maxShort));
    case 'plain':
      return plainText(value);
    case 'aside': {
      const shown = plainText(value).trim();
      return shown === '' || isScript(shown) ? '' : ` (${shown})`;
    }
  }
}

/** An address that runs a program where it is followed, or a whole page: no reader is given one. A title has a blank behind the colon. */
export const isScript = (value: string): boolean =>
  /^[\s\x00-\x20]*(?:(?:javascript|vbscript):\S|data:[\w+.-]+\/[\w+.-]+[;,])/i.test(value);

/** Normalizes a URL that is a value: http, https or mailto; `//` gets https:, a bare host name http://; else ''. */
export function safeUrl(value: string): string {
  if (usualUrl.test(value)) return value;
  let text = value.trim();
  if (/^\/\/(?:[a-z0-9-]+\.)+[a-z]{2,}(?:[/?#:]|$)/i.test(text)) text = `https:${text}`;
  else if (/^(?:[a-z0-9-]+\.)+[a-z]{2,}(?:[/?#:]|$)/i.test(text)) text = `http://${text}`;
  if (!/^(?:https?:|mailto:)/i.test(text)) return '';
  if (!URL.canParse(text)) return '';
  // Encodes quotes and brackets, so that the URL is also safe inside css url(…), and | and *, so that it never looks like
  // a merge tag.
  return new URL(text.toWellFormed()).href.replace(/['()*|\\]/g, percentEncoded);
}

/** An address that is the same when it is parsed and written again, as most are: to parse it takes ten times as long. */
const usualUrl =
  /^https?:\/\/(?!xn--)[a-z0-9]+(?:(?:\.(?!xn--)|-(?!-))[a-z0-9]+)*\.[a-z]{2,}\/(?!\.)(?:[\w~?=&+,;:@$!#.-]|\/(?!\.)|%(?!2[Ee])[\dA-Fa-f]{2}){0,1000}$/;

/** Line breaks, tabs, control characters and line separators become one space: a header stays one line. */
export function headerText(value: string): string {
  if (!/[^ -~]/.test(value)) return value;
  return value.toWellFormed().replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]+/g, ' ');
}

function htmlValue(value: string, lineBreak: string): string {
  if (!/[^ !#-%(-;=?-~]/.test(value)) return value;
  if (!/[^ -~]/.test(value)) return escapeHtml(value);
  return escapeHtml(value.toWellFormed())
    .replace(/\r\n?|[\n\u2028\u2029]/g, lineBreak)
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
}

function urlPart(value: string): string {
  if (!/[^A-Za-z0-9_.~-]/.test(value)) return value;
  return encodeURIComponent(value.toWellFormed()).replace(/[!'()*]/g, percentEncoded);
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function plainText(value: string): string {
  if (!/[^ -~]/.test(value)) return value;
  return value
    .toWellFormed()
    .replace(/\r\n?|[\x85\u2028\u2029]/g, '\n')
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
}
