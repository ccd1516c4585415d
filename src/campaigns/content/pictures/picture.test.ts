// The kind and the size of a picture, from headers made byte by byte.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPicture } from './picture.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const png = (width: string, height: string, type = '49484452') =>
  hex(`89504e470d0a1a0a 0000000d ${type} ${width} ${height} 0802000000 00000000 00000000 49454e44 ae426082`);
const jpeg = (...segments: string[]) => hex(`ffd8 ${segments.join(' ')} ffda0002 11 ffd9`);
const webp = (type: string, body: string) => {
  const bytes = Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBP${type}\0\0\0\0`, 'latin1'), hex(body)]);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.writeUInt32LE(bytes.length - 20, 16);
  return bytes;
};
const frame = (marker: string) => `ff${marker} 000b 08 0102 0304 01 011100`;

const pictures: [what: string, bytes: Buffer, outcome: string][] = [
  ['PNG', png('00000102', '00000304'), '258 × 772 image/png'],
  ['PNG of the maximum size', png('00002710', '00002710'), '10000 × 10000 image/png'],
  ['PNG that is too wide', png('00002711', '00000001'), 'picture.too_many_pixels'],
  ['PNG that is too high', png('00000001', '00002711'), 'picture.too_many_pixels'],
  ['PNG without width', png('00000000', '00000001'), 'picture.size_unreadable'],
  ['PNG without height', png('00000001', '00000000'), 'picture.size_unreadable'],
  ['PNG without a header', png('00000102', '00000304', '49444154'), 'picture.size_unreadable'],
  ['PNG cut in its header', png('00000102', '00000304').subarray(0, 23), 'picture.size_unreadable'],
  ['PNG cut behind its size', png('00000102', '00000304').subarray(0, 24), 'picture.parts_unreadable'],
  ['GIF', Buffer.concat([Buffer.from('GIF89a'), hex('0201 0403')]), '258 × 772 image/gif'],
  ['GIF cut in its size', Buffer.concat([Buffer.from('GIF89a'), hex('0201 04')]), 'picture.size_unreadable'],
  ['JPEG', jpeg(frame('c0')), '772 × 258 image/jpeg'],
  [
    'JPEG with other segments first',
    jpeg('ffe00004aaaa', 'ffc40002', 'ffc80002', 'ffcc0002', frame('cf')),
    '772 × 258 image/jpeg',
  ],
  ['JPEG with fill bytes', jpeg('ff', frame('c2')), '772 × 258 image/jpeg'],
  ['JPEG without a frame', jpeg('ffe00004aaaa'), 'picture.size_unreadable'],
  ['JPEG with a segment of length 1', jpeg('ffe00001', frame('c0')), 'picture.size_unreadable'],
  ['JPEG with bytes between segments', jpeg('ffe00002', '00', frame('c0')), 'picture.size_unreadable'],
  ['JPEG cut in its frame', jpeg(frame('c0')).subarray(0, 10), 'picture.size_unreadable'],
  ['WebP, extended', webp('VP8X', '00000000 010100 020200 0000'), '258 × 515 image/webp'],
  ['WebP, lossy', webp('VP8 ', '000000 9d012a 0241 0382'), '258 × 515 image/webp'],
  ['WebP, lossless', webp('VP8L', '2f 0141 4010 0000 0000 00'), '258 × 258 image/webp'],
  ['WebP of another kind', webp('VP9 ', '00000000000000000000'), 'picture.size_unreadable'],
  ['WebP cut in its size', webp('VP8 ', '000000 9d012a 0241 03'), 'picture.size_unreadable'],
  ['SVG', Buffer.from('<svg>'), 'picture.svg'],
  ['text', Buffer.from('text'), 'picture.not_a_picture'],
];
for (const [what, bytes, outcome] of pictures)
  test(`${what}: ${outcome}`, () => {
    const picture = readPicture(bytes);
    assert.equal(
      'reason' in picture ? picture.reason.key : `${picture.width} × ${picture.height} ${picture.contentType}`,
      outcome,
    );
  });

test('the name is the hash of the stored bytes with the true extension, and a refusal names the member', () => {
  const picture = readPicture(Buffer.concat([Buffer.from('GIF89a'), hex('0100 0100')]));
  assert.equal('name' in picture && picture.name, 'fb6567d497606314a968515ebf9063dc.gif');
  const refused = readPicture(png('00002711', '00000001'), 'logo');
  assert.deepEqual('reason' in refused && refused.reason.values, {
    member: 'logo',
    width: 10001,
    height: 1,
    count: 10000,
  });
});
