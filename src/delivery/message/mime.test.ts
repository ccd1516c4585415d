// The frame of a message, line by line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frame, type InlineImage } from './mime.ts';

/** The whole message; text that is still to be encoded is in braces. */
function written(...[plain, html, images = []]: [plain: string | null, html: string | null, images?: InlineImage[]]) {
  const { headers, body } = frame(plain === null ? null : [plain], html === null ? null : [html], images, 'seed');
  return `${headers}\r\n${body.map((part) => ('raw' in part ? part.raw : `{${part.pieces.join('')}}`)).join('')}`;
}
const lines = (...list: string[]) => list.join('\r\n');
const leaf = (type: string) => [
  `Content-Type: ${type}; charset=utf-8`,
  'Content-Transfer-Encoding: quoted-printable',
  '',
];

test('a message of one part, or of none, ends with a line break', () => {
  assert.equal(written('text', null), lines(...leaf('text/plain'), '{text}', ''));
  assert.equal(written(null, 'page'), lines(...leaf('text/html'), '{page}', ''));
  assert.equal(written(null, null), lines(...leaf('text/plain'), '{}', ''));
});

test('the plain text comes before the HTML', () => {
  assert.equal(
    written('text', 'page'),
    lines(
      ...['Content-Type: multipart/alternative;', ' boundary="=_a_seed"', ''],
      ...[
        '--=_a_seed',
        ...leaf('text/plain'),
        '{text}',
        '--=_a_seed',
        ...leaf('text/html'),
        '{page}',
        '--=_a_seed--',
        '',
      ],
    ),
  );
});

test('pictures follow the HTML, with a safe id and type, in Base64 lines of 76 characters', () => {
  const images = [
    { cid: 'a<b>\r\n@x', contentType: 'image/png', bytes: new Uint8Array(58) },
    { cid: 'c', contentType: 'text/html', bytes: Buffer.from('xyz').subarray(1) },
  ];
  const picture = (type: string, id: string) => [
    ...[`Content-Type: ${type}`, 'Content-Transfer-Encoding: base64'],
    ...[`Content-ID: <${id}>`, 'Content-Disposition: inline', ''],
  ];
  assert.equal(
    written(null, 'page', images),
    lines(
      ...['Content-Type: multipart/related; type="text/html";', ' boundary="=_r_seed"', ''],
      ...['--=_r_seed', ...leaf('text/html'), '{page}', '--=_r_seed', ...picture('image/png', 'ab@x')],
      ...[
        'A'.repeat(76),
        'AA==',
        '--=_r_seed',
        ...picture('application/octet-stream', 'c'),
        'eXo=',
        '--=_r_seed--',
        '',
        '',
      ],
    ),
  );
});
