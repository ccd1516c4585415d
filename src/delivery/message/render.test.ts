// Rendered messages are checked line by line, and read back by two other parsers, postal-mime and Python's email
// module, and compared with the input.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { content, mailFor, mailOf, maker, recipient } from '../../../test/support/builders/mail.ts';
import { injections } from '../../../test/support/samples/injections.ts';
import { layouts } from '../../../test/support/samples/layouts.ts';
import { compile } from '../../campaigns/compile/compile.ts';
import { asMailed, line } from '../../campaigns/compile/fill.ts';
import { textFromHtml } from '../../campaigns/content/plain-text.ts';
import type { CampaignContent, Compiled } from '../../campaigns/markup/compiled.ts';
import { type Envelope, prepare } from './render.ts';

/** Line ends are CRLF in a message whatever the author's were; parsers give LF. */
const lines = (text: string) => text.replace(/\r\n?/g, '\n');

/** The rules for every line of a message, whatever is in it. */
function assertLegal(mail: Buffer, name = ''): void {
  const text = mail.toString('latin1');
  assert.ok(text.endsWith('\r\n'), `${name}: ends with a line end`);
  for (const line of text.split('\r\n')) {
    assert.ok(line.length <= 998, `${name}: ${line.length} octets in a line`);
    assert.match(line, /^[\t -~]*$/, `${name}: printable ASCII, no bare CR or LF`);
    assert.doesNotMatch(line, /^\./, `${name}: no dot at the start of a line`);
    assert.doesNotMatch(line, /^From /, `${name}: no From at the start of a line`);
  }
  const bodyAt = text.indexOf('\r\n\r\n') + 4;
  for (const line of text.slice(bodyAt).split('\r\n')) {
    assert.ok(line.length <= 76, `${name}: ${line.length} octets in a line of the body`);
    assert.doesNotMatch(line, /[ \t]$/, `${name}: no blank at the end of a line`);
  }
}

/** Each boundary stands only where a part begins or ends. */
function assertBoundaries(mail: Buffer, name = ''): void {
  const text = mail.toString('latin1');
  for (const [, boundary] of text.matchAll(/boundary="([^"]+)"/g)) {
    const used = text.split('\r\n').filter((line) => line.includes(boundary!));
    assert.ok(used.length >= 4, name);
    for (const line of used) {
      assert.ok([` boundary="${boundary}"`, `--${boundary}`, `--${boundary}--`].includes(line), `${name}: ${line}`);
    }
  }
}

type Case = { name: string; mail: Buffer; expected: { subject: string; toName: string; html: string; text: string } };

function caseOf(name: string, overrides: Partial<CampaignContent>, to: Envelope = recipient()): Case {
  const compiled = compile(content(overrides));
  const parts = asMailed(compiled, to, to.at, to.tokens);
  const fill = { recipient: to, at: to.at };
  return {
    name,
    mail: mailOf(prepare(compiled).render(to)),
    expected: {
      subject: line(compiled, compiled.subject, fill),
      toName: line(compiled, compiled.toName, fill),
      html: lines(parts.html ?? ''),
      text: lines(parts.plain ?? ''),
    },
  };
}

const cases: Case[] = [
  ...layouts.map(({ name, html }) => caseOf(name, { html, plain: textFromHtml(html) })),
  ...injections.map((text) =>
    caseOf(
      text,
      { html: `<p>*|FNAME|*</p>${text}`, plain: `${text} *|FNAME|*`, subject: text },
      recipient({ values: { FNAME: text } }),
    ),
  ),
];

test('every page of the corpus becomes a valid message, whose boundaries occur nowhere else', () => {
  for (const { name, mail } of cases) {
    assertLegal(mail, name);
    assertBoundaries(mail, name);
  }
});

