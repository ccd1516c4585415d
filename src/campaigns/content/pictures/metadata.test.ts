// Metadata that reveals who took a picture, where and with what is removed; the picture itself stays the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { isTurned, withoutMetadata } from './metadata.ts';
import { readPicture } from './picture.ts';

/** Stands for the place, the camera, the name: found again, it was not taken out. */
const secret = '52.5163N 13.3777E Canon';
const leaks = (bytes: Buffer) => bytes.includes(secret);

/** EXIF with a directory of its own for the place, and an orientation when there is one. */
function exif(little: boolean, orientation?: number): Buffer {
  const tiff = Buffer.alloc(80);
  const short = (value: number, at: number) => (little ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at));
  const long = (value: number, at: number) => (little ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at));
  tiff.write(little ? 'II' : 'MM');
  short(42, 2);
  long(8, 4);
  short(orientation === undefined ? 1 : 2, 8);
  // The camera: text, elsewhere in the file.
  for (const [index, value] of [[0x0110, 2, secret.length, 50] as const].entries()) {
    short(value[0], 10 + index * 12);
    short(value[1], 12 + index * 12);
    long(value[2], 14 + index * 12);
    long(value[3], 18 + index * 12);
  }
  if (orientation !== undefined) {
    short(0x0112, 22);
    short(3, 24);
    long(1, 26);
    short(orientation, 30);
  }
  tiff.write(secret, 50);
  return tiff;
}

function segment(marker: number, ...parts: (string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

const soi = Buffer.from([0xff, 0xd8]);
const eoi = Buffer.from([0xff, 0xd9]);
const jfif = segment(0xe0, 'JFIF\0', Buffer.from([1, 1, 0, 0, 1, 0, 1, 0, 0]));
const profile = segment(0xe2, 'ICC_PROFILE\0', Buffer.from([1, 1]), 'the colours');
const adobe = segment(0xee, 'Adobe', Buffer.from([0, 100, 0, 0, 0, 0, 1]));
/** 6 × 4 pixels, two scans with stuffed zeros and a restart. */
const drawn = Buffer.concat([
  segment(0xdb, Buffer.alloc(65, 1)),
  segment(0xc2, Buffer.from([8, 0, 4, 0, 6, 1, 1, 0x11, 0])),
  segment(0xda, Buffer.from([1, 1, 0, 0, 0, 0])),
  Buffer.from([0x12, 0xff, 0x00, 0x34, 0xff, 0xd3, 0x56]),
  segment(0xc4, Buffer.alloc(19, 2)),
  segment(0xda, Buffer.from([1, 1, 0, 0, 0, 0])),
  Buffer.from([0x78, 0xff, 0x00]),
]);

test('a photograph loses place, camera, caption and trailing data, and keeps picture and colours', () => {
  const photo = Buffer.concat([
    soi,
    jfif,
    segment(0xe1, 'Exif\0\0', exif(true)),
    segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0', `<x:xmpmeta>${secret}</x:xmpmeta>`),
    profile,
    segment(0xe2, 'MPF\0', secret),
    segment(0xed, 'Photoshop 3.0\0', secret),
    adobe,
    segment(0xfe, secret),
    drawn,
    eoi,
    soi,
    segment(0xe1, 'Exif\0\0', exif(false)),
    eoi,
  ]);
  assert.ok(leaks(photo));
  const clean = withoutMetadata(photo)!;
  assert.deepEqual(clean.bytes, Buffer.concat([soi, jfif, profile, adobe, drawn, eoi]));
  assert.equal(clean.orientation, 1);
});

test('a rotated photograph keeps its rotation, and its size is that of the visible picture', () => {
  for (const little of [true, false])
    for (const orientation of [2, 3, 6, 8]) {
      const photo = Buffer.concat([soi, segment(0xe1, 'Exif\0\0', exif(little, orientation)), jfif, drawn, eoi]);
      const picture = readPicture(photo);
      assert.ok(!('reason' in picture));
      assert.deepEqual([picture.width, picture.height], orientation >= 5 ? [4, 6] : [6, 4]);
      assert.ok(!leaks(picture.bytes));
      // What is left says the same once more.
      assert.deepEqual(withoutMetadata(picture.bytes), { bytes: picture.bytes, orientation });
    }
});

function chunk(type: string, body: string | Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), Buffer.from(body)]);
  const all = Buffer.alloc(8 + content.length);
  all.writeUInt32BE(content.length - 4);
  content.copy(all, 4);
  all.writeUInt32BE(crc32(content), 4 + content.length);
  return all;
}

