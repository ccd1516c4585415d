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

test('text in UTF-8 says so, and text in another encoding does not', () => {
  assert.equal(mediaTypeOf('a.txt', Buffer.from('Grüße')), 'text/plain; charset=utf-8');
  assert.equal(mediaTypeOf('a.txt', Buffer.from('Grüße', 'latin1')), 'text/plain');
  assert.equal(mediaTypeOf('a.pdf', Buffer.from('Grüße')), 'application/pdf');
});
