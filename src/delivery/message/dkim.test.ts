// Signatures over a mixed corpus, checked by two other verifiers; which changes break one, and which must not.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { mailFor } from '../../../test/support/builders/mail.ts';
import { startPythonVerifier, verifyWithMailauth } from '../../../test/support/judges/dkim-verifiers.ts';
import { layouts } from '../../../test/support/samples/layouts.ts';
import { dkimRecordName, dkimRecordText, generateDkimKey } from '../../senders/domains/dkim-key.ts';
import { createSigner } from './dkim.ts';
import { coveredBy } from './dkim-head.ts';
import { relaxedBodyHash } from './relaxed-body.ts';

const rsa = await generateDkimKey('rsa-sha256');
const ed25519 = await generateDkimKey('ed25519-sha256');
const domain = 'news.example.com';
const rsaKey = { domain, selector: 'r1', privateKey: rsa.privateKey, algorithm: rsa.algorithm };
const edKey = { domain, selector: 'e1', privateKey: ed25519.privateKey, algorithm: ed25519.algorithm };
const records = {
  [dkimRecordName('r1', domain)]: dkimRecordText('rsa-sha256', rsa.publicKey),
  [dkimRecordName('e1', domain)]: dkimRecordText('ed25519-sha256', ed25519.publicKey),
};
const signer = createSigner([rsaKey, edKey]);
const python = startPythonVerifier();
after(() => python.verifier?.close());

const usualHead = [
  'From: "The Shop" <news@example.com>',
  'To: Ann <ann@example.org>',
  'Subject: News of the week',
  'Date: Thu, 01 Oct 2026 12:00:00 +0000',
  'Message-ID: <1@news.example.com>',
  'Reply-To: desk@example.com',
  'List-Id: Customers <b1.list.example.com>',
  'List-Unsubscribe: <https://news.example.com/u/token>,',
  ' <mailto:leave@example.com?subject=token>',
  'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  'Feedback-ID: a:b:campaign:example.com',
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
];
const lines = (list: string[]): Buffer => Buffer.from(list.map((line) => `${line}\r\n`).join(''));
const changed = (from: string, to: string): Buffer => {
  assert.ok(usualHead.includes(from));
  return lines(usualHead.map((line) => (line === from ? to : line)));
};

const heads: Record<string, Buffer> = {
  usual: lines(usualHead),
  'with the empty line': Buffer.concat([lines(usualHead), Buffer.from('\r\n')]),
  'From alone': lines(['From: a@example.com']),
  'names in other cases': lines(['FROM: a@example.com', 'sUbJeCt: x', 'message-id: <1@example.com>']),
  'no space after the colon': lines(['From:a@example.com', 'Subject:x']),
  'empty values': lines(['From: a@example.com', 'Subject:', 'Reply-To: ']),
  'space at ends and in runs': lines(['From:   a@example.com  ', 'Subject: \t a \t b \t ']),
  'folded with tabs and spaces': lines(['From: a@example.com', 'Subject: one', '\ttwo', '   three  ', '\t \t four']),
  'folded at once': lines(['From:', ' a@example.com', 'Subject:', '\tx']),
  'encoded words': changed('Subject: News of the week', 'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?= =?UTF-8?B?4oKs?='),
  'letters beyond ASCII': changed('Subject: News of the week', 'Subject: à Grüße 用户 😀 à'),
  'a no-break space at the end': changed('Subject: News of the week', 'Subject: x à\u00a0'),
  'a line of 998 characters': changed('Subject: News of the week', `Subject: ${'x'.repeat(989)}`),
  'two of a kind': lines([...usualHead, 'Reply-To: other@example.com', 'To: Bob <bob@example.org>', 'Subject: second']),
  'two From': lines(['From: a@example.com', 'To: x@example.org', 'From: b@example.com']),
  'fields that are not signed': lines([
    ...usualHead,
    'X-Other: x',
    'Received: from a by b;',
    '\tThu, 1 Oct 2026',
    'Precedence: bulk',
  ]),
  'a foreign signature field below': lines([...usualHead, 'X-Signature: v=1; a=b; b=x']),
  'a value with colons and quotes': changed('Subject: News of the week', 'Subject: a: b; c="d"; b=x h=y: z'),
};

