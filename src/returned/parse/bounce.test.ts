// Classifies incoming messages: notices as many mail systems write them, with every kind of line end, whole and cut off.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/run/runs.ts';
import {
  complaints,
  neither,
  notified,
  originalId,
  reasons,
  replies,
  report,
  returnPath,
  type Sample,
  samples,
  standard,
  tongued,
  unusual,
  written,
} from '../../../test/support/samples/bounces.ts';
import { type Incoming, readIncoming } from './bounce.ts';
import { bounceClass, statusIn } from './class.ts';

const lineEnds: Record<string, string> = { LF: '\n', CRLF: '\r\n', CR: '\r' };

function assertRead(sample: Sample, raw: string, about: string): void {
  const read = readIncoming(Buffer.from(raw));
  assert.equal(read.kind, sample.kind, about);
  if (read.kind === 'dsn') {
    assert.deepEqual(
      read.recipients.map((recipient) => [recipient.finalRecipient, recipient.class]),
      sample.recipients,
      about,
    );
    assert.equal(read.originalMessageId, sample.hasId === false ? null : originalId, about);
    assert.ok(read.returnPaths.includes(returnPath), about);
  }
  if (read.kind === 'arf') {
    assert.equal(read.feedbackType, sample.feedbackType, about);
    assert.equal(read.originalMessageId, originalId, about);
    assert.ok(read.returnPaths.includes(returnPath), about);
  }
}

const groups: [string, Sample[]][] = [
  ['standard reports of six systems', standard],
  ['standard reports that are unusual or broken', unusual],
  ['notices written for people by seven systems', written],
  ['notices in other tongues, of several recipients, of delays', tongued],
  ['complaints', complaints],
  ['notifications of a provider', notified],
  ['automatic replies', replies],
  ['other messages', neither],
];
for (const [name, list] of groups) {
  test(`${name} are read with any line ends (${list.length})`, () => {
    for (const sample of list) {
      for (const [end, chars] of Object.entries(lineEnds)) {
        assertRead(sample, sample.raw.replace(/\n/g, chars), `${sample.name}, ${end}`);
      }
    }
  });
}

test('the samples are more than 400, each under its own name', () => {
  assert.ok(samples.length > 400, String(samples.length));
  assert.equal(new Set(samples.map((sample) => sample.name)).size, samples.length);
});

test('a recipient carries its action, code and the words of the server', () => {
  const raw = report({
    from: 'MAILER-DAEMON@mx',
    subject: 'x',
    text: 'x',
    status:
      'Reporting-MTA: dns; mx\n\nOriginal-Recipient: rfc822; Joe@reader.example\nFinal-Recipient: rfc822; joe@b.example\nAction: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 550\n 5.7.1 <joe@b.example> we do not\n\t take spam',
  });
  const read = readIncoming(Buffer.from(raw));
  assert.ok(read.kind === 'dsn');
  assert.deepEqual(read.recipients, [
    {
      finalRecipient: 'joe@b.example',
      originalRecipient: 'Joe@reader.example',
      action: 'failed',
      status: '5.7.1',
      diagnostic: '550 5.7.1 <joe@b.example> we do not take spam',
      class: 'blocked',
    },
  ]);
});

test('the fields of a recipient begin with its address, also without an empty line before them', () => {
  const original = 'Original-Recipient: rfc822; Joe@reader.example';
  const final = 'Final-Recipient: rfc822; joe@b.example';
  for (const address of [[final], [original, 'X-Note: two', final], [original, final]]) {
    const status = ['X-Note: one', ...address, 'X-Note: two', 'Action: failed', 'Status: 5.1.1'];
    const unique = status.filter((field, at) => status.indexOf(field) === at);
    const read = readIncoming(
      Buffer.from(report({ from: 'a@mx', subject: 'x', text: 'x', status: unique.join('\n') })),
    );
    assert.ok(read.kind === 'dsn');
    assert.deepEqual(
      read.recipients.map((recipient) => [recipient.finalRecipient, recipient.status]),
      [['joe@b.example', '5.1.1']],
    );
  }
});

