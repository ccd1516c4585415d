// The client against a server that misbehaves at each step in each way: every send gets the right outcome quickly,
// and messages with a final dot are distinguished from those without. Rows F20 to F29 of the fault list begin here.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { connectTo, inShort, mailTo, relayTo, text } from '../../../test/support/builders/smtp.ts';
import { type SessionScript, type SinkOptions, startSink } from '../../../test/support/smtp-sink/sink.ts';
import { limitsMs, pieceMs } from '../verdict/outcome.ts';
import { openConnection } from './open-connection.ts';

// At this scale the five minutes of MAIL are 300 ms, the two of DATA 120 ms, the ten of the dot 600 ms.
const timeScale = 0.001;
const ways = [true, false] as const;
const named = (pipelining: boolean) => (pipelining ? 'with' : 'without');

async function sinkFor(t: TestContext, options: SinkOptions = {}) {
  const sink = await startSink({ strict: true, ...options });
  t.after(() => sink.close());
  return sink;
}

/** What a behaviour makes of a message at each step that knows the recipient; S is replaced by the step. */
const atStep: [behaviour: string, outcome: string, scale?: number][] = [
  ['drop', 'lost at S: closed'],
  ['rst', 'lost at S: reset'],
  ['stall', 'lost at S: timeout', timeScale],
  ['drip', 'lost at S: timeout', timeScale],
  ['noeol', 'lost at S: timeout', timeScale],
  ['garbage', 'lost at S: garbage'],
  ['long', 'lost at S: too_long'],
  ['endless', 'lost at S: too_long'],
  ['421', '421 at S'],
  ['450', '450 at S'],
  ['550', '550 at S'],
  ['nul', '250 at dot'],
  ['multi', '250 at dot'],
  ['delay50', '250 at dot'],
];

/** The row of the fault list that a behaviour belongs to. */
function rowOf(behaviour: string, step: string): string {
  if (/^(drop|rst)$/.test(behaviour)) return step === 'dot' ? 'F26' : 'F25';
  const rows: Record<string, string> = { '421': 'F20', '450': 'F21', '550': 'F22', stall: 'F24', delay50: 'F24' };
  return rows[behaviour] ?? 'F28';
}

