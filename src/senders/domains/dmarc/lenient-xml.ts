// Makes XML of what careless programs write as XML: undoes the encoding, drops blanks before the declaration and characters that
// XML forbids, and escapes an ampersand that begins no reference. Works piece by piece. Everything else is left to the parser.
import { TextDecoder } from 'node:util';

/** An ampersand may be followed by a reference of at most so many characters. */
const maxReference = 12;
const incompleteReference = new RegExp(`&[#\\w]{0,${maxReference}}$`);
const noReference = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-f]{1,6});)/gi;
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

export function lenientXml() {
  let kept = '';
  let begun = false;
  const clean = (text: string): string => {
    const rest = begun ? text : text.replace(/^[\s\ufeff\0]+/, '');
    if (rest !== '') begun = true;
    return rest.replace(forbidden, '').replace(noReference, '&amp;');
  };
  return {
    write(text: string): string {
      const all = kept + text;
      kept = incompleteReference.exec(all)?.[0] ?? '';
      return clean(all.slice(0, all.length - kept.length));
    },
    end(): string {
      return clean(kept);
    },
  };
}

/** Decodes by the byte order mark, else by the declaration, else as UTF-8. */
export function xmlDecoder() {
  let decoder: TextDecoder | undefined;
  return {
    write(bytes: Buffer): string {
      decoder ??= decoderFor(bytes.subarray(0, 200));
      return decoder.decode(bytes, { stream: true });
    },
    end(): string {
      return decoder?.decode() ?? '';
    },
  };
}

function decoderFor(begin: Buffer): TextDecoder {
  if (begin[0] === 0xff && begin[1] === 0xfe) return new TextDecoder('utf-16le');
  if (begin[0] === 0xfe && begin[1] === 0xff) return new TextDecoder('utf-16be');
  const declared = /<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/i.exec(begin.toString('latin1'))?.[1] ?? 'utf-8';
  // Bytes in which the declaration can be read are not UTF-16, whatever it states.
  if (/^utf-?(16|32)/i.test(declared)) return new TextDecoder();
  try {
    return new TextDecoder(declared);
  } catch {
    return new TextDecoder();
  }
}