test('postal-mime reads text, HTML, subject and name of every case unchanged', async () => {
  for (const { name, mail, expected } of cases) {
    const parsed = await PostalMime.parse(mail);
    // The line end before a boundary belongs to the boundary; the parser leaves it in the part.
    assert.equal(withoutLastLineEnd(lines(parsed.html ?? '')), expected.html, name);
    assert.equal(withoutLastLineEnd(lines(parsed.text ?? '')), expected.text, name);
    assert.equal(parsed.subject, expected.subject, name);
    assert.equal(parsed.to?.[0]?.name, expected.toName, name);
    assert.equal(parsed.to?.[0]?.address, 'joe@reader.example', name);
    assert.equal(parsed.from?.address, 'news@shop.example', name);
  }
});

const withoutLastLineEnd = (text: string) => (text.endsWith('\n') ? text.slice(0, -1) : text);

const pythonReader = `
import sys, json, base64, email, email.policy
answers = []
for coded in json.load(sys.stdin):
    m = email.message_from_bytes(base64.b64decode(coded), policy=email.policy.default)
    part = lambda kind: next((p.get_payload(decode=True).decode(p.get_content_charset()) for p in m.walk() if p.get_content_type() == kind), None)
    answers.append({'html': part('text/html'), 'text': part('text/plain'), 'subject': m['subject'], 'names': list(m.keys()),
      'to': [[a.display_name, a.addr_spec] for a in m['to'].addresses], 'defects': [str(d) for p in m.walk() for d in p.defects]})
json.dump(answers, sys.stdout)
`;

import { runs, slowTest } from '../../../test/support/run/runs.ts';