test('encoded characters of an address are decoded, except numbers that are no character', () => {
  const table: [encoded: string, address: string][] = [
    ['utf-8; j\\x{F6}e@b.example', 'jöe@b.example'],
    ['utf-8; \\x{10FFFF}joe@b.example', '\u{10FFFF}joe@b.example'],
    ['utf-8; \\x{110000}joe@b.example', 'x{110000}joe@b.example'],
    ['rfc822; joe+2Bshop@b.example', 'joe+shop@b.example'],
    ['rfc822; joe+3Dshop@b.example', 'joe=shop@b.example'],
  ];
  for (const [encoded, address] of table) {
    const status = `Reporting-MTA: dns; mx\n\nFinal-Recipient: ${encoded}\nAction: failed\nStatus: 5.1.1`;
    const read = readIncoming(Buffer.from(report({ from: 'a@mx', subject: 'x', text: 'x', status })));
    assert.ok(read.kind === 'dsn');
    assert.equal(read.recipients[0]!.finalRecipient, address);
  }
});

test('a complaint names who complained and about which mail', () => {
  const read = readIncoming(Buffer.from(complaints[0]!.raw));
  assert.deepEqual(read, {
    kind: 'arf',
    feedbackType: 'abuse',
    recipients: ['joe@reader.example'],
    originalMessageId: originalId,
    returnPaths: [returnPath, 'abuse@shop.example'],
  } satisfies Incoming);
});

test('notices cut off at any place are read without an error, and no other address is ever blamed', () => {
  for (const sample of samples.filter((_, index) => index % 7 === 0)) {
    const allowed = new Set(['joe@reader.example', ...(sample.recipients ?? []).map(([address]) => address)]);
    for (let end = 0; end < sample.raw.length; end += 97) {
      const read = readIncoming(Buffer.from(sample.raw.slice(0, end)));
      if (read.kind !== 'dsn') continue;
      for (const { finalRecipient } of read.recipients) {
        const whole = [...allowed].some((address) => address === finalRecipient || address.startsWith(finalRecipient));
        assert.ok(whole || finalRecipient === '', `${sample.name} at ${end}: ${finalRecipient}`);
      }
    }
  }
});

test('notices with any bytes changed are read without an error', () => {
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.constantFrom(...samples), changes, (sample, places) => {
      const raw = Buffer.from(sample.raw);
      if (raw.length > 0) for (const [at, byte] of places) raw[at % raw.length] = byte;
      assert.ok(['dsn', 'arf', 'auto-reply', 'none'].includes(readIncoming(raw).kind));
    }),
    { numRuns: runs(3000) },
  );
});

test('any bytes at all are read without an error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), (raw) => {
      assert.ok(readIncoming(raw).kind);
    }),
    { numRuns: runs(1000) },
  );
});

const level = (depth: number): string =>
  depth === 0
    ? 'Content-Type: message/delivery-status\n\nFinal-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.1.1\n'
    : `Content-Type: multipart/mixed; boundary=b${depth}\n\n--b${depth}\n${level(depth - 1)}\n--b${depth}--\n`;
