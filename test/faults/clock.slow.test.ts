// The clock of the database steps while mail is on the wire (fault F40): it is set forward and back by more than a lease
// lasts. The workers' clocks are right all the time.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/db/connect.ts';
import { type DatabaseClock, movableClock } from '../support/clock/database-clock.ts';
import { Stage } from '../support/delivery/stage.ts';

let clock: DatabaseClock;
let stage: Stage;

before(async () => {
  stage = await Stage.start({
    workers: 2,
    relay: 'tls=none&connections=20',
    through: async (url) => {
      clock = await movableClock(url);
      return clock.url;
    },
  });
});
after(() => stage.stop());
afterEach(() => clock.set(0));

test('the movable clock changes the time that SQL reads and columns default to', async () => {
  const before = Date.now();
  await clock.set(7_200);
  const row = await stage.db.row<{ now: Date; timestamp: Date; default: Date }>(sql`
    insert into account (name, email, time_zone) values ('Clock', 'clock@example.com', 'Etc/UTC')
    returning now(), clock_timestamp() as timestamp, created_at as default`);
  for (const time of Object.values(row!)) assert.ok(Math.abs(time.getTime() - before - 7_200_000) < 10_000, `${time}`);
});

for (const [jump, ahead] of [
  ['+30s', 30],
  ['+2h', 7_200],
  ['-2h', -7_200],
  ['+1d', 86_400],
  ['-365d', -365 * 86_400],
] as const)
  test(`F40 the clock of the database is set to ${jump} with messages in flight: every recipient gets one copy`, async () => {
    const id = await stage.send(Array.from({ length: 12 }, (_, n) => `delay4000-data.${n}@d${n}.example`));
    await stage.engine.until(id, (all) => all.every((recipient) => recipient.state === 'trying'));
    await clock.set(ahead);
    await sleep(1_000);
    const { all, checked } = await stage.settled(id, 40);
    assert.ok(all.every((recipient) => recipient.state === 'accepted'));
    assert.deepEqual([checked.taken, checked.copies], [12, 0]);
    await stage.engine.untilStatus(id, 'sent', 30);
  });