test('a PNG keeps its pixels, colours and frames and loses texts, time, EXIF and what follows its end', () => {
  const head = Buffer.from('89504e470d0a1a0a', 'hex');
  const ihdr = chunk('IHDR', Buffer.from([0, 0, 0, 6, 0, 0, 0, 4, 8, 2, 0, 0, 0]));
  const shown = ['gAMA', 'iCCP', 'pHYs', 'acTL', 'tRNS', 'IDAT', 'fdAT', 'IEND'].map((type) => chunk(type, 'abcd'));
  const png = (orientation?: number) =>
    Buffer.concat([
      head,
      ihdr,
      ...['tEXt', 'zTXt', 'iTXt', 'tIME', 'caBX'].map((type) => chunk(type, secret)),
      chunk('eXIf', exif(false, orientation)),
      ...shown,
      Buffer.from(secret),
    ]);
  assert.deepEqual(withoutMetadata(png())!.bytes, Buffer.concat([head, ihdr, ...shown]));
  const turned = withoutMetadata(png(6))!;
  assert.equal(turned.orientation, 6);
  assert.ok(!leaks(turned.bytes));
  assert.deepEqual(withoutMetadata(turned.bytes), turned);
  const exifAt = turned.bytes.indexOf('eXIf');
  assert.equal(turned.bytes.readUInt32BE(exifAt + 4 + 26), crc32(turned.bytes.subarray(exifAt, exifAt + 30)));
});

test('a WebP loses EXIF and XMP with the flags that announce them', () => {
  const part = (type: string, body: Buffer | string) => {
    const bytes = Buffer.from(body);
    const all = Buffer.alloc(8 + bytes.length + (bytes.length % 2));
    all.write(type, 'latin1');
    all.writeUInt32LE(bytes.length, 4);
    bytes.copy(all, 8);
    return all;
  };
  const riff = (...parts: Buffer[]) => part('RIFF', Buffer.concat([Buffer.from('WEBP'), ...parts]));
  const vp8x = (flags: number) => part('VP8X', Buffer.from([flags, 0, 0, 0, 5, 0, 0, 3, 0, 0]));
  const rest = [part('ICCP', 'the colours'), part('VP8 ', 'the picture')];
  const withMetadata = (orientation?: number) =>
    riff(vp8x(0x2c), ...rest, part('EXIF', exif(true, orientation)), part('XMP ', secret), part('XYZW', secret));
  assert.deepEqual(withoutMetadata(withMetadata())!.bytes, riff(vp8x(0x20), ...rest));
  const turned = withoutMetadata(withMetadata(8))!;
  assert.equal(turned.orientation, 8);
  assert.equal(turned.bytes[20], 0x28, 'profile and EXIF');
  assert.ok(!leaks(turned.bytes));
  assert.deepEqual(withoutMetadata(turned.bytes), turned);
});

test('a truncated or corrupt picture loses its metadata or is refused', () => {
  const photo = Buffer.concat([soi, jfif, segment(0xe1, 'Exif\0\0', exif(true, 6)), segment(0xfe, secret), drawn, eoi]);
  for (let length = 3; length < photo.length; length++) {
    const clean = withoutMetadata(photo.subarray(0, length));
    if (clean) assert.ok(!leaks(clean.bytes), `${length} bytes`);
  }
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(photo.length - 1), fc.nat(255)), { maxLength: 4 }), (changes) => {
      const garbled = Buffer.from(photo);
      for (const [at, byte] of changes) if (at > 2) garbled[at] = byte;
      // Ends, and never answers with more than it was given and an orientation.
      const clean = withoutMetadata(garbled);
      assert.ok(!clean || clean.bytes.length <= garbled.length + 40);
    }),
  );
});