const hostile: [string, string][] = [
  ['multiparts 500 deep', level(500)],
  ['10,000 parts', `Content-Type: multipart/mixed; boundary=b\n\n${'--b\n\nx\n'.repeat(10_000)}`],
  [
    '100,000 recipients',
    report({
      from: 'x',
      subject: 'x',
      text: 'x',
      status: 'Final-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.1.1\n\n'.repeat(15_000),
    }),
  ],
  ['100,000 fields', `${'X: y\n'.repeat(100_000)}\nbody`],
  ['a field of 1 MB', `Subject: ${'x'.repeat(1_000_000)}\n\nbody`],
  ['a field folded 100,000 times', `Subject: x\n${' x\n'.repeat(100_000)}\nbody`],
  ['a Content-Type of 1 MB', `Content-Type: multipart/mixed${'; a="'.repeat(200_000)}\n\nbody`],
  ['1 MB of spaces', ' '.repeat(1_000_000)],
  ['1 MB of @', `From: mailer-daemon@x\n\n${'@'.repeat(1_000_000)}`],
  ['1 MB of <', `From: mailer-daemon@x\nContent-Type: text/html\n\n${'<'.repeat(1_000_000)}`],
  ['1 MB of <br', `From: mailer-daemon@x\nContent-Type: text/html\n\n${'<br '.repeat(250_000)}`],
  ['1 MB of <style', `From: mailer-daemon@x\nContent-Type: text/html\n\n${'<style'.repeat(170_000)}`],
  ['1 MB of <style></style', `From: mailer-daemon@x\nContent-Type: text/html\n\n${'<style></style'.repeat(70_000)}`],
  ['addresses with long words', `From: mailer-daemon@x\n\n${`a@b.example ${'x'.repeat(300)}\n`.repeat(3_000)}`],
  [
    'an invalid word 100,000 times',
    `From: mailer-daemon@x\n\na@b.example: ${'invalid no such unknown '.repeat(40_000)}`,
  ],
  ['1 MB of dashes', `From: mailer-daemon@x\n\n${'-'.repeat(1_000_000)}`],
  ['1 MB of half words', `From: mailer-daemon@x\n\na@b.example: ${'user mailbox account '.repeat(50_000)}`],
  ['1 MB of encoded words', `Subject: ${'=?utf-8?Q?=41?= '.repeat(60_000)}\n\nbody`],
  ['1 MB of numbers', `From: mailer-daemon@x\n\n${'5.5.5.'.repeat(170_000)}`],
  ['5 MB of a notice', `${samples[0]!.raw}${'x\n'.repeat(2_500_000)}`],
  [
    'a half quoted-printable',
    report({ from: 'x', subject: 'x', text: 'x', status: 'x', encoding: 'quoted-printable' }).replace(
      'x\n',
      `${'='.repeat(500_000)}\n`,
    ),
  ],
];
test('messages crafted to be slow to parse take at most a second of CPU each', () => {
  for (const [name, raw] of hostile) {
    const bytes = Buffer.from(raw);
    const begin = process.cpuUsage();
    const read = readIncoming(bytes);
    const seconds = process.cpuUsage(begin).user / 1e6;
    assert.ok(seconds < 1, `${name}: ${seconds} s`);
    if (read.kind === 'dsn') assert.ok(read.recipients.length <= 100, name);
  }
});

test('classes follow the code, and the words where the code says nothing', () => {
  for (const { status, words, found } of reasons) {
    assert.equal(bounceClass(status, words), found, `${status} ${words}`);
    // The code in the words is as good as the one beside them.
    if (/\d\.\d\.\d/.test(words)) assert.equal(bounceClass('', words), found, words);
  }
});

const classByHand: [string, string, string][] = [
  ['', '', 'generic'],
  ['', 'something happened', 'generic'],
  ['5.7.1', '550 5.7.1 user unknown', 'hard'],
  ['5.7.1', '550 5.7.1 user unknown or blocked as spam', 'blocked'],
  ['5.1.1', '550 5.1.1 <antispam@blocked.example> rejected', 'hard'],
  ['', '550 <quota-full@example.com> rejected', 'generic'],
  ['5.2.1', '', 'hard'],
  ['4.2.1', 'account disabled', 'temporary'],
  ['4.1.1', 'user unknown', 'temporary'],
  ['4.7.0', 'blocked for now', 'temporary'],
  ['5.2.0', '', 'generic'],
  ['5.3.0', 'account expired', 'hard'],
  ['5.4.0', 'connection refused', 'temporary'],
  ['5.9.9', '', 'generic'],
  ['2.0.0', 'ok', 'generic'],
  ['9.9.9', 'nonsense', 'generic'],
  ['5.7.1', '550 5.7.1 no', 'blocked'],
  ['5.2.0', 'too many messages', 'temporary'],
  ['5.4.0', 'will be retried', 'temporary'],
  ['5.5.0', 'will be retried', 'generic'],
  ['5.1.1', '550 5.1.1 buzón lleno', 'soft'],
  ['5.1.1', '550 5.1.1 Mailbox unavailable', 'hard'],
  ['5.5.0', '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302)', 'hard'],
  ['5.5.0', '550 5.5.0 Mailbox unavailable: user unknown', 'hard'],
  ['', `${'x'.repeat(7_994)} dnsbl`, 'blocked'],
  ['', `${'x'.repeat(7_995)} dnsbl`, 'generic'],
];
test('classes by hand: the sure code wins, and names of mailboxes count for nothing', () => {
  for (const [status, words, found] of classByHand)
    assert.equal(bounceClass(status, words), found, `${status} ${words}`);
});

