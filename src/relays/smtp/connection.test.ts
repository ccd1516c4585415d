// The client against the scriptable sink: queued messages at a healthy or refusing server.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { connectTo, inShort, mailTo, sha256, text } from '../../../test/support/builders/smtp.ts';
import { type SinkOptions, startSink } from '../../../test/support/smtp-sink/sink.ts';

async function sinkFor(t: TestContext, options: SinkOptions = {}) {
  const sink = await startSink({ strict: true, ...options });
  t.after(() => sink.close());
  return sink;
}

for (const pipelining of [true, false]) {
  const how = pipelining ? 'with' : 'without';

  test(`queued messages arrive in order and unchanged ${how} pipelining`, async (t) => {
    const sink = await sinkFor(t, { pipelining });
    const connection = await connectTo(sink.port);
    const messages = Array.from({ length: 50 }, (_, i) =>
      mailTo(`ok.${i}@x.example`, { message: text('Subject: x', '', 'y'.repeat(i), '..dots') }),
    );
    const outcomes = await Promise.all(messages.map((mail) => connection.send(mail)));
    assert.deepEqual(new Set(outcomes.map(inShort)), new Set(['250 at dot, dotted']));
    assert.deepEqual(
      sink.log.map(({ event, to, sha256, flaws }) => [event, to, sha256, flaws]),
      messages.map((_, i) => [
        'accepted',
        `ok.${i}@x.example`,
        sha256(text('Subject: x', '', 'y'.repeat(i), '.dots')),
        undefined,
      ]),
    );
    assert.equal(await connection.close(), 'closed after QUIT');
  });

  test(`a refused recipient does not affect the messages before and after it ${how} pipelining`, async (t) => {
    const sink = await sinkFor(t, { pipelining });
    const connection = await connectTo(sink.port);
    const outcomes = await Promise.all(
      [
        'ok.1',
        '550rcpt.2',
        'ok.3',
        '450mail.4',
        'ok.5',
        '451data.6',
        'ok.7',
        '552dot.8',
        '550rcpt.9',
        '550rcpt.10',
        'ok.11',
      ].map((name) =>
        connection.send(
          mailTo(`${name}@x.example`, name.startsWith('450mail') ? { mailFrom: '450mail@s.example' } : {}),
        ),
      ),
    );
    assert.deepEqual(outcomes.map(inShort), [
      '250 at dot, dotted',
      '550 at rcpt',
      '250 at dot, dotted',
      '450 at mail',
      '250 at dot, dotted',
      '451 at data',
      '250 at dot, dotted',
      '552 at dot, dotted',
      '550 at rcpt',
      '550 at rcpt',
      '250 at dot, dotted',
    ]);
    assert.deepEqual(
      sink.accepted().map((entry) => entry.to),
      ['ok.1@x.example', 'ok.3@x.example', 'ok.5@x.example', 'ok.7@x.example', 'ok.11@x.example'],
    );
    assert.equal(connection.pending, 0);
    await connection.close();
  });

  test(`a message whose dot is not allowed is not ended, ${how} pipelining`, async (t) => {
    const sink = await sinkFor(t, { pipelining });
    const connection = await connectTo(sink.port);
    const outcomes = await Promise.all([
      connection.send(mailTo('ok.1@x.example')),
      connection.send(mailTo('ok.2@x.example', { onDot: () => false })),
      connection.send(mailTo('ok.3@x.example')),
    ]);
    assert.deepEqual(outcomes.map(inShort), ['250 at dot, dotted', 'notSent', 'lost at mail: closed, untried']);
    assert.deepEqual(
      sink.log.map((entry) => entry.to),
      ['ok.1@x.example'],
    );
    assert.equal(connection.usable, false);
    await connection.closed;
  });
}

test('messages behind an unanswered one can be released, and that one given up', async (t) => {
  const sink = await sinkFor(t);
  const connection = await connectTo(sink.port);
  const stalled = connection.send(mailTo('stall-rcpt.1@dead.example'));
  const behind = [1, 2].map((n) => connection.send(mailTo(`ok.${n}@x.example`)));
  connection.releaseQueued();
  assert.deepEqual((await Promise.all(behind)).map(inShort), Array(2).fill('lost at mail: closed, untried'));
  assert.equal(connection.pending, 1);
  assert.ok(connection.usable, 'the server may still answer');
  assert.deepEqual(connection.oldestInFlight, { rcptTo: 'stall-rcpt.1@dead.example', dotted: false });
  connection.giveUp();
  const outcome = await stalled;
  assert.match(inShort(outcome), /^lost at (mail|rcpt): timeout$/);
  assert.match('text' in outcome ? outcome.text : '', /other messages waited/);
  assert.deepEqual([connection.pending, connection.usable, connection.oldestInFlight], [0, false, undefined]);
});
