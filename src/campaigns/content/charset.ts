// Detects the encoding of a page and decodes it: byte order mark, transport header, declaration in the page, and last
// whether the bytes are valid UTF-8, in this order (HTML Standard, "determining the encoding"). Guarantees a
// well-formed string. Labels are those of the Encoding Standard, which browsers use.

export type Decoded = {
  text: string;
  /** The name of the encoding, in lower case. */
  charset: string;
  /** Whether bytes that mean nothing in it were replaced. */
  replaced: boolean;
};

/** How far into a page its own declaration is looked for, in bytes; browsers look at 1,024. */
const declarationWithin = 4096;

/** The charset parameter of a Content-Type header, if there is one. */
export const charsetIn = (contentType: string): string | undefined =>
  /;\s*charset\s*=\s*("[^"]*"|[^\s;]+)/i.exec(contentType)?.[1];

/** @param header the charset parameter of the Content-Type header, if there was one */
export function decodePage(bytes: Uint8Array, header?: string): Decoded {
  const label = byteOrderMark(bytes) ?? known(header) ?? declared(bytes) ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252');
  const text = new TextDecoder(label).decode(bytes);
  // A replacement character may also have been written by the author; then the bytes hold it and strict decoding passes.
  const replaced = text.includes('\ufffd') && !decodes(bytes, label);
  return { text: text.toWellFormed(), charset: new TextDecoder(label).encoding, replaced };
}

/**
 * For editHtml: what the declaration in a page says once the page is a string, which is sent and shown as UTF-8.
 * Null for every other attribute.
 */
export function declaredAsUtf8(
  { name, element, value }: { name: string; element: string; value: string },
  sibling: (name: string) => string | undefined,
): string | null {
  if (element !== 'meta') return null;
  if (name === 'charset') return 'utf-8';
  if (name !== 'content' || !/^\s*content-type\s*$/i.test(sibling('http-equiv') ?? '')) return null;
  return value.replace(/charset\s*=\s*[^\s;"']+/i, 'charset=utf-8');
}

function byteOrderMark(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return null;
}

function declared(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, declarationWithin)).toString(
    'latin1',
  );
  const text = start.replace(/<!--[\s\S]*?(?:-->|$)/g, '');
  const xml = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/i.exec(text)?.[1];
  for (const [tag] of text.matchAll(/<meta[\s/][^>]*>/gi)) {
    const label = /[\s/"';]charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(tag)?.[1];
    // A page that could be read this far is not in UTF-16, whatever it says.
    const charset = known(label?.toLowerCase().startsWith('utf-16') ? 'utf-8' : label);
    if (charset) return charset;
  }
  return known(xml?.toLowerCase().startsWith('utf-16') ? 'utf-8' : xml);
}

function known(label: string | undefined): string | null {
  const name = label?.trim().replace(/^["']|["']$/g, '');
  if (!name) return null;
  if (name.toLowerCase() === 'x-user-defined') return 'windows-1252';
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return null;
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  return decodes(bytes, 'utf-8');
}

function decodes(bytes: Uint8Array, label: string): boolean {
  try {
    new TextDecoder(label, { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