/** Status of the notice, the reply that it quotes, and its class: living addresses, whatever the code is. */
const living: [status: string, words: string, found: string][] = [
  [
    '5.2.1',
    'smtp; 550-5.2.1 The user you are trying to contact is receiving mail at a rate that prevents',
    'temporary',
  ],
  ['5.1.0', 'smtp; 550 5.1.0 <news@shop.example> sender rejected. Please see the error page', 'blocked'],
  ['5.1.3', 'smtp; 553 5.1.3 your host is listed, see the lookup of Spamhaus for 192.0.2.7', 'blocked'],
  ['5.1.1', 'smtp; 550 5.1.1 too many recipients this hour from 192.0.2.7', 'temporary'],
  ['5.1.1', 'SMTP; 550 5.7.1 IP address blacklisted by recipient', 'blocked'],
  ['5.1.1', 'SMTP; 552 5.2.2 Over quota', 'soft'],
  ['5.1.1', 'smtp; 550 5.7.1 refused', 'blocked'],
  ['5.1.1', 'smtp; 450 4.1.1 User unknown for now', 'temporary'],
  [
    '5.4.4',
    'X-Postfix; Name service error for name=reader.example type=MX: Malformed or unexpected name server reply',
    'temporary',
  ],
  ['', 'Connected to 192.0.2.9 but my name was rejected.\nRemote host said: 501 Invalid domain name', 'blocked'],
  ['', 'Connected to 192.0.2.9 but sender was rejected.\nRemote host said: 550 5.1.1 unknown user', 'blocked'],
  ['5.4.4', '', 'generic'],
  ['5.5.0', 'smtp; 550 5.5.0 Requested action not taken: mailbox unavailable', 'generic'],
  ['', '550 Mailbox unavailable', 'generic'],
  ['5.0.0', 'smtp; 554 No SMTP service here', 'blocked'],
  ['', '554-No SMTP service\n554 Bad DNS PTR resource record', 'blocked'],
  ['5.0.0', 'smtp; 550 Rejected', 'blocked'],
  ['', '554 Your email was rejected', 'blocked'],
  ['5.0.0', 'smtp; 550 5.0.0 Connection rejected', 'blocked'],
  ['5.0.0', 'smtp; 550 <joe@reader.example>: Recipient address rejected', 'generic'],
  ['5.0.0', 'smtp; 550 Recipient rejected', 'generic'],
  ['', 'No delivery after multiple retries, giving up', 'temporary'],
  ['', 'gave up after 3 days: no such user', 'hard'],
  ['5.7.1', 'smtp; 550 5.7.1 Mailbox unavailable', 'blocked'],
];
test('reputation, rate, sender and full mailboxes never make an address hard, whatever enhanced code is given', () => {
  for (const [status, words, found] of living) assert.equal(bounceClass(status, words), found, `${status} ${words}`);
});

test('a refusal of the sender is no bounce of the address, also where only the text for people shows it', () => {
  const text = (command: string) =>
    `A message could not be delivered.\n\n  joe@reader.example\n    host mx.reader.example [192.0.2.9]\n    SMTP error from remote mail server after ${command}:\n    553 5.1.1 unknown user\n`;
  for (const [command, found] of [
    ['MAIL FROM:<news@shop.example> SIZE=4711', 'blocked'],
    ['pipelined MAIL FROM:<news@shop.example>', 'blocked'],
    ['RCPT TO:<joe@reader.example>', 'hard'],
  ] as const) {
    const status =
      'Reporting-MTA: dns; mx\n\nAction: failed\nFinal-Recipient: rfc822;joe@reader.example\nStatus: 5.0.0\nDiagnostic-Code: smtp; 553 5.1.1 unknown user';
    const read = readIncoming(
      Buffer.from(report({ from: 'Mailer-Daemon@mx', subject: 'x', text: text(command), status })),
    );
    assert.ok(read.kind === 'dsn');
    assert.equal(read.recipients[0]!.class, found, command);
  }
});

