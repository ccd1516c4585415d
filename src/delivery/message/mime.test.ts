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

test('the name of an attachment has no signs that end it, and is divided and encoded where it is long or foreign', () => {
  const named = (name: string) => {
    const attachment = { name, contentType: 'text/csv', bytes: Buffer.from('x') };
    const { body } = frame(['text'], null, [], 'seed', [attachment]);
    const raw = body.map((part) => ('raw' in part ? part.raw : '')).join('');
    return /Content-Disposition: attachment;\r\n(.*?)\r\n\r\n/s.exec(raw)![1]!.split('\r\n');
  };
  assert.deepEqual(named('a"b/c\\d\r\ne.csv'), [' filename="a_b_c_d__e.csv"']);
  assert.deepEqual(named('x'.repeat(60)), [` filename="${'x'.repeat(60)}"`]);
  assert.deepEqual(named("Größe (it's).csv"), [" filename*0*=UTF-8''Gr%C3%B6%C3%9Fe%20%28it%27s%29.csv"]);
  const x20 = 'x'.repeat(20);
  assert.deepEqual(named('x'.repeat(61)), [
    ` filename*0*=UTF-8''${x20};`,
    ` filename*1*=${x20};`,
    ` filename*2*=${x20};`,
    ' filename*3*=x',
  ]);
});