const wide = `${'x'.repeat(990)}\r\n`;
const bodies: Record<string, Buffer> = {
  usual: Buffer.from('Hello Ann,\r\n\r\nthis is the news.\r\n'),
  empty: Buffer.from(''),
  'one line end': Buffer.from('\r\n'),
  'line ends only': Buffer.from('\r\n\r\n\r\n\r\n'),
  'space only': Buffer.from(' \t \r\n\t\r\n  '),
  'no line end': Buffer.from('Hello'),
  'no line end after space': Buffer.from('Hello \t'),
  'no line end after lines': Buffer.from('Hello\r\n\r\nAnn'),
  'empty lines at the end': Buffer.from('Hello\r\n\r\n\r\n\r\n'),
  'lines of space at the end': Buffer.from('Hello\r\n \r\n\t\r\n  \t \r\n'),
  'empty lines at the begin': Buffer.from('\r\n\r\n\r\nHello\r\n'),
  'space at the begin': Buffer.from('   Hello\r\n\tAnn\r\n'),
  'space in runs and at ends of lines': Buffer.from('a  b\t\tc \t d  \r\ne\t\r\n f \r\n'),
  'lines of dots': Buffer.from('.\r\n..\r\n...\r\n.\r\n'),
  'long lines': Buffer.from(wide.repeat(20)),
  'one line of 100 kB': Buffer.from(`${'word '.repeat(20_000)}\r\n`),
  'quoted-printable': Buffer.from('Gr=C3=BC=C3=9Fe =E2=82=AC=20\r\n=20=09=\r\n end=3D=\r\n'),
  'letters beyond ASCII': Buffer.from('Grüße à la carte 用户 😀\r\n à \r\n'),
  'Latin-1 bytes': Buffer.from('Gr\xfc\xdfe \xa0 \xe0\r\n', 'latin1'),
  'control characters': Buffer.from('a\x01\x1f\x7f\x0b\x0cb\r\n\x0c \r\n'),
  Base64: Buffer.from(`${'QUJD'.repeat(19)}\r\n`.repeat(50)),
  'several parts': Buffer.from(
    '--=_a_1\r\nContent-Type: text/plain\r\n\r\nHello\r\n--=_a_1\r\nContent-Type: text/html\r\n\r\n<p>  Hello</p>\r\n--=_a_1--\r\n',
  ),
  'a body of 1 MB': Buffer.from('  <td class=3D"a">\ttext  </td> \r\n'.repeat(31_000)),
};

async function verdicts(
  message: Buffer,
  signatures: number,
): Promise<{ mailauth: string[]; python: (boolean | string)[] }> {
  const mailauth = await verifyWithMailauth(message, records);
  const ours = python.verifier ? await python.verifier.verify(message, records, signatures) : [];
  return { mailauth, python: ours };
}

async function assertHolds(head: Buffer, body: Buffer, about: string): Promise<void> {
  const fields = await signer.sign(head, body);
  const message = received(fields, head, body);
  const { mailauth, python: second } = await verdicts(message, 2);
  // As a byte of a letter in UTF-8, 0xa0 is no space, but mailauth 4.13 takes it for one in a head.
  if (!head.includes(0xa0)) assert.deepEqual(mailauth, ['pass', 'pass'], about);
  if (python.verifier) assert.deepEqual(second, [true, true], about);
}

/** The message as a receiver has it: SMTP ends the last line. */
function received(fields: string, head: Buffer, body: Buffer): Buffer {
  const emptyLine = head.toString().endsWith('\r\n\r\n') ? '' : '\r\n';
  const lineEnd = body.length === 0 || body.toString('latin1').endsWith('\r\n') ? '' : '\r\n';
  return Buffer.concat([Buffer.from(fields), head, Buffer.from(emptyLine), body, Buffer.from(lineEnd)]);
}