test('a status part without a reason takes it from the text about the same address, as OpenSMTPD and Exim write it', () => {
  const notice = (reply: string) =>
    report({
      from: 'Mailer Daemon <MAILER-DAEMON@mx>',
      subject: 'Delivery status notification: error',
      text: `    Hi!\n\n    This is the MAILER-DAEMON, please DO NOT REPLY to this email.\n\n    An error has occurred while attempting to deliver a message for\n    the following list of recipients:\n\nann@other.example: 550 5.7.1 blocked\njoe@reader.example: ${reply}\n\n    Below is a copy of the original message:`,
      status: 'Reporting-MTA: dns; mx\n\nFinal-Recipient: rfc822; joe@reader.example\nAction: failed\nStatus: 5.0.0',
    });
  for (const [reply, status, found] of [
    ['550 5.1.1 <joe@reader.example>: Recipient address rejected: User unknown', '5.1.1', 'hard'],
    ['552 5.2.2 Mailbox is full', '5.2.2', 'soft'],
    ['554 refused', '5.0.0', 'blocked'],
  ] as const) {
    const read = readIncoming(Buffer.from(notice(reply)));
    assert.ok(read.kind === 'dsn');
    assert.deepEqual(
      read.recipients.map((recipient) => [recipient.status, recipient.class]),
      [[status, found]],
      reply,
    );
    assert.match(read.recipients[0]!.diagnostic, /^joe@reader\.example: 55/);
  }
});

const codes: [string, string][] = [
  ['550 5.1.1 unknown', '5.1.1'],
  ['550-5.1.1 unknown', '5.1.1'],
  ['(#5.1.1)', '5.1.1'],
  ['smtp;550 5.1.10 x', '5.1.10'],
  ['550 unknown', '5.0.0'],
  ['said: 450 later', '4.0.0'],
  ['said: 550', '5.0.0'],
  ['from 192.5.1.1 with love', ''],
  ['version 5.10.100.2', ''],
  ['5.1.1-2', ''],
  ['1550 users', ''],
  ['x550 y', ''],
  ['', ''],
];
test('codes are found in words, and addresses of hosts are none', () => {
  for (const [words, code] of codes) assert.equal(statusIn(words), code, words);
});

