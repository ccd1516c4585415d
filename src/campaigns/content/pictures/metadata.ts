// Removes from a picture what is not needed to show it: where and when it was taken and by which camera (EXIF, XMP,
// IPTC), comments, previews and trailing data. Guarantees that the picture looks the same: its pixels, colour profile,
// density, animation and orientation stay. Returns undefined for a file that it cannot read to the end. Formats: JPEG
// (ITU-T T.81 B.1), PNG 3 5.2, WebP (RFC 9649 2), orientation (TIFF 6.0, tag 274).

import { crc32 } from 'node:zlib';

/** The picture without metadata; undefined when its parts cannot be separated. Other kinds come back as they are. */
export function withoutMetadata(bytes: Buffer): { bytes: Buffer; orientation: number } | undefined {
  try {
    if (bytes.length > 3 && bytes.readUInt16BE(0) === 0xffd8) return cleanJpeg(bytes);
    if (bytes.subarray(0, 8).equals(pngHead)) return cleanPng(bytes);
    if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP')
      return cleanWebp(bytes);
    return { bytes, orientation: 1 };
  } catch (error) {
    // A length that points behind the end.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Whether the picture is shown lying: its width is the height that is seen. */
export const isTurned = (orientation: number) => orientation >= 5;

const exifHead = Buffer.from('Exif\0\0', 'latin1');

function cleanJpeg(bytes: Buffer): { bytes: Buffer; orientation: number } | undefined {
  const kept: Buffer[] = [];
  let orientation = 1;
  let at = 2;
  for (;;) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      // Fill bytes.
      at += 1;
      continue;
    }
    // The end; what follows are further pictures (MPF) or films, which have metadata too.
    if (marker === 0xd9) break;
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end < at + 4 || end > bytes.length) return undefined;
    const segment = bytes.subarray(at, end);
    const body = segment.subarray(4);
    if (marker === 0xe1 && body.subarray(0, 6).equals(exifHead)) orientation = orientationOf(body.subarray(6));
    else if (isShown(marker, body)) kept.push(segment);
    at = end;
    if (marker !== 0xda) continue;
    // The scan: as far as a marker that is neither a stuffed zero nor a restart. One cut off is shown as far as it goes.
    const from = at;
    while (at < bytes.length && !(bytes[at] === 0xff && isMarker(bytes[at + 1]))) at += 1;
    kept.push(bytes.subarray(from, at));
    if (at >= bytes.length) break;
  }
  const turned = orientation === 1 ? [] : [segmentOf(0xe1, Buffer.concat([exifHead, orientationOnly(orientation)]))];
  // JFIF stands first where it is (JFIF 1.02), EXIF behind it.
  const first = kept[0]?.[1] === 0xe0 ? 1 : 0;
  return {
    bytes: Buffer.concat([
      Buffer.from([0xff, 0xd8]),
      ...kept.slice(0, first),
      ...turned,
      ...kept.slice(first),
      Buffer.from([0xff, 0xd9]),
    ]),
    orientation,
  };
}

const isMarker = (byte: number | undefined) =>
  byte !== undefined && byte !== 0x00 && byte !== 0xff && !(byte >= 0xd0 && byte <= 0xd7);

/** All but comments and application segments; of those JFIF, the colour profile and Adobe's colour transform are shown. */
function isShown(marker: number, body: Buffer): boolean {
  if (marker === 0xfe) return false;
  if (marker < 0xe0 || marker > 0xef) return true;
  if (marker === 0xe0) return body.toString('latin1', 0, 5) === 'JFIF\0';
  if (marker === 0xe2) return body.toString('latin1', 0, 12) === 'ICC_PROFILE\0';
  return marker === 0xee && body.toString('latin1', 0, 5) === 'Adobe';
}