slowTest('Python’s email module reads every case the same, and finds no defect', (t) => {
  const input = JSON.stringify(cases.map(({ mail }) => mail.toString('base64')));
  const run = spawnSync('python3', ['-c', pythonReader], { input, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (run.error) return t.skip('Python 3 is not installed');
  assert.equal(run.status, 0, run.stderr);
  const answers: Record<string, unknown>[] = JSON.parse(run.stdout);
  for (const [i, { name, expected }] of cases.entries()) {
    const read = answers[i]!;
    assert.equal(lines(String(read['html'])), expected.html, name);
    assert.equal(lines(String(read['text'])), expected.text, name);
    assert.equal(read['subject'], expected.subject, name);
    assert.deepEqual(read['to'], [[expected.toName, 'joe@reader.example']], name);
    assert.deepEqual(read['defects'], [], name);
    assert.deepEqual(read['names'], headerNames, name);
  }
});

const headerNames = [
  'From',
  'To',
  'Subject',
  'Date',
  'Message-ID',
  'List-Id',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'Reply-To',
  'Feedback-ID',
  'X-Campaign-ID',
  'Precedence',
  'MIME-Version',
  'Content-Type',
];

test('every campaign message has the headers of bulk mail, with the links of its recipient', async () => {
  const to = recipient();
  const parsed = await PostalMime.parse(mailFor({}, to));
  const header = new Map(parsed.headers.map(({ key, value }) => [key, value]));
  const { unsubscribe } = to.tokens;
  assert.equal(
    header.get('list-unsubscribe'),
    `<https://mail.shop.example/u/${unsubscribe}>, <mailto:unsubscribe@mail.shop.example?subject=${unsubscribe}>`,
  );
  assert.equal(header.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
  assert.equal(header.get('list-id'), 'Customers <a0000007.list.mail.shop.example>');
  assert.equal(header.get('precedence'), 'bulk');
  assert.equal(header.get('feedback-id'), 'c0000001:b0000001:campaign:6a83e861a7a7');
  assert.equal(header.get('message-id'), '<1.2.3@mail.shop.example>');
  assert.equal(header.get('date'), 'Wed, 04 Mar 2026 05:06:07 +0000');
  assert.equal(header.get('reply-to'), 'desk@shop.example');
  assert.equal(header.get('mime-version'), '1.0');
  assert.deepEqual(
    parsed.headers.map(({ originalKey }) => originalKey),
    headerNames,
  );
});

test('one-click unsubscribe is offered with https, and over http on this machine only', () => {
  const offered = (baseUrl: string) => /^List-Unsubscribe-Post:/m.test(mailFor({ baseUrl }).toString());
  assert.deepEqual(
    ['https://mail.shop.example', 'http://mail.shop.example', 'http://127.0.0.1:8080', 'http://localhost:8080'].map(
      offered,
    ),
    [true, false, true, true],
  );
});

test('List-Id has the host of the installation, whatever the base URL is', () => {
  const listIdOf = (overrides: Partial<CampaignContent>) =>
    /^List-Id: .*?<([^>]*)>/ms.exec(mailFor(overrides).toString())![1];
  assert.equal(listIdOf({}), 'a0000007.list.mail.shop.example');
  assert.equal(listIdOf({ listIdHost: 'news.shop.example' }), 'a0000007.list.news.shop.example');
});

test('without a mailbox for requests, List-Unsubscribe contains only the page', () => {
  const mail = mailFor({ unsubscribeMailbox: '' }).toString();
  assert.match(mail, /^List-Unsubscribe: <https:[^>]*>\r\nList-Unsubscribe-Post:/m);
});

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .array(
      fc.constantFrom(
        '\r\nBcc: evil@x.example',
        '\r\n\r\n<b>',
        '\n.\n',
        '\r.\r',
        '\r\n.\r\n',
        '\0',
        '--=_a_',
        'é',
        '😀',
        ' ',
        '.',
        'From ',
        '*|EMAIL|*',
        'a'.repeat(80),
        '=\r\n',
        '=?utf-8?q?=0D=0ABcc:x?=',
        '\u2028',
        '\x85',
      ),
    )
    .map((parts) => parts.join('')),
);

test('no value of any field, subject, name or list adds a header, a part or a line', async () => {
  await fc.assert(
    fc.asyncProperty(nasty, nasty, async (value, other) => {
      const [list] = content().lists;
      const mail = mailFor(
        {
          subject: `${other} *|FNAME|*`,
          fromName: `${other}*|FNAME|*`,
          lists: [{ ...list!, name: other }],
          html: '<p title="*|FNAME|*">*|FNAME|*</p><a href="https://a.example/*|FNAME|*">*|SITE|*</a>',
          plain: '*|FNAME|*\n*|SITE|*',
        },
        { values: { FNAME: value, SITE: other, LNAME: value } },
      );
      assertLegal(mail);
      assertBoundaries(mail);
      const parsed = await PostalMime.parse(mail);
      assert.deepEqual(
        parsed.headers.map(({ originalKey }) => originalKey),
        headerNames,
      );
      assert.equal(parsed.to?.length, 1);
      assert.equal(parsed.to?.[0]?.address, 'joe@reader.example');
      assert.equal(parsed.from?.address, 'news@shop.example');
      assert.equal(parsed.attachments.length, 0);
    }),
    { numRuns: runs(1000) },
  );
});

test('a value is read back unchanged from text, HTML, subject and name', async () => {
  await fc.assert(
    fc.asyncProperty(nasty, async (value) => {
      const compiled = compile(
        content({
          html: '<p>*|FNAME|*</p>',
          plain: '[*|FNAME|*]',
          tracking: { opens: false, htmlClicks: false, textClicks: false },
        }),
      );
      const to = recipient({ values: { FNAME: value, LNAME: '' } });
      const parsed = await PostalMime.parse(mailOf(prepare(compiled).render(to)));
      const shown = asMailed(compiled, to, to.at, to.tokens);
      assert.equal(withoutLastLineEnd(lines(parsed.html ?? '')), lines(shown.html ?? ''));
      assert.equal(withoutLastLineEnd(lines(parsed.text ?? '')), lines(shown.plain ?? ''));
      assert.equal(parsed.subject, line(compiled, compiled.subject, { recipient: to, at: to.at }));
    }),
    { numRuns: runs(1000) },
  );
});

test('no end-of-data sequence in content or value reaches the wire', () => {
  const ends = [
    '\r\n.\r\n',
    '\n.\n',
    '\n.\r\n',
    '\r\n.\n',
    '\r.\r',
    '\r\n.\r',
    '\r.\r\n',
    '\n.\r',
    '\r\n\0.\r\n',
    '\r\n.\0\r\n',
  ];
  const variants = ends.flatMap((end) => [end, `${end}MAIL FROM:<e@x.example>\r\n`, `x${end}${end}`]);
  assert.equal(variants.length, 30);
  for (const end of variants) {
    const mail = mailFor({ html: `<p>a${end}b*|FNAME|*</p>`, plain: `a${end}b*|FNAME|*` }, { values: { FNAME: end } });
    assertLegal(mail, JSON.stringify(end));
    assert.doesNotMatch(mail.toString('latin1'), /[\r\n]\.[\r\n]|\0|[^\r]\n|\r[^\n]/);
  }
});

test('a subscriber to the text format gets only the text; a campaign of one part sends that part to all', async () => {
  const asText = await PostalMime.parse(mailFor({}, { emailType: 'text' }));
  assert.equal(asText.html, undefined);
  assert.match(asText.text ?? '', /^Hello Joe!/);
  for (const emailType of ['html', 'text'] as const) {
    const { html: _html, plain: _plain, ...rest } = content();
    const only = (part: object) =>
      PostalMime.parse(mailOf(prepare(compile({ ...rest, ...part })).render(recipient({ emailType }))));
    const page = await only({ html: '<p>x</p>' });
    assert.match(page.html ?? '', /<p>x<\/p>/);
    assert.match(page.headers.find(({ key }) => key === 'content-type')?.value ?? '', /^text\/html/);
    const text = await only({ plain: 'x' });
    assert.equal(text.text?.trim(), 'x');
    assert.match(text.headers.find(({ key }) => key === 'content-type')?.value ?? '', /^text\/plain/);
  }
});

test('a message of one part ends with a line end, whatever its text ends with', () => {
  for (const end of ['x', 'x\n', '*|FNAME|*', ' ']) {
    for (const part of [{ plain: `Hello ${end}` }, { html: `<p>Hello ${end}` }]) {
      const { html: _html, plain: _plain, ...rest } = content();
      const mail = mailOf(prepare(compile({ ...rest, ...part })).render(recipient()));
      assert.match(mail.toString('latin1'), /\r\n$/, JSON.stringify(part));
      assertLegal(mail, JSON.stringify(part));
    }
  }
});

test('inline images are in the same multipart/related as their HTML', async () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 256);
  const images = [
    { cid: 'one@shop', contentType: 'image/png', bytes },
    { cid: 'two>\r\nX: y', contentType: 'text/html\r\nX: y', bytes: bytes.subarray(0, 3) },
  ];
  const renderer = prepare(compile(content({ html: '<img src="cid:one@shop">' })), { images });
  const mail = mailOf(renderer.render(recipient()));
  assertLegal(mail);
  assertBoundaries(mail);
  const parsed = await PostalMime.parse(mail);
  assert.deepEqual(
    parsed.attachments.map(({ contentId, mimeType, related }) => [contentId, mimeType, related]),
    [
      ['<one@shop>', 'image/png', true],
      ['<twoXy>', 'application/octet-stream', true],
    ],
  );
  assert.deepEqual(new Uint8Array(parsed.attachments[0]!.content as ArrayBuffer), bytes);
  const asText = await PostalMime.parse(mailOf(renderer.render(recipient({ emailType: 'text' }))));
  assert.equal(asText.attachments.length, 0);
});

