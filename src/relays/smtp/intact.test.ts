// Messages arrive unchanged under concurrency; and no message, however it is built, can end early and smuggle in a second
// one (SMTP smuggling), not even at a server that takes any lone dot for the end.
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { connectTo, inShort, mailTo, sha256, text } from '../../../test/support/builders/smtp.ts';
import { diceOf } from '../../../test/support/judges/dice.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { startSink } from '../../../test/support/smtp-sink/sink.ts';

test('2,000 messages of all lengths over 4 connections arrive once each and unchanged', async (t) => {
  const sink = await startSink({ strict: true });
  t.after(() => sink.close());
  const connections = await Promise.all([1, 2, 3, 4].map(() => connectTo(sink.port)));
  // Lengths around the 64 kB piece and up to 300 kB for some, a few hundred octets for most.
  const lines = (n: number) => (n % 100 === 0 ? 3000 + n : n % 50 === 0 ? 818 + (n % 7) : n % 40);
  const messages = Array.from({ length: 2000 }, (_, n) => {
    const body = Array.from({ length: lines(n) }, (_, i) => `${n}.${i} `.padEnd(78, 'abcdefgh'));
    return mailTo(`ok.${n}@x.example`, { message: text(`Message-ID: <${n}@s.example>`, '', ...body) });
  });
  const outcomes = await Promise.all(messages.map((mail, n) => connections[n % 4]!.send(mail)));
  assert.deepEqual(new Set(outcomes.map(inShort)), new Set(['250 at dot, dotted']));
  const arrived = new Map(sink.accepted().map((entry) => [entry.to, entry]));
  assert.equal(sink.accepted().length, 2000);
  for (const [n, mail] of messages.entries()) {
    const entry = arrived.get(mail.rcptTo);
    assert.deepEqual(
      [entry?.sha256, entry?.messageId, entry?.flaws],
      [sha256(mail.message), `<${n}@s.example>`, undefined],
    );
  }
  await Promise.all(connections.map((connection) => connection.close()));
  // The server notices the end a moment after the client.
  for (let i = 0; sink.open > 0 && i < 1_000; i++) await sleep(10);
  assert.equal(sink.open, 0);
});

/** A body of lines whose starts and lengths are the awkward ones, stuffed as the renderer does, and what it means. */
function awkward(seed: number): { wire: Buffer; meant: Buffer } {
  const dice = diceOf(seed);
  const starts = ['', '.', '..', '...', 'x', ' .', 'QUIT', 'RSET', 'MAIL FROM:<a@b.example>', '=2E'];
  const lines = Array.from({ length: dice.below(seed % 50 === 0 ? 3000 : 60) }, () =>
    (dice.pick(starts) + 'y'.repeat(dice.pick([0, 1, 60, 76, 900]))).slice(0, 997),
  );
  const meant = [`Message-ID: <${seed}@s.example>`, '', ...lines];
  return { meant: text(...meant), wire: text(...meant.map((line) => (line.startsWith('.') ? `.${line}` : line))) };
}

test('with refusals in between every accepted message is accepted once and no refused one is', async (t) => {
  const sink = await startSink({ strict: true });
  t.after(() => sink.close());
  const connection = await connectTo(sink.port);
  const dice = diceOf(7);
  const words = ['ok', 'ok', 'ok', '550rcpt', '450rcpt', '552dot', '451data', '550mail', 'multi-rcpt', 'delay1-dot'];
  const names = Array.from({ length: 500 }, (_, i) => `${dice.pick(words)}.${i}@x.example`);
  const outcomes = await Promise.all(names.map((name) => connection.send(mailTo(name))));
  for (const [i, outcome] of outcomes.entries()) {
    const scripted = /^(\d+)(\w+)\./.exec(names[i]!);
    const step = scripted?.[2] === 'dot' ? 'dot, dotted' : scripted?.[2];
    assert.equal(inShort(outcome), scripted ? `${scripted[1]} at ${step}` : '250 at dot, dotted', names[i]);
  }
  assert.deepEqual(
    sink.accepted().map((entry) => entry.to),
    names.filter((name) => /^(ok|multi|delay)/.test(name)),
  );
  await connection.close();
});

test('lines that start with dots, in bodies of any length, arrive unchanged', async (t) => {
  const sink = await startSink({ strict: true });
  t.after(() => sink.close());
  const connection = await connectTo(sink.port);
  const messages = Array.from({ length: 200 }, (_, i) => awkward(i));
  const outcomes = await Promise.all(
    messages.map(({ wire }, i) => connection.send(mailTo(`ok.${i}@x.example`, { message: wire }))),
  );
  assert.deepEqual(new Set(outcomes.map(inShort)), new Set(['250 at dot, dotted']));
  assert.deepEqual(
    sink.log.map((entry) => [entry.sha256, entry.flaws]),
    messages.map(({ meant }) => [sha256(meant), undefined]),
  );
  await connection.close();
});

