// Values escaped for where they stand in a message: HTML text, attribute, address, header, plain text, style or script.
// Promises that no value leaves its place: it cannot open markup, end an attribute, change an address's scheme or host
// that the author wrote, add a header line or a MIME part. Knows nothing of tags or recipients.

/**
 * text       HTML text; line breaks become <br>
 * attribute  an HTML attribute value, <title>, <textarea>, a comment
 * whole-url  the start of an address in an attribute: only http, https and mailto come through
 * url-part   inside an address, percent-encoded
 * raw        style, script, event handlers, the inside of a tag: letters, digits and a few harmless signs only
 * header     one header line's worth of text, not yet encoded
 * plain      the plain text part
 */
export type Place = 'text' | 'attribute' | 'whole-url' | 'url-part' | 'raw' | 'header' | 'plain';

/** Longest value that goes into a header or into a style, in characters; more is cut off. */
const shortLimit = 500;

/** The value as it must be written at this place. */
export function escapeFor(place: Place, value: string): string {
  switch (place) {
    case 'text':
      return escapeHtml(value, '<br>');
    case 'attribute':
      return escapeHtml(value, ' ');
    case 'whole-url':
      return escapeHtml(safeUrl(value), '');
    case 'url-part':
      return urlPart(value);
    case 'raw':
      return value.slice(0, shortLimit).replace(/[^\p{L}\p{M}\p{N} _.,#%-]/gu, '');
    case 'header':
      return headerText(value.length > shortLimit ? value.slice(0, shortLimit) : value);
    case 'plain':
      return plainText(value);
  }
}

/** An address given as a value: the normal form of an http, https or mailto URL, a bare host name with http, or ''. */
export function safeUrl(value: string): string {
  let text = value.trim();
  if (/^(?:[a-z0-9-]+\.)+[a-z]{2,}(?:[/?#:]|$)/i.test(text)) text = `http://${text}`;
  if (!/^(?:https?:|mailto:)/i.test(text)) return '';
  if (!URL.canParse(text)) return '';
  // Quotes and brackets are encoded so that the address also stays whole inside css url(…); | and * so that it never
  // looks like a merge tag.
  return new URL(text.toWellFormed()).href.replace(/['()*|\\]/g, percentEncoded);
}

/** Line breaks, tabs, control characters and line separators become one space: a header stays one line. */
export function headerText(value: string): string {
  if (!/[^ -~]/.test(value)) return value;
  return value.toWellFormed().replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]+/g, ' ');
}

const htmlSigns: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeHtml(value: string, lineBreak: string): string {
  if (!/[^ !#-%(-;=?-~]/.test(value)) return value;
  return value
    .toWellFormed()
    .replace(/[&<>"']/g, (sign) => htmlSigns[sign]!)
    .replace(/\r\n?|[\n\u2028\u2029]/g, lineBreak)
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
}

function urlPart(value: string): string {
  if (!/[^A-Za-z0-9_.~-]/.test(value)) return value;
  return encodeURIComponent(value.toWellFormed()).replace(/[!'()*]/g, percentEncoded);
}

function percentEncoded(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

function plainText(value: string): string {
  if (!/[^ -~]/.test(value)) return value;
  return value
    .toWellFormed()
    .replace(/\r\n?|[\x85\u2028\u2029]/g, '\n')
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
}