test('a JPEG is read to its end, whatever its segments', () => {
  const sos = Buffer.from([0xff, 0xda, 0, 2]);
  const scan = Buffer.from([0x12, 0xff, 0xd0, 0x34, 0xff, 0xd7, 0x56, 0xff, 0x00]);
  const join = (...parts: Buffer[]) => Buffer.concat([soi, ...parts, eoi]);
  const table: [what: string, bytes: Buffer, clean: Buffer | undefined][] = [
    ['restarts and a stuffed zero in the scan', join(sos, scan), join(sos, scan)],
    ['a fill byte before the end', join(sos, scan, Buffer.from([0xff])), join(sos, scan, Buffer.from([0xff]))],
    ['a second picture in the scan', join(sos, scan, soi, scan), undefined],
    ['a fill byte before a segment', join(Buffer.from([0xff]), segment(0xfe), sos, scan), join(sos, scan)],
    ['an empty comment', join(segment(0xfe), sos, scan), join(sos, scan)],
    ['no scan at all, cut off', Buffer.concat([soi, sos]), join(sos)],
    ['a segment of length 0', join(Buffer.from([0xff, 0xda, 0, 0]), scan), undefined],
    ['a segment of length 1', join(Buffer.from([0xff, 0xda, 0, 1]), scan), undefined],
    ['a segment longer than the file', Buffer.concat([soi, Buffer.from([0xff, 0xfe, 0, 9, 1])]), undefined],
    ['no segment', Buffer.from([0xff, 0xd8, 0, 0]), undefined],
  ];
  for (const [what, bytes, clean] of table) assert.deepEqual(withoutMetadata(bytes)?.bytes, clean, what);
});

test('an orientation is read from EXIF segments only', () => {
  for (const [marker, orientation] of [
    [0xe1, 6],
    [0xe5, 1],
  ] as const) {
    const photo = Buffer.concat([soi, segment(marker, 'Exif\0\0', exif(true, 6)), drawn, eoi]);
    assert.equal(withoutMetadata(photo)?.orientation, orientation);
  }
});

test('the orientation is written as EXIF with one entry', () => {
  const photo = Buffer.concat([soi, segment(0xe1, 'Exif\0\0', exif(true, 6)), drawn, eoi]);
  const tiff = '4d4d002a00000008 0001 0112 0003 00000001 0006 0000 00000000'.replaceAll(' ', '');
  assert.deepEqual(
    withoutMetadata(photo)?.bytes,
    Buffer.concat([soi, segment(0xe1, 'Exif\0\0', Buffer.from(tiff, 'hex')), drawn, eoi]),
  );
});

test('other kinds come back as they are, and orientations from 5 on lie on their side', () => {
  for (const head of ['GIF89a', 'RIFF\0\0\0\0WAVE', 'RIFX\0\0\0\0WEBP', '\xff\xd8', '\xff\xd8\xff', '']) {
    const bytes = Buffer.from(head, 'latin1');
    assert.deepEqual(withoutMetadata(bytes), { bytes, orientation: 1 });
  }
  assert.deepEqual([1, 4, 5, 8].map(isTurned), [false, false, true, true]);
});

test('an orientation stays behind the head of JFIF, and one that does not exist is upright', () => {
  const photo = (tiff: Buffer) => Buffer.concat([soi, jfif, segment(0xe1, 'Exif\0\0', tiff), drawn, eoi]);
  const clean = withoutMetadata(photo(exif(true, 6)))!;
  const before = Buffer.concat([soi, jfif]);
  const after = Buffer.concat([drawn, eoi]);
  assert.deepEqual(clean.bytes.subarray(0, before.length), before);
  assert.equal(clean.bytes.indexOf('Exif'), before.length + 4);
  assert.deepEqual(clean.bytes.subarray(-after.length), after);
  for (const [stated, orientation] of [
    [0, 1],
    [1, 1],
    [8, 8],
    [9, 1],
  ])
    for (const little of [true, false])
      assert.equal(withoutMetadata(photo(exif(little, stated)))!.orientation, orientation, String(stated));
});

test('EXIF that points behind its end is upright', () => {
  const tiff = Buffer.from('4d4d002a0000000f 0001 0112'.replaceAll(' ', ''), 'hex');
  for (let length = 8; length <= 14; length++) {
    const photo = Buffer.concat([
      soi,
      segment(0xe1, 'Exif\0\0', Buffer.concat([tiff, Buffer.alloc(8)]).subarray(0, length)),
      drawn,
      eoi,
    ]);
    assert.equal(withoutMetadata(photo)?.orientation, 1, `${length} bytes`);
  }
});

test('all chunks of a WebP that are shown are kept, also an empty one at the end', () => {
  const kept = ['VP8X', 'ICCP', 'ANIM', 'ANMF', 'ALPH', 'VP8 ', 'VP8L'].map((type) =>
    Buffer.concat([Buffer.from(type), Buffer.from([10, 0, 0, 0]), Buffer.alloc(10)]),
  );
  const content = Buffer.concat([Buffer.from('WEBP'), ...kept, Buffer.from('ALPH\0\0\0\0')]);
  const webp = Buffer.concat([Buffer.from('RIFF'), Buffer.from([content.length, 0, 0, 0]), content]);
  assert.deepEqual(withoutMetadata(webp), { bytes: webp, orientation: 1 });
});
