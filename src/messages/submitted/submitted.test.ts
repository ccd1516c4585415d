// What PHP's mail(), devices and old programs submit: raw letters in the head and endless lines, as servers take and programs read it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import PostalMime from 'postal-mime';
import { asciiFields, type Field, hasLongLine } from './ascii-head.ts';
import { withShortLines } from './short-lines.ts';

const latin1 = (text: string, charset: 'utf8' | 'latin1' = 'utf8') => Buffer.from(text, charset).toString('latin1');

/** The message as it is sent on; checks what every server takes. */
function sent(head: string, body = 'Hello\r\n') {
  const { fields, body: short } = withShortLines({ fields: asciiFields(head), body });
  const text = `${fields.map(({ text }: Field) => `${text}\r\n`).join('')}\r\n${short}`;
  assert.match(text.split('\r\n\r\n', 1)[0]!, /^[\t\r\n -~]*$/);
  assert.ok(
    text.split('\r\n').every((line) => line.length <= 998),
    'no long line',
  );
  assert.doesNotMatch(text, /[^\r]\n|\r[^\n]/);
  return text;
}
const read = (text: string) => PostalMime.parse(Buffer.from(text, 'latin1'));

test('raw UTF-8 in the subject and in names becomes encoded words', async () => {
  const text = sent(
    latin1(
      'From: Jürgen Müller <owner@example.com>\r\nTo: "Weiß, Ümit" <a@example.net>, Żółw <b@bücher.example>, c@example.net\r\nSubject: Grüße aus Köln – 你好 🎉\r\nX-Note: naïve\r\nDate: Thu, 26 Nov 2026 10:00:00 +0000',
    ),
  );
  const mail = await read(text);
  assert.equal(mail.subject, 'Grüße aus Köln – 你好 🎉');
  assert.deepEqual([mail.from?.name, mail.from?.address], ['Jürgen Müller', 'owner@example.com']);
  assert.deepEqual(
    mail.to?.map(({ name, address }) => [name, address]),
    [
      ['Weiß, Ümit', 'a@example.net'],
      ['Żółw', 'b@xn--bcher-kva.example'],
      ['', 'c@example.net'],
    ],
  );
  assert.match(text, /\r\nDate: Thu, 26 Nov 2026 10:00:00 \+0000\r\n/);
});

test('raw windows-1252, raw letters beside encoded words, and folded fields', async () => {
  assert.equal((await read(sent(latin1('Subject: Caf\xe9 f\xfcr alle', 'latin1')))).subject, 'Café für alle');
  assert.equal((await read(sent(latin1('Subject: =?UTF-8?Q?Caf=C3=A9?= für alle')))).subject, 'Café für alle');
  assert.equal((await read(sent(latin1('Subject: eins\r\n zwei\r\n\tdreißig')))).subject, 'eins zwei dreißig');
});

test('raw letters in the name of a file become a parameter of RFC 2231', async () => {
  const part = latin1(
    'Content-Type: application/pdf; name="Übersicht (neu).pdf"\r\nContent-Disposition: attachment; filename=Übersicht.pdf',
  );
  const text = sent(`MIME-Version: 1.0\r\n${part}`);
  assert.match(text, /name\*=UTF-8''%C3%9Cbersicht%20%28neu%29\.pdf/);
  assert.equal((await read(text)).attachments[0]?.filename, 'Übersicht.pdf');
});

test('ASCII fields stay byte for byte, whatever their form', () => {
  const head = 'From:owner@example.com\r\nSUBJECT :  two  blanks\r\nTo: a@example.net,\r\n\tb@example.net\r\nX-Empty:';
  assert.equal(sent(head).split('\r\n\r\n', 1)[0], head);
});

test('control characters, and addresses that cannot be ASCII, are still refused', () => {
  for (const head of [
    'Subject: ü\x07',
    'Subject: a\0b',
    'To: jürgen@example.net',
    'From: ü@example.com',
    'no field',
    'Sübject: x',
  ])
    assert.throws(() => sent(latin1(head)), { fault: 'CONTENT_INVALID' }, head);
});