test('two verifiers accept both signatures of every head', async (t) => {
  if (!python.verifier) t.diagnostic(`second verifier left out: ${python.reason}`);
  for (const [name, head] of Object.entries(heads)) await assertHolds(head, bodies['usual']!, name);
});

test('two verifiers accept both signatures of every body', async () => {
  for (const [name, body] of Object.entries(bodies)) await assertHolds(heads['usual']!, body, name);
});

test('two verifiers accept both signatures of any head and body', async () => {
  const word = fc.stringMatching(/^[a-zA-Z0-9 \t=.à<>"-]{0,60}$/);
  const texts = fc.array(word, { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(texts, texts, fc.boolean(), async (values, rows, closed) => {
      const folded = values.map((value) => value.replace(/^[ \t]*$/, 'x')).join('\r\n ');
      const head = lines(['From: a@example.com', `Subject: x${folded}`, 'To: b@example.org']);
      await assertHolds(head, Buffer.from(rows.join('\r\n') + (closed ? '\r\n' : '')), 'generated');
    }),
    { numRuns: 60 },
  );
});

test('two verifiers accept both signatures of every campaign rendered from every layout', async () => {
  for (const { name, html } of layouts) {
    const mail = mailFor({ html, subject: 'Grüße an *|FNAME|*' }, { values: { FNAME: 'Zoë  \t Müller' } });
    const end = mail.indexOf('\r\n\r\n') + 4;
    await assertHolds(mail.subarray(0, end), mail.subarray(end), name);
  }
});

const signedOf = async (head = heads['usual']!, body = bodies['usual']!): Promise<string> =>
  (await signer.sign(head, body)) + head.toString() + '\r\n' + body.toString();

test('a change of anything that is signed breaks both signatures for both verifiers', async () => {
  const message = await signedOf();
  const changes: [string, string][] = [
    ['news@example.com', 'news@example.net'],
    ['ann@example.org', 'bob@example.org'],
    ['News of the week', 'News of the weeks'],
    ['12:00:00 +0000', '12:00:01 +0000'],
    ['<1@news.example.com>', '<2@news.example.com>'],
    ['desk@example.com', 'dusk@example.com'],
    ['b1.list.example.com', 'b2.list.example.com'],
    ['/u/token>', '/u/taken>'],
    ['subject=token', 'subject=taken'],
    ['=One-Click', '=Two-Click'],
    ['a:b:campaign', 'a:c:campaign'],
    ['MIME-Version: 1.0', 'MIME-Version: 1.1'],
    ['charset=utf-8', 'charset=utf-7'],
    ['quoted-printable', 'base64'],
    ['this is the news', 'this was the news'],
    ['Hello Ann,\r\n\r\n', 'Hello Ann,\r\n'],
    ['From: ', 'From: evil@example.net\r\nFrom: '],
    ['MIME-Version: 1.0\r\n', 'MIME-Version: 1.0\r\nFrom: evil@example.net\r\n'],
    ['MIME-Version: 1.0\r\n', ''],
    ...[
      'Subject: Other',
      'To: bob@example.org',
      'Reply-To: evil@example.net',
      'Date: Thu, 1 Oct 2026 13:00:00 +0000',
      'Content-Type: text/plain',
      'List-Unsubscribe: <https://evil.example/>',
    ].map((added): [string, string] => ['From: ', `${added}\r\nFrom: `]),
  ];
  for (const [from, to] of changes) {
    assert.ok(message.includes(from), from);
    const broken = Buffer.from(message.replace(from, to));
    const { mailauth, python: second } = await verdicts(broken, 2);
    assert.ok(mailauth.length === 2 && mailauth.every((result) => !result.startsWith('pass')), `${from} ${mailauth}`);
    assert.ok(
      second.every((result) => result !== true),
      from,
    );
  }
});

test('white space that servers on the way change does not break signatures', async () => {
  const message = await signedOf();
  const changes: [string, string][] = [
    ['News of the week', 'News  of\tthe\r\n week '],
    ['token>,\r\n <mailto', 'token>, <mailto'],
    ['Subject: ', 'SUBJECT:'],
    ['this is the news.', 'this  is the\tnews. \t'],
    ['the news.\r\n', 'the news.\r\n\r\n\r\n'],
    ['From: ', 'X-Relay: another\r\nFrom: '],
    ['DKIM-Signature: ', 'Received: from a by b;\r\n\tThu, 1 Oct 2026\r\nDKIM-Signature: '],
  ];
  for (const [from, to] of changes) {
    assert.ok(message.includes(from), from);
    const { mailauth, python: second } = await verdicts(Buffer.from(message.replace(from, to)), 2);
    assert.deepEqual(mailauth, ['pass', 'pass'], from);
    if (python.verifier) assert.deepEqual(second, [true, true], from);
  }
});

test('the field lists the signed headers, those a receiver shows or acts upon once more than present, in lines of at most 78', async () => {
  const fields = await signer.sign(heads['usual']!, bodies['usual']!, new Date('2026-10-01T12:00:00.900Z'));
  const [first, second] = fields.split(/(?=DKIM-Signature:)/);
  assert.match(
    first!,
    /^DKIM-Signature: v=1; a=rsa-sha256; c=relaxed\/relaxed; d=news\.example\.com;\r\n s=r1; t=1790856000;\r\n/,
  );
  assert.match(
    second!,
    /^DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed\/relaxed; d=news\.example\.com;\r\n s=e1; t=/,
  );
  const names = /h=([^;]+);/.exec(first!)![1]!.replace(/\s/g, '').split(':');
  assert.deepEqual(names, [
    ...['From', 'From', 'Reply-To', 'Reply-To', 'To', 'To', 'Subject', 'Subject', 'Date', 'Date'],
    ...['Message-ID', 'Message-ID', 'MIME-Version', 'MIME-Version', 'Content-Type', 'Content-Type'],
    ...['Content-Transfer-Encoding', 'Content-Transfer-Encoding', 'List-Id', 'List-Unsubscribe', 'List-Unsubscribe'],
    ...['List-Unsubscribe-Post', 'List-Unsubscribe-Post', 'Feedback-ID'],
  ]);
  assert.ok(fields.endsWith('\r\n') && !fields.endsWith('\r\n\r\n'));
  for (const line of fields.slice(0, -2).split('\r\n')) {
    assert.ok(line.length <= 78 && /^(DKIM-Signature: | )[ -~]+$/.test(line), line);
  }
});

test('body hashes are the ones that RFC 6376 gives for empty and short bodies', () => {
  // RFC 6376 3.4.4 for the empty body; 3.4.5 for its example.
  assert.equal(relaxedBodyHash(Buffer.from('')), '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=');
  assert.equal(relaxedBodyHash(Buffer.from('\r\n\r\n')), '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=');
  const relaxed = relaxedBodyHash(Buffer.from(' C\r\nD E\r\n'));
  assert.equal(relaxedBodyHash(Buffer.from(' C \r\nD \t E\r\n\r\n\r\n')), relaxed);
  assert.notEqual(relaxedBodyHash(Buffer.from('C\r\nD E\r\n')), relaxed);
});

test('a bare CR or LF anywhere, or an invalid head, is refused', async () => {
  const head = heads['usual']!;
  for (const body of ['a\rb', 'a\nb', '\n', '\r', 'a\r\r\nb', 'a\n\r', 'a\r\n\n', 'a\r']) {
    await assert.rejects(signer.sign(head, Buffer.from(body)), /bare/, JSON.stringify(body));
  }
  for (const bad of [
    'From: a@b.c\n',
    'From: a@b.c\rBcc: x\r\n',
    'From: a@b.c\r\nSubject: a\nb\r\n',
    'From: a@b.c\r\n\r',
  ]) {
    await assert.rejects(signer.sign(Buffer.from(bad), Buffer.from('')), /bare/, JSON.stringify(bad));
  }
  for (const bad of [
    '',
    '\r\n',
    'From a@b.c\r\n',
    ' From: a@b.c\r\n',
    'From: a@b.c\r\n\r\nbody: x\r\n',
    'To: a@b.c\r\n',
  ]) {
    await assert.rejects(signer.sign(Buffer.from(bad), Buffer.from('')), /no field|without From/, JSON.stringify(bad));
  }
});

test('unusable keys, domains and selectors are refused before any message', () => {
  for (const bad of [
    '',
    'localhost',
    'a b.com',
    'a.com; b=x',
    'a.com\r\nX: y',
    '-a.com',
    `${'a'.repeat(64)}.com`,
    'bücher.de',
  ]) {
    assert.throws(() => createSigner([{ ...rsaKey, domain: bad }]), /not a domain/, bad);
  }
  for (const bad of ['', 'a b', 'a;b', 'a\r\nb', '-a', 'a.', 'a'.repeat(64), 'a_b']) {
    assert.throws(() => createSigner([{ ...rsaKey, selector: bad }]), /not a selector/, bad);
  }
  assert.throws(() => createSigner([{ ...rsaKey, algorithm: 'ed25519-sha256' }]), /type ed25519/);
  assert.throws(() => createSigner([{ ...edKey, algorithm: 'rsa-sha256' }]), /type rsa/);
  const short = generateKeyPairSync('rsa', { modulusLength: 512 }).privateKey;
  assert.throws(() => createSigner([{ ...rsaKey, privateKey: short }]), /1024 bits/);
  assert.throws(() => createSigner([{ ...rsaKey, privateKey: 'no key' }]));
});

test('domains of 253 and selectors of 63 characters are the longest', () => {
  const labels = (count: number, last: number) => `${`${'a'.repeat(61)}.`.repeat(count)}${'a'.repeat(last)}`;
  createSigner([{ ...rsaKey, domain: labels(4, 5) }]);
  assert.throws(() => createSigner([{ ...rsaKey, domain: labels(4, 6) }]), /not a domain/);
  createSigner([{ ...rsaKey, selector: 'a'.repeat(63) }]);
  createSigner([{ ...rsaKey, domain: 'News.Example.com', selector: 'S1' }]);
  assert.throws(() => createSigner([{ ...rsaKey, selector: `${'a'.repeat(31)}.${'a'.repeat(32)}` }]), /not a selector/);
});

test('the room that a caller keeps for the fields is enough, and none without keys', async () => {
  for (const keys of [[], [rsaKey], [edKey], [rsaKey, edKey]]) {
    const { room, sign } = createSigner(keys);
    const { length } = await sign(heads['usual']!, bodies['usual']!);
    assert.ok(length <= room, `${length} of ${room}`);
  }
  assert.equal(createSigner([]).room, 0);
});

test('without keys nothing is added', async () => {
  assert.equal(await createSigner([]).sign(heads['usual']!, bodies['usual']!), '');
});

test('signing many messages at once leaves each its own signature', async () => {
  const messages = Array.from({ length: 50 }, (_, i) => Buffer.from(`Message ${i}\r\n`));
  const signed = await Promise.all(messages.map((body) => signer.sign(heads['usual']!, body)));
  for (const [i, fields] of signed.entries()) {
    const message = received(fields, heads['usual']!, messages[i]!);
    assert.deepEqual(await verifyWithMailauth(message, records), ['pass', 'pass']);
  }
});

test('the first field of a head is covered like the others, with the empty line at the end or without', () => {
  const lines = 'From: a@example.com\r\nSubject: News\r\nX-Other: 1\r\n';
  for (const head of [lines, `${lines}\r\n`])
    assert.deepEqual(coveredBy(Buffer.from(head)).fields.split('\r\n').filter(Boolean), [
      'from:a@example.com',
      'subject:News',
    ]);
});
