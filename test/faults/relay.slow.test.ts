// Relays that are dead, refuse, or reject the password (faults F20, F23, F31, F35): which recipients are affected, and
// who is notified.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/base/free-port.ts';
import { sql } from '../../src/db/connect.ts';
import { countBy, Engine, people } from '../support/delivery/engine.ts';
import { type Sink, startSink } from '../support/smtp-sink/sink.ts';

const address = (sink: Sink, more = '') => `smtp://127.0.0.1:${sink.port}?tls=none&connections=4${more}`;
const twice = (sinks: Sink[]) =>
  Object.values(
    countBy(
      sinks.flatMap((sink) => sink.accepted()),
      (entry) => entry.to!,
    ),
  ).filter((n) => n > 1).length;

test('two relays share the messages by their weights', async () => {
  const sinks = [await startSink(), await startSink()];
  const engine = await Engine.start({ SMTP_URL: `${address(sinks[0]!, '&weight=3')} ${address(sinks[1]!)}` });
  try {
    const id = await engine.send(people(400));
    await engine.settled(id);
    const [a, b] = sinks.map((sink) => sink.counts.accepted);
    assert.equal(a! + b!, 400);
    assert.ok(a! > 240 && b! > 50, `${a} and ${b}`);
  } finally {
    await engine.stop();
    for (const sink of sinks) await sink.close();
  }
});

test('F35 when one of two relays is dead or dies, the other takes over, no recipient loses an attempt or gets two copies', async () => {
  const [dying, other] = [await startSink(), await startSink()];
  const dead = `smtp://127.0.0.1:${await freePort()}?tls=none`;
  const engine = await Engine.start({ SMTP_URL: `${dead},${address(dying)},${address(other)}` });
  try {
    const hold = dying.hold({ step: 'rcpt', nth: 20 });
    const id = await engine.send(people(300));
    await hold.reached;
    await dying.close();
    const all = await engine.until(id, (every) => every.every((recipient) => recipient.state === 'accepted'));
    // Those whose final dot was out when the relay died are sent again, marked.
    assert.deepEqual(
      countBy(all, (recipient) => recipient.state),
      { accepted: 300 },
    );
    assert.ok(all.every((recipient) => recipient.attempts === 1 + recipient.resent));
    assert.ok(twice([dying, other]) <= all.filter((recipient) => recipient.resent > 0).length);
  } finally {
    await engine.stop();
    await other.close();
  }
});

test('F20 while the only relay greets with 421, all stay queued, the reason is shown, nothing busy-loops, and sending resumes after', async () => {
  const sink = await startSink({ session: { connect: '421' } });
  const engine = await Engine.start({ SMTP_URL: address(sink) }, 1, 0.2);
  try {
    const id = await engine.send(people(200));
    await sleep(2_000);
    const before = process.cpuUsage();
    await sleep(2_000);
    const used = process.cpuUsage(before);
    assert.ok((used.user + used.system) / 2_000_000 < 0.3, `${(used.user + used.system) / 20_000} % of a core`);
    assert.ok(sink.counts.connections < 20, `${sink.counts.connections} connections`);
    const waiting = await engine.recipients(id);
    assert.ok(waiting.every((recipient) => recipient.state === 'queued' && recipient.attempts === 0));
    const progress = await engine.progress(id);
    assert.equal(progress.delivery_status, 'sending');
    assert.match(progress.status_reason, /^no relay can be used: 421 at connect/);
    sink.session = {};
    const all = await engine.settled(id, 20);
    assert.ok(all.every((recipient) => recipient.state === 'accepted' && recipient.attempts === 1));
    await engine.untilStatus(id, 'sent');
  } finally {
    await engine.stop();
    await sink.close();
  }
});

test('F31 a refused password pauses the relay, costs no recipient an attempt, and is not logged', async () => {
  const canary = 'canary-7f3a91';
  const sink = await startSink({ auth: { user: 'letters', password: 'another', required: true } });
  const url = `smtp://letters:${canary}@127.0.0.1:${sink.port}?tls=none&auth=plain&connections=2`;
  const lines: string[] = [];
  const engine = await Engine.start({ SMTP_URL: url, LOG_LEVEL: 'trace' }, 0, 0.2);
  const encoded = Buffer.from(`\0letters\0${canary}`).toString('base64');
  for (const level of ['trace', 'debug', 'info', 'warn', 'error'] as const)
    engine.app.app.log[level] = (...args: unknown[]) => {
      lines.push(
        args
          .map((value) => (value instanceof Error ? `${value.message}${value.stack}` : JSON.stringify(value)))
          .join(' '),
      );
    };
  await engine.addWorker();
  try {
    const id = await engine.send(people(20));
    await sleep(1_500);
    const all = await engine.recipients(id);
    assert.ok(all.every((recipient) => recipient.state === 'queued' && recipient.attempts === 0));
    assert.match((await engine.progress(id)).status_reason, /refused the sign-in.* 535 /);
    assert.ok(sink.counts.connections < 8);
    assert.ok(lines.some((line) => line.includes('relay unavailable')));
    const reported = await engine.app.app.db.rows(sql`select relays, gauges, counts from worker_status`);
    const everything = lines.join('\n') + JSON.stringify(reported) + JSON.stringify(await engine.progress(id));
    assert.ok(!everything.includes(canary) && !everything.includes(encoded));
  } finally {
    await engine.stop();
    await sink.close();
  }
});

test('F23 when everything is refused by policy, two workers pause the campaign, and the other recipients stay queued', async () => {
  const sink = await startSink();
  const engine = await Engine.start({ SMTP_URL: address(sink) }, 2);
  try {
    const id = await engine.send(people(1_500, 'strict.example', '571dot'));
    await engine.untilStatus(id, 'paused');
    const counts = countBy(
      await engine.until(id, (every) => every.every((recipient) => recipient.state !== 'trying')),
      (recipient) => recipient.state,
    );
    assert.ok(counts['queued']! > 1_200, JSON.stringify(counts));
    assert.match((await engine.status(id)).reason, /refusals by policy .*, last: 571 5\.7\.1 /);
    const notices = await engine.app.app.db.rows<{ payload: { subject: string; text: string } }>(sql`
      select payload
      from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id
      where t.identifier = 'sendAccountNotice'`);
    assert.equal(notices.length, 1, 'the owner is notified once, whichever worker paused it');
    assert.match(notices[0]!.payload.text, /refusals by policy/);
  } finally {
    await engine.stop();
    await sink.close();
  }
});