function segmentOf(marker: number, body: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

const pngHead = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Chunks that decide how a PNG looks; text, time, EXIF and private ones do not. */
const pngShown = new Set(
  'IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP mDCV cLLI sBIT bKGD pHYs acTL fcTL fdAT'.split(' '),
);

function cleanPng(bytes: Buffer): { bytes: Buffer; orientation: number } | undefined {
  const kept: Buffer[] = [];
  let orientation = 1;
  for (let at = 8, type = ''; type !== 'IEND'; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) return undefined;
    type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'eXIf') orientation = orientationOf(bytes.subarray(at + 8, end - 4));
    else if (pngShown.has(type)) kept.push(bytes.subarray(at, end));
    at = end;
  }
  const turned = orientation === 1 ? [] : [pngChunk('eXIf', orientationOnly(orientation))];
  return { bytes: Buffer.concat([pngHead, ...kept.slice(0, 1), ...turned, ...kept.slice(1)]), orientation };
}

function pngChunk(type: string, body: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + body.length);
  chunk.writeUInt32BE(body.length, 0);
  chunk.write(type, 4, 'latin1');
  body.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + body.length)), 8 + body.length);
  return chunk;
}

const webpShown = new Set(['VP8X', 'VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);
/** Flags of VP8X (RFC 9649 2.7). */
const [exifFlag, xmpFlag] = [0x08, 0x04];

function cleanWebp(bytes: Buffer): { bytes: Buffer; orientation: number } | undefined {
  const kept: Buffer[] = [];
  let orientation = 1;
  const all = Math.min(bytes.length, 8 + bytes.readUInt32LE(4));
  for (let at = 12; at + 8 <= all; ) {
    const length = bytes.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (at + 8 + length > all) return undefined;
    const type = bytes.toString('latin1', at, at + 4);
    const body = bytes.subarray(at + 8, at + 8 + length);
    // Some writers put JPEG's head before it.
    if (type === 'EXIF') orientation = orientationOf(body.subarray(0, 6).equals(exifHead) ? body.subarray(6) : body);
    else if (webpShown.has(type)) kept.push(webpChunk(type, body));
    at = end;
  }
  if (kept.length === 0) return undefined;
  // Only the extended form, which has flags for it, holds EXIF.
  const head = kept.find((chunk) => chunk.toString('latin1', 0, 4) === 'VP8X');
  if (!head) orientation = 1;
  if (head) head.writeUInt8((head.readUInt8(8) & ~(exifFlag | xmpFlag)) | (orientation === 1 ? 0 : exifFlag), 8);
  const turned = orientation === 1 ? [] : [webpChunk('EXIF', orientationOnly(orientation))];
  const content = Buffer.concat([Buffer.from('WEBP', 'latin1'), ...kept, ...turned]);
  const riff = Buffer.from('RIFF\0\0\0\0', 'latin1');
  riff.writeUInt32LE(content.length, 4);
  return { bytes: Buffer.concat([riff, content]), orientation };
}

/** A chunk of its own memory, of even length. */
function webpChunk(type: string, body: Buffer): Buffer {
  const chunk = Buffer.alloc(8 + body.length + (body.length % 2));
  chunk.write(type, 0, 'latin1');
  chunk.writeUInt32LE(body.length, 4);
  body.copy(chunk, 8);
  return chunk;
}

/** The orientation of the picture, 1 (upright) to 8; what cannot be read is upright. */
function orientationOf(tiff: Buffer): number {
  if (tiff.length < 14) return 1;
  const little = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number) => (at + 2 > tiff.length ? 0 : little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  for (let entry = 0; entry < short(directory); entry++) {
    const at = directory + 2 + entry * 12;
    if (short(at) !== 274) continue;
    const value = short(at + 8);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/** EXIF that holds the orientation and nothing else. */
function orientationOnly(orientation: number): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write('MM', 0, 'latin1');
  tiff.writeUInt16BE(42, 2);
  tiff.writeUInt32BE(8, 4);
  // One entry: tag, type short, one value, and no further directory.
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(274, 10);
  tiff.writeUInt16BE(3, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}