for (const pipelining of ways) {
  for (const step of ['mail', 'rcpt', 'data', 'dot'] as const) {
    for (const [behaviour, outcome, scale] of atStep) {
      const word = /^\d/.test(behaviour) ? `${behaviour}${step}` : `${behaviour}-${step}`;
      test(`${rowOf(behaviour, step)} ${behaviour} at ${step} ${named(pipelining)} pipelining: ${outcome.replace('S', step)}`, async (t) => {
        // Each octet comes in time; the whole reply does not.
        const sink = await sinkFor(t, { pipelining, dripMs: behaviour === 'drip' ? 80 : 1 });
        const connection = await connectTo(sink.port, {}, { timeScale: scale ?? 1 });
        // Without pipelining MAIL is judged by its sender alone.
        const sent = await connection.send(mailTo(`${word}.1@x.example`, { mailFrom: `${word}@s.example` }));
        const expected = outcome.replace('S', step);
        assert.equal(inShort(sent), step === 'dot' || expected.includes('at dot') ? `${expected}, dotted` : expected);
        const after = inShort(await connection.send(mailTo('ok.2@x.example')));
        if (/^(450|550|250)/.test(expected)) assert.equal(after, '250 at dot, dotted', 'the connection continues');
        else assert.equal(after, 'lost at mail: closed, untried', 'the connection is over');
        connection.destroy();
      });
    }
  }

  test(`F20 F25 F26 a message behind one that ends the connection is not an attempt ${named(pipelining)} pipelining`, async (t) => {
    const sink = await sinkFor(t, { pipelining });
    for (const [first, outcome] of [
      ['drop-dot', 'lost at dot: closed, dotted'],
      ['rst-dot', 'lost at dot: reset, dotted'],
      ['421dot', '421 at dot, dotted'],
      ['garbage-dot', 'lost at dot: garbage, dotted'],
      ['421rcpt', '421 at rcpt'],
      ['drop-data', 'lost at data: closed'],
    ] as const) {
      const connection = await connectTo(sink.port);
      const outcomes = await Promise.all(
        [`${first}.1`, 'ok.2', 'ok.3', 'ok.4'].map((name) => connection.send(mailTo(`${name}@x.example`))),
      );
      const why = first === 'rst-dot' ? 'reset' : first === 'garbage-dot' ? 'garbage' : 'closed';
      const [head, ...rest] = outcomes.map(inShort);
      assert.equal(head, outcome);
      for (const one of rest) assert.match(one, /^lost at mail: \w+, untried$/, `${first}: ${one} (${why})`);
    }
  });

  test(`F27 a connection closed after the 250 has accepted its message ${named(pipelining)} pipelining`, async (t) => {
    const sink = await sinkFor(t, { pipelining });
    const connection = await connectTo(sink.port);
    assert.equal(inShort(await connection.send(mailTo('drop-after250.1@x.example'))), '250 at dot, dotted');
    await connection.closed;
    assert.equal(connection.usable, false);
    assert.equal(sink.counts.accepted, 1);
  });

  test(`F26 accepted without a reply is unclear, and logged once as accepted, ${named(pipelining)} pipelining`, async (t) => {
    const sink = await sinkFor(t, { pipelining });
    const connection = await connectTo(sink.port);
    assert.equal(inShort(await connection.send(mailTo('keep-dot.1@x.example'))), 'lost at dot: closed, dotted');
    assert.equal(sink.counts.accepted, 1);
  });

  test(`F29 closed, stalled or refused in the middle of a long body, ${named(pipelining)} pipelining`, async (t) => {
    const sink = await sinkFor(t, { pipelining });
    // 20 MB: more than the sockets of both sides hold.
    const long = Buffer.concat([text('Subject: long', ''), Buffer.from(`${'x'.repeat(78)}\r\n`.repeat(250_000))]);
    // Only the server that stalls is waited for; its limit leaves a busy machine time to connect.
    for (const [word, outcome, scale] of [
      ['drop-half', /^lost at data: (closed|reset)$/, 1],
      ['stall-half', /^lost at data: timeout$/, 0.01],
      ['refuse-half', /^452 at data$/, 1],
    ] as const) {
      const connection = await connectTo(sink.port, {}, { timeScale: scale });
      let dots = 0;
      const sent = await connection.send(
        mailTo(`${word}.1@x.example`, {
          message: long,
          onDot() {
            dots++;
            return true;
          },
        }),
      );
      assert.match(inShort(sent), outcome, word);
      assert.equal(dots, 0, 'its end was never near the wire');
    }
  });
}

test('F24 no time limit is shorter than RFC 5321 4.5.3.2 requires', () => {
  const minute = 60_000;
  const least = { connect: 5, ehlo: 5, mail: 5, rcpt: 5, data: 2, dot: 10 } as const;
  for (const [step, minutes] of Object.entries(least))
    assert.ok(
      limitsMs[step as keyof typeof least] >= minutes * minute,
      `${step}: ${limitsMs[step as keyof typeof least]}`,
    );
  assert.ok(pieceMs >= 3 * minute);
});

// Twelve minutes of waiting, for a nightly run: RCPT is given up after its five minutes, the dot after its ten.
if (process.env['REAL_TIME'])
  test('F24 with full time limits a stalled server is given up at the limit, not before', async (t) => {
    const sink = await sinkFor(t);
    const waits = { rcpt: 5, dot: 10 } as const;
    await Promise.all(
      Object.entries(waits).map(async ([step, minutes]) => {
        const opened = await openConnection(relayTo(sink.port), { ehloName: 'client.example' });
        assert.ok(opened.ok);
        const begunAt = performance.now();
        const outcome = await opened.connection.send(mailTo(`stall-${step}.1@x.example`));
        const tookMinutes = (performance.now() - begunAt) / 60_000;
        assert.match(inShort(outcome), new RegExp(`lost at ${step}: timeout`));
        assert.ok(tookMinutes >= minutes && tookMinutes < minutes + 0.1, `${step}: ${tookMinutes} minutes`);
      }),
    );
  });

