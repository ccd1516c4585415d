import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mediaTypeOf } from './media-types.ts';

test('the type of a file follows from its name', () => {
  for (const [name, type] of [
    ['offer.pdf', 'application/pdf'],
    ['OFFER.PDF ', 'application/pdf'],
    ['meeting.ics', 'text/calendar'],
    ['note.txt', 'text/plain'],
    ['list.csv', 'text/csv'],
    ['card.vcf', 'text/vcard'],
    ['a.b.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['picture.JPEG', 'image/jpeg'],
    ['archive.tar.gz', 'application/gzip'],
    ['README', 'application/octet-stream'],
    ['a.constructor', 'application/octet-stream'],
    ['a.exe', 'application/octet-stream'],
    ['.pdf', 'application/pdf'],
    ['', 'application/octet-stream'],
  ] as const)
    assert.equal(mediaTypeOf(name, Buffer.from('a')), type, name);
});

test('programs that open attachments get the registered type of each usual extension', () => {
  const types: Record<string, string> = {
    'application/pdf': 'pdf',
    'application/rtf': 'rtf',
    'application/postscript': 'ps',
    'application/epub+zip': 'epub',
    'text/plain': 'txt text log',
    'text/markdown': 'md',
    'text/csv': 'csv',
    'text/tab-separated-values': 'tsv',
    'text/calendar': 'ics ical',
    'text/vcard': 'vcf vcard',
    'text/html': 'html htm',
    'text/css': 'css',
    'application/xml': 'xml',
    'application/json': 'json',
    'application/msword': 'doc',
    'application/vnd.ms-excel': 'xls',
    'application/vnd.ms-powerpoint': 'ppt',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
    'application/vnd.oasis.opendocument.text': 'odt',
    'application/vnd.oasis.opendocument.spreadsheet': 'ods',
    'application/vnd.oasis.opendocument.presentation': 'odp',
    'image/png': 'png',
    'image/jpeg': 'jpg jpeg',
    'image/gif': 'gif',
    'image/webp': 'webp',
    'image/svg+xml': 'svg',
    'image/tiff': 'tif tiff',
    'image/bmp': 'bmp',
    'image/vnd.microsoft.icon': 'ico',
    'image/heic': 'heic',
    'image/avif': 'avif',
    'audio/mpeg': 'mp3',
    'audio/mp4': 'm4a',
    'audio/wav': 'wav',
    'audio/ogg': 'ogg',
    'audio/flac': 'flac',
    'video/mp4': 'mp4',
    'video/quicktime': 'mov',
    'video/webm': 'webm',
    'video/mpeg': 'mpg mpeg',
    'application/zip': 'zip',
    'application/gzip': 'gz tgz',
    'application/x-tar': 'tar',
    'application/x-7z-compressed': '7z',
    'application/vnd.apple.pkpass': 'pkpass',
    'application/pkcs7-signature': 'p7s',
    'application/pgp-signature': 'asc',
  };
  for (const [type, extensions] of Object.entries(types))
    for (const extension of extensions.split(' '))
      assert.equal(mediaTypeOf(`file.${extension}`, Buffer.from('a')), type, extension);
});

test('text in UTF-8 says so, and text in another encoding does not', () => {
  assert.equal(mediaTypeOf('a.txt', Buffer.from('Grüße')), 'text/plain; charset=utf-8');
  assert.equal(mediaTypeOf('a.txt', Buffer.from('Grüße', 'latin1')), 'text/plain');
  assert.equal(mediaTypeOf('a.pdf', Buffer.from('Grüße')), 'application/pdf');
});