/** A notice for people only. */
const notice = (text: string, fields: Record<string, string> = {}, body = `Content-Type: text/plain\n\n${text}`) => {
  const head = { From: 'MAILER-DAEMON@mx', To: returnPath, Subject: 'Returned mail', ...fields };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\n`);
  return readIncoming(Buffer.from(`${lines.join('')}MIME-Version: 1.0\n${body}\n`));
};
/** Address, action and class of each recipient, or what else the message is. */
const blamed = (read: Incoming) =>
  read.kind === 'dsn'
    ? read.recipients.map((recipient) => `${recipient.finalRecipient} ${recipient.action} ${recipient.class}`)
    : read.kind;
const unknown = 'joe@b.example: 550 5.1.1 user unknown\n';

test('a notice for people is one only when a mail system wrote it', () => {
  const joe = ['joe@b.example failed hard'];
  for (const [fields, expected] of [
    [{}, joe],
    [{ From: 'ann@c.example' }, 'none'],
    [{ From: 'ann@c.example', Sender: 'postmaster@mx' }, joe],
    [{ From: 'ann@c.example', 'X-Failed-Recipients': 'joe@b.example' }, joe],
    [{ 'X-Failed-Recipients': 'eve@b.example' }, 'none'],
    [{ 'Return-Path': '<>' }, joe],
    [{ 'Return-Path': '<mailer-daemon@mx>' }, joe],
    [{ 'Return-Path': '<ann@c.example>' }, 'none'],
  ] as const)
    assert.deepEqual(blamed(notice(unknown, fields)), expected, JSON.stringify(fields));
  const opening = 'This is the qmail-send program at mx.\n';
  assert.deepEqual(blamed(notice(`${opening}${unknown}`, { From: 'ann@c.example' })), joe);
  assert.equal(blamed(notice(`${'x'.repeat(400)}${opening}${unknown}`, { From: 'ann@c.example' })), 'none');
});

test('a refusal that names no address is a bounce of the message whose return path it came to', () => {
  const words = 'Unable to deliver message after multiple retries, giving up.\n<<< 550 5.1.1 User unknown\n';
  assert.deepEqual(blamed(notice(words)), [' failed hard']);
  assert.deepEqual(blamed(notice('Your message is delayed.\n451 4.7.1 try again\n', { Subject: 'Mail' })), [
    ' delayed temporary',
  ]);
  assert.equal(blamed(notice(words, { From: 'ann@c.example' })), 'none', 'a person');
  assert.equal(blamed(notice('All is well at our end.\n')), 'none', 'no reason');
  assert.equal(blamed(notice(`ann@c.example wrote:\n${words}`, { To: 'ann@c.example' })), 'none', 'its own address');
});

test('a notice of a delay is temporary, unless it also reports a failure', () => {
  const delayed = 'Your message is delayed.\n';
  assert.deepEqual(blamed(notice(`${delayed}${unknown}`, { Subject: 'Mail' })), ['joe@b.example delayed temporary']);
  assert.deepEqual(blamed(notice(`${delayed}It failed.\n${unknown}`, { Subject: 'Mail' })), [
    'joe@b.example failed hard',
  ]);
  assert.deepEqual(blamed(notice(`It failed.\n${unknown}`, { Subject: 'delayed' })), [
    'joe@b.example delayed temporary',
  ]);
});

test('the addresses of a notice itself are not blamed', () => {
  for (const field of ['From', 'To', 'Sender', 'Reply-To']) {
    const fields = { [field]: '"mailer-daemon" <joe@b.example>' };
    assert.equal(blamed(notice(unknown, fields)), 'none', field);
  }
});

test('a notice for people is read from its first text that is not empty, up to the returned message', () => {
  const multipart = (...parts: [type: string, text: string][]) =>
    `Content-Type: multipart/mixed; boundary=x\n\n${parts
      .map(([type, text]) => `--x\nContent-Type: ${type}\n\n${text}\n`)
      .join('')}--x--\n`;
  const html = '<head><title>eve@b.example: 550 5.1.1 user unknown</title></head>joe@b.example: 550 5.1.1 user unknown';
  const joe = ['joe@b.example failed hard'];
  for (const parts of [
    [
      ['text/plain', unknown],
      ['text/html', 'eve@b.example: 550 5.1.1 user unknown'],
    ],
    [
      ['text/html', 'eve@b.example: 550 5.1.1 user unknown'],
      ['text/plain', unknown],
    ],
    [
      ['text/plain', ' '],
      ['text/plain', unknown],
    ],
    [['text/html', html]],
    [['text/html', 'joe@b.example: 550 5.1.1 user unknown']],
    [['text/html', '<p>a<b>x</b></p><div>joe@b.example: 550</div>5.1.1 user unknown']],
  ] as [string, string][][])
    assert.deepEqual(blamed(notice('', {}, multipart(...parts))), joe, JSON.stringify(parts));
  const copy = '--- Below this line is a copy of the message.\neve@b.example: 550 5.1.1 user unknown\n';
  assert.deepEqual(blamed(notice(`${unknown}${copy}`)), joe);
  assert.equal(blamed(notice(`--- Below this line is a copy\n${unknown}`)), 'none');
});

test('the diagnostic of a notice is its words on one line, of at most 500 characters', () => {
  const of = (html: string) => {
    const read = notice('', {}, `Content-Type: text/html\n\n${html}`);
    assert.ok(read.kind === 'dsn');
    return read.recipients[0]!.diagnostic;
  };
  assert.equal(
    of('joe@b.example: 550 5.1.1 &lt;joe&gt;<br>user&nbsp;unknown, isn&#39;t &quot;here&quot; &amp; gone'),
    "joe@b.example: 550 5.1.1 <joe> user unknown, isn't 'here' & gone",
  );
  assert.equal(of(`joe@b.example: 550 5.1.1 user unknown ${'x'.repeat(600)}`).length, 500);
});

/** A report whose status part has these fields for its recipient. */
const stated = (fields: string, options: Partial<Parameters<typeof report>[0]> = {}) =>
  readIncoming(
    Buffer.from(
      report({ from: 'a@mx', subject: 'x', text: 'x', status: `Reporting-MTA: dns; mx\n\n${fields}`, ...options }),
    ),
  );

test('a recipient is stated by any of its fields', () => {
  const to = 'Final-Recipient: rfc822; joe@b.example';
  for (const [fields, expected] of [
    [`${to}\nAction: failed\nStatus: 5.1.1`, ['joe@b.example failed hard']],
    [`${to}\nStatus: 2.0.0`, ['joe@b.example delivered null']],
    [`${to}\nStatus: 5.1.1`, ['joe@b.example failed hard']],
    [`${to}\nDiagnostic-Code: smtp; 250 2.1.5 ok`, ['joe@b.example delivered null']],
    [to, ['joe@b.example failed generic']],
    ['Original-Recipient: rfc822; joe@b.example', ['joe@b.example failed generic']],
    ['X-Actual-Recipient: rfc822; joe@b.example\nStatus: 5.1.1', ['joe@b.example failed hard']],
    ['Status: 5.1.1', [' failed hard']],
    ['Action: failed', [' failed generic']],
    ['Diagnostic-Code: smtp; 550 5.1.1 user unknown', [' failed hard']],
    ['X-Note: nothing', 'auto-reply'],
  ] as const)
    assert.deepEqual(blamed(stated(fields)), expected, fields);
  const long = stated(`${to}\nStatus: 5.1.1\nDiagnostic-Code: smtp; ${'x'.repeat(600)}`);
  assert.ok(long.kind === 'dsn');
  assert.equal(long.recipients[0]!.diagnostic.length, 500);
});

test('at most 100 recipients are read from a report', () => {
  const group = (i: number) => `Final-Recipient: rfc822; joe${i}@b.example\nAction: failed\nStatus: 5.1.1`;
  const read = stated(Array.from({ length: 101 }, (_, i) => group(i)).join('\n\n'));
  assert.ok(read.kind === 'dsn');
  assert.equal(read.recipients.length, 100);
});

test('the return path and the message of a notice come from its fields', () => {
  for (const name of ['Delivered-To', 'X-Original-To', 'Envelope-To', 'To']) {
    const read = notice(unknown, { To: 'x', [name]: '<b42@bounces.shop.example>' });
    assert.ok(read.kind === 'dsn');
    assert.deepEqual(read.returnPaths, ['b42@bounces.shop.example'], name);
  }
  for (const [fields, text, id] of [
    [{}, unknown, null],
    [{ 'In-Reply-To': '<a@s.example>', References: '<b@s.example>' }, unknown, '<a@s.example>'],
    [{ References: '<b@s.example>' }, unknown, '<b@s.example>'],
    [{ 'In-Reply-To': '<a@s.example>' }, `${unknown}> Message-ID: <c@s.example>\n`, '<c@s.example>'],
  ] as const) {
    const read = notice(text, fields);
    assert.ok(read.kind === 'dsn');
    assert.equal(read.originalMessageId, id, JSON.stringify(fields));
  }
  const whole = stated('Final-Recipient: rfc822; joe@b.example\nStatus: 5.1.1', {
    head: 'In-Reply-To: <a@s.example>\n',
  });
  assert.ok(whole.kind === 'dsn');
  assert.equal(whole.originalMessageId, originalId);
});

test('a complaint names its recipients in any of the fields for them', () => {
  for (const name of ['Original-Rcpt-To', 'Removal-Recipient', 'Original-Recipient', 'Final-Recipient']) {
    const fields = `Feedback-Type: Abuse\nOriginal-Mail-From: <b42@s.example>\n${name}: rfc822; joe@b.example`;
    const read = stated('', { statusType: 'message/feedback-report', status: fields });
    assert.ok(read.kind === 'arf');
    assert.deepEqual([read.feedbackType, read.recipients], ['abuse', ['joe@b.example']], name);
    assert.equal(read.returnPaths[0], 'b42@s.example');
  }
});

test('an automatic reply is recognized by its fields', () => {
  for (const [name, value, kind] of [
    ['Auto-Submitted', 'auto-replied', 'auto-reply'],
    ['Auto-Submitted', 'no', 'none'],
    ['X-Autoreply', 'yes', 'auto-reply'],
    ['X-Autorespond', 'yes', 'auto-reply'],
    ['X-Auto-Reply', 'yes', 'auto-reply'],
    ['X-Autoreply-From', 'joe', 'auto-reply'],
    ['Precedence', 'auto_reply', 'auto-reply'],
    ['X-Precedence', 'auto-reply', 'auto-reply'],
    ['Precedence', 'bulk', 'none'],
    ['Subject', 'Out of office', 'auto-reply'],
  ] as const)
    assert.equal(notice('Hello', { From: 'joe@b.example', [name]: value }).kind, kind, `${name}: ${value}`);
});

test('a code just below 500 in the words makes no address hard', () => {
  for (const [words, found] of [
    ['smtp; 459 5.1.1 user unknown', 'temporary'],
    ['smtp; 500 5.1.1 user unknown', 'hard'],
  ] as const)
    assert.equal(bounceClass('5.1.1', words), found, words);
});
