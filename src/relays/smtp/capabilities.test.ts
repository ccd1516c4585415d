// Servers with every set of extensions (F33); a message that a server cannot take is refused locally with the reply it
// would give, and nothing is sent.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { connectTo, inShort, mailTo, text } from '../../../test/support/builders/smtp.ts';
import { type SinkOptions, startSink } from '../../../test/support/smtp-sink/sink.ts';
import { envelopeOf } from './envelope.ts';
import { capabilitiesOf } from './greeting.ts';

async function sinkFor(t: TestContext, options: SinkOptions) {
  const sink = await startSink({ strict: true, ...options });
  t.after(() => sink.close());
  return sink;
}

const small = text('Subject: small', '', 'x');
const large = text('Subject: large', '', ...Array.from({ length: 40 }, () => 'y'.repeat(70)));
const eightBit = text('Subject: 8 bit', '', 'h\u00e4llo');

for (let set = 0; set < 32; set++) {
  const has = (bit: number) => (set & (1 << bit)) !== 0;
  const options = {
    pipelining: has(0),
    eightBit: has(1),
    smtpUtf8: has(2),
    chunking: has(3),
    ...(has(4) ? { size: 1000 } : {}),
  };
  const names = Object.entries(options).filter(([, on]) => on);
  test(`F33 with ${names.map(([name]) => name).join(', ') || 'no extension'} each message is sent if the server can take it`, async (t) => {
    const sink = await sinkFor(t, options);
    const connection = await connectTo(sink.port);
    const outcomes = await Promise.all([
      connection.send(mailTo('ok.1@x.example', { message: small })),
      connection.send(mailTo('ok.2@x.example', { message: large })),
      connection.send(mailTo('ok.3@x.example', { message: eightBit })),
      connection.send(mailTo('j\u00fcrgen@x.example', { message: small })),
      connection.send(mailTo('ok.5@x.example', { message: small, smtpUtf8: true })),
      connection.send(mailTo('ok.6@x.example', { message: small })),
    ]);
    const taken = '250 at dot, dotted';
    assert.deepEqual(outcomes.map(inShort), [
      taken,
      has(4) ? '552 at mail' : taken,
      has(1) ? taken : '554 at data',
      has(2) ? taken : '553 at rcpt',
      has(2) ? taken : '553 at rcpt',
      taken,
    ]);
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.kind === 'reply' ? outcome.enhanced : undefined)),
      [
        '2.0.0',
        has(4) ? '5.3.4' : '2.0.0',
        has(1) ? '2.0.0' : '5.6.3',
        ...(has(2) ? ['2.0.0', '2.0.0'] : ['5.6.7', '5.6.7']),
        '2.0.0',
      ],
    );
    assert.deepEqual(
      sink.log.flatMap((entry) => entry.flaws ?? []),
      [],
    );
    assert.equal(sink.counts.accepted, outcomes.filter((outcome) => inShort(outcome) === taken).length);
    await connection.close();
  });
}

test('F33 a server that knows only HELO is given mail one command at a time', async (t) => {
  const sink = await sinkFor(t, { ehlo: false, pipelining: false });
  const connection = await connectTo(sink.port);
  assert.equal(connection.capabilities.pipelining, false);
  const outcomes = await Promise.all([1, 2, 3].map((n) => connection.send(mailTo(`ok.${n}@x.example`))));
  assert.deepEqual(new Set(outcomes.map(inShort)), new Set(['250 at dot, dotted']));
  assert.deepEqual(
    sink.log.flatMap((entry) => entry.flaws ?? []),
    [],
  );
  await connection.close();
});

test('F33 a server with DSN is asked for bounces with the header only, and for no other notices', () => {
  const linesFor = (...offered: string[]) => envelopeOf(mailTo('a@x.example'), capabilitiesOf(['mx', ...offered]));
  const mail = 'MAIL FROM:<bounce@sender.example>';
  assert.deepEqual(linesFor(), { mail: `${mail}\r\n`, rcpt: 'RCPT TO:<a@x.example>\r\n' });
  assert.deepEqual(linesFor('DSN'), {
    mail: `${mail} RET=HDRS\r\n`,
    rcpt: 'RCPT TO:<a@x.example> NOTIFY=FAILURE\r\n',
  });
});

test('a size of 0 or without a number is no limit', () => {
  assert.equal(capabilitiesOf(['mx', 'SIZE 0']).size, 0);
  assert.equal(capabilitiesOf(['mx', 'SIZE']).size, 0);
  assert.equal(capabilitiesOf(['mx', 'SIZE 35882577']).size, 35_882_577);
  assert.equal(capabilitiesOf(['mx', 'size lots']).size, 0);
  assert.equal(capabilitiesOf(['SIZE 9']).size, undefined, 'the first line is the name');
});

test('mechanisms are read from the standard and the old form, in any case, once', () => {
  assert.deepEqual(capabilitiesOf(['mx', 'auth plain login', 'AUTH=LOGIN CRAM-MD5']).auth, [
    'PLAIN',
    'LOGIN',
    'CRAM-MD5',
  ]);
});

const unusable: [field: 'mailFrom' | 'rcptTo', address: string][] = [
  ['rcptTo', 'a@x.example>\r\nRCPT TO:<b@x.example'],
  ['rcptTo', 'a@x.example\nDATA'],
  ['rcptTo', 'a@x.example> SIZE=1'],
  ['rcptTo', 'a b@x.example'],
  ['rcptTo', 'a@x.example\0'],
  ['rcptTo', '<a@x.example>'],
  ['rcptTo', 'a\u0085b@x.example'],
  ['rcptTo', 'a\u2028b@x.example'],
  ['rcptTo', ''],
  ['rcptTo', 'no-domain'],
  ['rcptTo', `${'a'.repeat(250)}@x.example`],
  ['mailFrom', 'a@x.example> BODY=8BITMIME'],
  ['mailFrom', 'a@x.example\r\nQUIT'],
];
for (const [field, address] of unusable)
  test(`${field} ${JSON.stringify(address.slice(0, 40))} is refused before the wire`, async (t) => {
    const sink = await sinkFor(t, { trace: true });
    const connection = await connectTo(sink.port);
    const outcome = await connection.send(mailTo('ok.1@x.example', { [field]: address }));
    assert.equal(inShort(outcome), field === 'rcptTo' ? '501 at rcpt' : '501 at mail');
    assert.ok(outcome.kind === 'reply' && outcome.local);
    assert.equal(inShort(await connection.send(mailTo('ok.2@x.example', { mailFrom: '' }))), '250 at dot, dotted');
    assert.equal(sink.log.filter((entry) => entry.event === 'step' && entry.step === 'mail').length, 1);
    await connection.close();
  });

test('F33 an international domain is sent in its ASCII form to a server without SMTPUTF8', async (t) => {
  for (const smtpUtf8 of [false, true]) {
    const sink = await sinkFor(t, { smtpUtf8 });
    const connection = await connectTo(sink.port);
    const outcome = await connection.send(mailTo('ok@b\u00fccher.example', { mailFrom: 'b@b\u00fcro.example' }));
    assert.equal(inShort(outcome), '250 at dot, dotted');
    assert.deepEqual(
      sink.accepted().map(({ from, to }) => [from, to]),
      smtpUtf8
        ? [['b@b\u00fcro.example', 'ok@b\u00fccher.example']]
        : [['b@xn--bro-hoa.example', 'ok@xn--bcher-kva.example']],
    );
    await connection.close();
  }
});