test('long fields are folded', async () => {
  const words = Array.from({ length: 400 }, (_, n) => `word${n}`).join(' ');
  assert.equal((await read(sent(`Subject: ${words}`))).subject, words);
  assert.equal((await read(sent(`Subject: ${'x'.repeat(1_500)}`))).subject, 'x'.repeat(1_500));
  const people = Array.from({ length: 100 }, (_, n) => `Reader ${n} <r${n}@example.net>`);
  assert.equal((await read(sent(`To: ${people.join(', ')}`))).to?.length, 100);
  const ids = Array.from({ length: 60 }, (_, n) => `<${n}.abcdefghij@example.net>`).join(' ');
  assert.equal((await read(sent(`References: ${ids}`))).references?.replace(/\s+/g, ' '), ids);
});

const long = `${'Grüße '.repeat(1_500)}Ende.`;

for (const [name, head, charset] of [
  ['with its type', 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit', 'utf8'],
  ['as HTML', 'MIME-Version: 1.0\r\nContent-Type: text/html; charset="UTF-8"', 'utf8'],
  ['of one byte a letter', 'Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: 7bit', 'latin1'],
  ['without a type', 'Subject: x', 'utf8'],
  ['without a type, windows-1252', 'Subject: x', 'latin1'],
] as const)
  test(`a text ${name} with a long line is read as before`, async () => {
    const body = `first = line \r\n${long}\t\r\n.\r\n--\r\nlast`;
    const mail = await read(sent(head, latin1(`${body}\r\n`, charset)));
    assert.equal((mail.text ?? mail.html)!.trimEnd(), body.replaceAll('\r\n', '\n'));
  });

test('an endless line of letters without blanks, and one at each length around the limit', async () => {
  for (const length of [997, 998, 999, 1_000, 5_000, 200_000]) {
    const body = 'é='.repeat(length / 2);
    const mail = await read(sent('Content-Type: text/plain; charset=utf-8', latin1(`${body}\r\n`)));
    assert.equal(mail.text?.trimEnd(), body);
  }
});

test('only the part with the long line is encoded', async () => {
  const image = Buffer.from(Array.from({ length: 5_000 }, (_, n) => n % 251));
  const body = [
    'preamble',
    '--b',
    'Content-Type: multipart/alternative; boundary="in ner"',
    '',
    '--in ner',
    'Content-Type: text/plain',
    '',
    'short',
    '--in ner',
    latin1('Content-Type: text/html; charset=utf-8; x="ü"'),
    'Content-Transfer-Encoding: 8bit',
    '',
    latin1(`<p>${long}</p>`),
    '--in ner--',
    '',
    '--b',
    'Content-Type: image/png; name=a.png',
    'Content-Transfer-Encoding: base64',
    '',
    image.toString('base64'),
    '--b',
    'Content-Type: message/rfc822',
    '',
    'Subject: inner',
    '',
    'y'.repeat(3_000),
    '--b--',
    'z'.repeat(2_000),
  ].join('\r\n');
  const text = sent('MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b', body);
  assert.match(text, /Content-Type: text\/plain\r\n\r\nshort\r\n--in ner\r\n/);
  const mail = await read(text);
  assert.ok(mail.html?.startsWith(`<p>${long}</p>`));
  assert.deepEqual(Buffer.from(mail.attachments[0]!.content as ArrayBuffer), image);
  assert.match(
    text,
    /Subject: inner\r\nContent-Type: text\/plain; charset=us-ascii\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\ny{75}=\r\n/,
  );
});

test('quoted-printable and other files with long lines', async () => {
  const quoted = await read(
    sent(
      'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable',
      `${'=C3=A9'.repeat(400)}\r\n`,
    ),
  );
  assert.equal(quoted.text?.trimEnd(), 'é'.repeat(400));
  const file = await read(
    sent(
      'Content-Type: application/json; name=x.json\r\nContent-Disposition: attachment',
      `{"x":"${'y'.repeat(3_000)}"}\r\n`,
    ),
  );
  assert.equal(Buffer.from(file.attachments[0]!.content as ArrayBuffer).toString(), `{"x":"${'y'.repeat(3_000)}"}\r\n`);
});

test('a signed part with a long line, and one without its boundary, are refused', () => {
  for (const type of ['multipart/signed; boundary=b', 'multipart/mixed; boundary=other', 'multipart/mixed'])
    assert.throws(() => sent(`Content-Type: ${type}`, `--b\r\n\r\n${'x'.repeat(1_000)}\r\n--b--\r\n`), {
      fault: 'CONTENT_INVALID',
    });
});

const textsOf = (head: string) => asciiFields(latin1(head)).map(({ text }) => text);

test('a line may have 998 characters, folded ones each', () => {
  assert.deepEqual(textsOf(`X-Long: ${'x'.repeat(990)}`), [`X-Long: ${'x'.repeat(990)}`]);
  assert.deepEqual(textsOf(`X: ${'x'.repeat(990)}\r\n ${'y'.repeat(997)}`), [
    `X: ${'x'.repeat(990)}\r\n ${'y'.repeat(997)}`,
  ]);
  assert.deepEqual(textsOf(`X: ${'x'.repeat(500)} ${'y'.repeat(500)}`), [
    `X: ${'x'.repeat(500)}\r\n ${'y'.repeat(500)}`,
  ]);
  assert.throws(() => textsOf(`Message-ID: <${'x'.repeat(1_000)}@a.example>\r\nX\x01: y`), {
    fault: 'CONTENT_INVALID',
  });
  const long = textsOf(`Subject: ${'x'.repeat(1_200)}`)[0]!;
  assert.ok(long.split('\r\n').every((line) => line.length <= 998));
});

test('a line that is no field is refused with its first 60 characters', () => {
  assert.throws(
    () => textsOf(`Subject: x\r\n${'y'.repeat(61)}`),
    (error: Error) => error.message.includes('y'.repeat(60)) && !error.message.includes('y'.repeat(61)),
  );
  assert.throws(() => textsOf(' folded: without a field'), { fault: 'CONTENT_INVALID' });
});

test('a value with a control character is not rewritten but refused', () => {
  assert.throws(() => textsOf('Subject: Grüße\x00'), { fault: 'CONTENT_INVALID' });
  assert.deepEqual(textsOf('Subject:\tGrüße')[0]!.startsWith('Subject: =?'), true);
});

test('a quoted name of a file keeps its quotation marks, and other parameters stay', () => {
  assert.deepEqual(textsOf('Content-Disposition: attachment; filename="a\\"ü.pdf"; size=3'), [
    "Content-Disposition: attachment; filename*=UTF-8''a%22%C3%BC.pdf; size=3",
  ]);
  assert.deepEqual(textsOf('Content-Type: text/plain; charset=utf-8; x=ü (é)'), [
    "Content-Type: text/plain; charset=utf-8; x*=UTF-8''%C3%BC (?)",
  ]);
});

test('a line is long from 999 characters on, wherever it is', () => {
  const line = 'x'.repeat(998);
  for (const text of ['', line, `${line}\r\n`, `\r\n${line}\r\n${line}`]) assert.equal(hasLongLine(text), false);
  for (const text of [`${line}x`, `\r\n${line}x`, `a\r\n${line}x\r\n`, `${line}x\r\nb`])
    assert.equal(hasLongLine(text), true);
});

test('a body is encoded by its type, also where no blank is behind the colon', () => {
  const short = (type: string, body: string) =>
    withShortLines({ fields: type === '' ? [] : [{ name: 'content-type', text: `Content-Type:${type}` }], body });
  const encodingOf = (fields: Field[]) => fields.find(({ name }) => name === 'content-transfer-encoding')?.text;
  const long = `${'a=b '.repeat(400)}\r\n`;
  const text = short('text/html; charset=utf-8', long);
  assert.equal(encodingOf(text.fields), 'Content-Transfer-Encoding: quoted-printable');
  assert.ok(text.body.split('\r\n').every((line) => line.length <= 76));
  assert.equal(text.body.replace(/=\r\n/g, '').replace(/=3D/g, '=').replace(/=20/g, ' '), long);
  const other = short('application/json', long);
  assert.equal(encodingOf(other.fields), 'Content-Transfer-Encoding: base64');
  assert.ok(other.body.split('\r\n').every((line) => line.length <= 76));
  assert.equal(Buffer.from(other.body, 'base64').toString(), long);
  assert.deepEqual(
    short('', `${'ü'.repeat(600)}`.replace(/ü/g, '\xc3\xbc')).fields.map(({ text: field }) => field),
    ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: quoted-printable'],
  );
});