const smuggled =
  'MAIL FROM:<evil@s.example>\r\nRCPT TO:<ok.smuggled@x.example>\r\nDATA\r\nSubject: evil\r\n\r\nevil\r\n';
const breaks = ['\r\n', '\n', '\r', '\r\r\n', '\n\r'];
const stuffed = breaks.flatMap((before) =>
  ['.', '..'].flatMap((dot) => breaks.map((after) => `${before}${dot}${after}`)),
);

for (const lenientEnd of [false, true]) {
  const kind = lenientEnd ? 'takes any lone dot for the end' : 'keeps to the RFC';
  test(`at a server that ${kind}, no way to write a dot smuggles in a second message`, async (t) => {
    const sink = await startSink({ lenientEnd });
    t.after(() => sink.close());
    const verdicts = new Map<string, string>();
    for (const end of stuffed) {
      const connection = await connectTo(sink.port);
      const message = Buffer.from(`Subject: x\r\n\r\nfirst${end}${smuggled}`, 'latin1');
      verdicts.set(JSON.stringify(end), inShort(await connection.send(mailTo('ok.outer@x.example', { message }))));
      await connection.close();
    }
    assert.deepEqual(
      sink.accepted().filter((entry) => entry.to === 'ok.smuggled@x.example' || entry.from === 'evil@s.example'),
      [],
      JSON.stringify([...verdicts]),
    );
    // A dot doubled as it should be is no danger and must pass.
    assert.equal(verdicts.get(JSON.stringify('\r\n..\r\n')), '250 at dot, dotted');
    assert.equal(verdicts.get(JSON.stringify('\r\n.\r\n')), '554 at data');
    assert.equal(verdicts.get(JSON.stringify('\n.\n')), '554 at data');
    assert.equal(verdicts.get(JSON.stringify('\r.\r')), '554 at data');
  });
}

test('messages not ended by CRLF, empty, or with a dot as first line are refused before the wire', async (t) => {
  const sink = await startSink({ trace: true });
  t.after(() => sink.close());
  const connection = await connectTo(sink.port);
  for (const message of ['', '\n', 'x', 'x\n', 'x\r', '.\r\n', '.\nx\r\n', '.\r\nx\r\n'])
    assert.equal(
      inShort(await connection.send(mailTo('ok.1@x.example', { message: Buffer.from(message) }))),
      '554 at data',
      JSON.stringify(message),
    );
  assert.deepEqual(
    sink.log.filter((entry) => entry.step === 'mail'),
    [],
  );
  await connection.close();
});

test('after a rendered message with a lone dot, found in the sample, every rendered message is checked', async (t) => {
  const sink = await startSink({ trace: true });
  t.after(() => sink.close());
  const connection = await connectTo(sink.port);
  const send = async (message: string) =>
    inShort(await connection.send(mailTo('ok.1@x.example', { message: Buffer.from(message), isRendered: true })));
  const flawed = `Subject: x\r\n\r\nfirst\r\n.\r\n${smuggled}`;
  // The first of a process is in the sample, the second is not.
  assert.deepEqual([await send(flawed), await send(flawed)], ['554 at data', '554 at data']);
  assert.equal(await send('Subject: x\r\n\r\nfirst\r\n'), '250 at dot, dotted');
  await connection.close();
});

test('whatever octets a message contains, the server counts exactly the messages that were sent', async (t) => {
  const sink = await startSink({ lenientEnd: true });
  t.after(() => sink.close());
  const piece = fc.constantFrom(
    '.',
    '..',
    '\r',
    '\n',
    '\r\n',
    'x',
    'DATA',
    'MAIL FROM:<e@s.example>',
    'RCPT TO:<e@x.example>',
    ' ',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
      const before = sink.counts.accepted;
      const connection = await connectTo(sink.port);
      const message = Buffer.from(`${pieces.join('')}\r\n`);
      const outcome = inShort(await connection.send(mailTo('ok.1@x.example', { message })));
      await connection.close();
      assert.equal(sink.counts.accepted - before, outcome === '250 at dot, dotted' ? 1 : 0);
      assert.match(outcome, /^(250 at dot, dotted|554 at data)$/);
    }),
    { numRuns: runs(300) },
  );
});
