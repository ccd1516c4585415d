// What bytes of windows-1252 mean in texts of published programs, which paste what Word writes: quotation marks, dashes and the
// ellipsis, as bytes in a text that is UTF-8 otherwise, or as the control characters of ISO-8859-1. No one means those.
import { isUtf8 } from 'node:buffer';

/** What windows-1252 has at 0x80 to 0x9F. */
const CHARACTERS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8DŽ\x8F\x90‘’“”•–—˜™š›œ\x9DžŸ';

/** A text whose characters 128 to 159 are bytes of windows-1252. */
export const asWindows1252 = (text: string): string =>
  text.replace(/[\x80-\x9F]/g, (char) => CHARACTERS[char.charCodeAt(0) - 0x80]!);

/**
 * The text of bytes that are UTF-8 but for punctuation as Word writes it: € … ‘ ’ “ ” • – —, which are the same bytes in all
 * of Windows' encodings of one byte. Undefined for other bytes, such as letters of ISO-8859-1, Cyrillic or Japanese ones.
 */
export function textOfUtf8(bytes: Buffer): string | undefined {
  if (isUtf8(bytes)) return asWindows1252(bytes.toString('utf8'));
  const repaired = Buffer.from(
    bytes
      .toString('latin1')
      .replace(UTF8_OR_PUNCTUATION, (sequence, byte?: string) =>
        byte === undefined ? sequence : Buffer.from(asWindows1252(byte)).toString('latin1'),
      ),
    'latin1',
  );
  return isUtf8(repaired) ? asWindows1252(repaired.toString('utf8')) : undefined;
}

const UTF8_OR_PUNCTUATION =
  /[\xC2-\xDF][\x80-\xBF]|[\xE0-\xEF][\x80-\xBF]{2}|[\xF0-\xF4][\x80-\xBF]{3}|([\x80\x85\x91-\x97])/g;
