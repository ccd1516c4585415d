// The kind and size of a picture, from its bytes alone; its name and the type that the sender states do not count.
// Guarantees that an accepted picture is a PNG, JPEG, GIF or WebP with a complete header, without its metadata
// (metadata.ts). Sizes: PNG (RFC 2083 11.2.1), GIF89a 18, JPEG (ITU-T T.81 B.2.2), WebP (RFC 9649 2.5 to 2.7).
import { createHash } from 'node:crypto';
import { type Message, message } from '../../../base/messages.ts';
import { kindOf } from '../archive/kinds.ts';
import { isTurned, withoutMetadata } from './metadata.ts';

export type Picture = {
  /** `<first 32 hex digits of its SHA-256>.<extension of its true type>`, as pictures of archives are named. */
  name: string;
  contentType: string;
  /** As it is seen. */
  width: number;
  height: number;
  /** What is stored and served. */
  bytes: Buffer;
};

/** No screen and no mail program needs more; decoders give up somewhere above. */
export const maxPixelsPerSide = 10_000;

/** The picture, or why it is none. */
export function readPicture(given: Buffer, member = 'content'): Picture | { reason: Message } {
  const kind = kindOf('picture.png', given);
  if (kind === null) {
    const svg = kindOf('picture.svg', given) !== null;
    return { reason: message(svg ? 'picture.svg' : 'picture.not_a_picture', { member }) };
  }
  const size = sizes[kind.extension]!(given);
  if (!size || size.width === 0 || size.height === 0) return { reason: message('picture.size_unreadable', { member }) };
  if (size.width > maxPixelsPerSide || size.height > maxPixelsPerSide)
    return { reason: message('picture.too_many_pixels', { member, ...size, count: maxPixelsPerSide }) };
  const clean = withoutMetadata(given);
  if (!clean) return { reason: message('picture.parts_unreadable', { member }) };
  const { bytes, orientation } = clean;
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  // Browsers turn JPEG and PNG, but no WebP.
  const turned = isTurned(orientation) && kind.extension !== 'webp';
  const [width, height] = turned ? [size.height, size.width] : [size.width, size.height];
  return { name: `${hash}.${kind.extension}`, contentType: kind.contentType, width, height, bytes };
}

type Size = { width: number; height: number };

const sizes: Record<string, (bytes: Buffer) => Size | undefined> = {
  png: (bytes) =>
    bytes.length >= 24 && bytes.toString('latin1', 12, 16) === 'IHDR'
      ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
      : undefined,
  gif: (bytes) => (bytes.length >= 10 ? { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) } : undefined),
  jpg: jpegSize,
  webp: webpSize,
};

/** The frame header follows any number of segments, each with its length. */
function jpegSize(bytes: Buffer): Size | undefined {
  let at = 2;
  while (at + 9 <= bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1]!;
    // Fill bytes before a marker. Markers without a segment come only behind the frame header.
    if (marker === 0xff) at += 1;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    else {
      const length = bytes.readUInt16BE(at + 2);
      if (length < 2) return undefined;
      at += 2 + length;
    }
  }
  return undefined;
}

function webpSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 30) return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const packed = bytes.readUInt32LE(21);
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    default:
      return undefined;
  }
}
