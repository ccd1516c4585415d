// The check of the invariants must notice when one of them is violated, or a fault test with it proves nothing.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../../src/db/connect.ts';
import { Engine, people } from '../delivery/engine.ts';
import { type Entry, type Sink, startSink } from '../smtp-sink/sink.ts';
import { checkInvariants, watchMoves } from './invariants.ts';

let sink: Sink;
let engine: Engine;
let campaign: number;
const audience = [...people(12), ...people(2, 'odd.example', '450rcpt'), ...people(1, 'odd.example', '550rcpt')];

before(async () => {
  sink = await startSink();
  engine = await Engine.start({ SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none&connections=2` });
  await watchMoves(engine.app.app.db);
  campaign = await engine.send(audience);
  await engine.settled(campaign);
  // The last chunk is given back a moment after its last mail; only then the later ones have a chunk of their own.
  const leased = () => db().rows(sql`select from chunk where campaign_id = ${campaign} and state = 'leased'`);
  while ((await leased()).length > 0) await sleep(50);
});
after(async () => {
  await engine.stop();
  await sink.close();
});

const db = () => engine.app.app.db;
const check = (entries: readonly Entry[] = sink.log, more = {}) =>
  checkInvariants(db(), entries, { campaign, audience, ...more });
const first = () => sink.accepted()[0]!;

/** Breaks the rows, checks them, and repairs them. */
async function withRows(change: string, repair: string, pattern: RegExp): Promise<void> {
  await db().pool.query(change);
  try {
    await assert.rejects(check(), pattern);
  } finally {
    await db().pool.query(repair);
    await db().pool.query('delete from wrong_move');
  }
  await check();
}

test('a correct delivery violates no invariant, and is counted', async () => {
  const { recipients, counts, taken, copies } = await check();
  assert.deepEqual(
    { recipients, accepted: counts.accepted, later: counts.later, failed: counts.failed, taken, copies },
    { recipients: 15, accepted: 12, later: 2, failed: 1, taken: 12, copies: 0 },
  );
});

test('I1 finds a recipient without a row, or waiting without a chunk', async () => {
  await assert.rejects(
    check(sink.log, { audience: [...audience, 'lost@good.example'] }),
    /I1 without a row: 1, such as lost@/,
  );
  await withRows(
    `update chunk set state = 'done' where kind = 'retry'`,
    `update chunk set state = 'waiting' where kind = 'retry'`,
    /I1 waiting without a chunk.*: 2/,
  );
});

test('I2 finds a message that was taken twice unless the second is marked as a copy', async () => {
  await assert.rejects(check([...sink.log, first()]), /I2 doubled unmarked: 1/);
  await withRows(
    `update delivery set resent = 1 where email = '${first().to!}'`,
    `update delivery set resent = 0 where email = '${first().to!}'`,
    /I2 copies counted that were not tried: 1[\s\S]*I5 the accounting does not hold/,
  );
  const copies = async (count: number) => {
    await db().run(
      sql`update delivery set resent = ${count}, attempts = 1 + ${count}::int where email = ${first().to!}`,
    );
    await db().run(sql`update tally set resent = ${count} where shard = 0`);
  };
  await copies(1);
  assert.equal((await check([...sink.log, first()])).copies, 1);
  const other = { ...first(), messageId: first().messageId!.replace('@', 'x@') };
  await assert.rejects(check([...sink.log, other]), /I2 copies with another Message-ID/);
  await copies(0);
});

test('I3 finds a message that is accepted but was never taken', async () => {
  await assert.rejects(check(sink.log.filter((entry) => entry !== first())), /I3 accepted and never taken: 1/);
});

test('I4 and I5 find a message that was taken but recorded as failed, and a tally that does not count it', async () => {
  const email = first().to!;
  await withRows(
    `update delivery set state = 4 where email = '${email}'`,
    `update delivery set state = 2 where email = '${email}'`,
    /I4 taken but recorded otherwise: 1[\s\S]*I5 the accounting does not hold/,
  );
  // That it was sent again excuses no other end than a refusal.
  await withRows(
    `update delivery set state = 5, resent = 1 where email = '${email}'`,
    `update delivery set state = 2, resent = 0 where email = '${email}'`,
    /I4 taken but recorded otherwise: 1[\s\S]*I4 once unclear but recorded as not sent: 1/,
  );
});

test('I6 counts messages that end after a stop', async () => {
  const atMs = first().atMs - 1;
  await assert.rejects(check(sink.log, { stopped: { atMs, open: 2 } }), /I6 ended after the stop, with 2 open: 12/);
  await check(sink.log, { stopped: { atMs: Date.now(), open: 0 } });
});

test('I7 finds a sent campaign with a waiting recipient, and an undefined move', async () => {
  await withRows(
    `update campaign set status = 'sent'`,
    `delete from wrong_move; update campaign set status = 'sending'`,
    /I7 sent before it was done: 1, such as 2 open/,
  );
  await withRows(
    `update delivery set state = 0 where email = '${first().to!}'`,
    `update delivery set state = 2 where email = '${first().to!}'`,
    /I7 moves that there are not: 1, such as .* from 2 to 0/,
  );
  await withRows(
    `update delivery set state = 5, resent = 1 where email like '450rcpt.0@%'`,
    `update delivery set state = 3, resent = 0 where email like '450rcpt.0@%'`,
    /I7 moves that there are not: 1, such as .* from 3 to 5/,
  );
});