test('a recipient with an invalid address or Message-ID is refused, not repaired', () => {
  const renderer = prepare(compile(content()));
  assert.deepEqual(renderer.render(recipient({ email: 'a@x.example\r\nBcc: b@x.example' })), { refused: 'address' });
  assert.deepEqual(renderer.render(recipient({ email: 'jürgen@reader.example' })), { refused: 'address' });
  assert.deepEqual(renderer.render(recipient({ messageId: 'a b' })), { refused: 'message-id' });
});

test('a non-ASCII address is sent to servers with SMTPUTF8, and its domain always in ASCII', async () => {
  const renderer = prepare(compile(content()));
  const utf8 = renderer.render(recipient({ email: 'jürgen@bücher.example', utf8: true }));
  assert.match(mailOf(utf8).toString('utf8'), /^To: Joe Reader <jürgen@xn--bcher-kva\.example>\r$/m);
  const parsed = await PostalMime.parse(mailFor({}, { email: 'joe@bücher.example' }));
  assert.equal(parsed.headers.find(({ key }) => key === 'to')?.value, 'Joe Reader <joe@xn--bcher-kva.example>');
});

test('the size is that of head and body together, and the head ends with its empty line', () => {
  const mail = prepare(compile(content())).render(recipient());
  assert.ok(!('refused' in mail));
  assert.equal(mail.size, mail.head.length + mail.body.length);
  assert.ok(mail.head.toString().endsWith('\r\n\r\n'));
  assert.equal(mail.head.toString().indexOf('\r\n\r\n'), mail.head.length - 4);
});