const atSession: [step: keyof SessionScript, word: string, outcome: string, scale?: number][] = (
  ['connect', 'ehlo', 'starttls', 'auth'] as const
).flatMap((step) =>
  atStep
    .filter(([, outcome]) => outcome.includes('S'))
    .map(([word, outcome, scale]): [keyof SessionScript, string, string, number?] => [
      step,
      word,
      outcome.replace('S', step),
      scale,
    ]),
);

for (const [step, word, outcome, scale] of atSession) {
  test(`${rowOf(word, step)} ${word} at ${step}: ${outcome}`, async (t) => {
    const { cert, key } = await import('../../../test/support/smtp-sink/certificate.ts').then((made) =>
      made.createCertificate(made.createAuthority(), ['127.0.0.1']),
    );
    const sink = await sinkFor(t, {
      session: { [step]: word },
      dripMs: word === 'drip' ? 20 : 1,
      auth: { user: 'u', password: 'p' },
      ...(step === 'starttls' ? { tls: { cert, key, starttls: true } } : {}),
    });
    const opened = await openConnection(
      relayTo(sink.port, { auth: { user: 'u', password: 'p' }, tls: step === 'starttls' ? 'require' : 'none' }),
      { ehloName: 'client.example', timeScale: scale ?? 1 },
    );
    assert.equal(opened.ok, false);
    assert.equal(inShort(opened.outcome), outcome);
  });
}

test('a server that cannot be connected to is lost at connect', async (t) => {
  const sink = await sinkFor(t);
  await sink.close();
  const opened = await openConnection(relayTo(sink.port), { ehloName: 'client.example' });
  assert.equal(opened.ok, false);
  assert.equal(inShort(opened.outcome), 'lost at connect: closed');
});

test('F34 a host without an address is lost at connect', async () => {
  const opened = await openConnection(relayTo(25, { host: 'no-such-host.invalid' }), { ehloName: 'client.example' });
  assert.equal(opened.ok, false);
  assert.equal(inShort(opened.outcome), 'lost at connect: closed');
});

test('F27 a server that never answers QUIT does not keep the client', async (t) => {
  const sink = await sinkFor(t, { session: { quit: 'stall' } });
  const connection = await connectTo(sink.port, {}, { timeScale: 0.01 });
  assert.equal(inShort(await connection.send(mailTo('ok.1@x.example'))), '250 at dot, dotted');
  assert.match(await connection.close(), /waited too long for the reply to QUIT/);
});

test('closing lets queued messages finish and accepts no more', async (t) => {
  const sink = await sinkFor(t);
  const connection = await connectTo(sink.port);
  const queued = Array.from({ length: 30 }, (_, i) => connection.send(mailTo(`ok.${i}@x.example`)));
  const closed = connection.close();
  const late = await connection.send(mailTo('ok.late@x.example'));
  assert.deepEqual(new Set((await Promise.all(queued)).map(inShort)), new Set(['250 at dot, dotted']));
  assert.equal(inShort(late), 'lost at mail: closed, untried');
  assert.equal(await closed, 'closed after QUIT');
  assert.equal(sink.counts.accepted, 30);
});

test('F28 one server that drips does not slow the connections to another', async (t) => {
  const healthy = await sinkFor(t);
  const slow = await sinkFor(t, { session: { ehlo: 'drip' }, dripMs: 5 });
  const hanging = Array.from({ length: 20 }, () =>
    openConnection(relayTo(slow.port), { ehloName: 'client.example', timeScale: 0.01 }),
  );
  const connection = await connectTo(healthy.port);
  const sent = await Promise.all(Array.from({ length: 300 }, (_, i) => connection.send(mailTo(`ok.${i}@x.example`))));
  assert.deepEqual(new Set(sent.map(inShort)), new Set(['250 at dot, dotted']));
  await connection.close();
  for (const opened of await Promise.all(hanging)) if (opened.ok) opened.connection.destroy();
});