test('the compiled form read back from the database renders the same bytes', () => {
  for (const { name, html } of layouts) {
    const compiled = compile(content({ html }));
    const thawed: Compiled = JSON.parse(JSON.stringify(compiled));
    assert.deepEqual(mailOf(prepare(thawed).render(recipient())), mailOf(prepare(compiled).render(recipient())), name);
  }
});

test('no message shares memory or values with the one before', () => {
  const renderer = prepare(compile(content()));
  const first = mailOf(renderer.render(recipient({ values: { FNAME: 'Ann' } })));
  const copy = Buffer.from(first);
  const second = renderer.render(
    recipient({
      values: { FNAME: 'Bob' },
      tokens: maker.tokens({ account: 1, campaign: 1, seq: 1, contact: 1, lists: [] }),
    }),
  );
  assert.deepEqual(first, copy);
  assert.doesNotMatch(mailOf(second).toString(), /Ann/);
});

test('an invalid token is a bug: it throws and is never sent', () => {
  const renderer = prepare(compile(content()));
  const { tokens } = recipient();
  assert.throws(() => renderer.render(recipient({ tokens: { ...tokens, click: 'short' } })));
  assert.throws(() => renderer.render(recipient({ tokens: { ...tokens, unsubscribe: 'a\r\nb' } })));
});

test('a condition may contain every kind of tag, link and address', async () => {
  const [list] = content().lists;
  const lists = [list!, { ...list!, id: 8, publicId: 'a0000008', name: 'Friends' }];
  const html =
    '<p>*|IF:FNAME|*Dear *|FNAME|*, *|DATE:Y|*, *|LIST:NAME|*, <a href="https://a.example/">x</a> <a href="*|UNSUB|*">u</a>*|ELSE:|*none*|END:IF|*</p>';
  const read = async (to: Partial<Envelope>) =>
    (await PostalMime.parse(mailFor({ html, plain: 'x', lists }, to))).html ?? '';
  const filled = await read({});
  assert.match(
    filled,
    /Dear Joe, 2026, Customers, <a href="https:\/\/mail\.shop\.example\/c\/[\w-]+">x<\/a> <a href="https:\/\/mail\.shop\.example\/u\/[\w-]+">u<\/a>/,
  );
  assert.match(await read({ list: 8, at: new Date('2027-01-01T00:00:00Z') }), /2027, Friends/);
  assert.match(await read({ values: {} }), /<p>none<\/p>/);
});

test('a date is that of the second in which the message is sent', async () => {
  const prepared = prepare(compile(content({ html: '<p>*|DATE:H:i:s|*</p>', plain: '' })));
  const timeAt = async (at: string) =>
    /\d\d:\d\d:\d\d/.exec(
      (await PostalMime.parse(mailOf(prepared.render(recipient({ at: new Date(at) }))))).html ?? '',
    )?.[0];
  assert.equal(await timeAt('2026-03-04T05:06:07.000Z'), '05:06:07');
  assert.equal(await timeAt('2026-03-04T05:06:07.999Z'), '05:06:07');
  assert.equal(await timeAt('2026-03-04T05:06:08.000Z'), '05:06:08');
  assert.equal(await timeAt('2026-03-04T05:06:07.000Z'), '05:06:07');
});
