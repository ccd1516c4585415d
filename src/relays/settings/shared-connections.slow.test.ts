// The connections of a relay are a limit of the installation: worker processes that come, stop and are killed share them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Crew } from '../../../test/support/delivery/crew.ts';
import { until } from '../../../test/support/run/until.ts';
import { sql } from '../../db/connect.ts';

const slow = (count: number) => Array.from({ length: count }, (_, n) => `delay20-dot.${n}@d${n % 40}.example`);

/** Open connections to the relay by worker, as the live workers report them; workers without one are left out. */
async function openByWorker(crew: Crew): Promise<number[]> {
  const rows = await crew.t.app.db.rows<{ connections: number }>(sql`
    select (relay ->> 'connections')::int as connections
    from worker_status s
    join worker w on w.id = s.worker_id and w.ended_at is null
    cross join jsonb_array_elements(s.relays) relay
    where (relay ->> 'connections')::int > 0
    order by connections desc`);
  return rows.map(({ connections }) => connections);
}

async function shared(crew: Crew, expected: readonly number[]): Promise<void> {
  let last: number[] = [];
  await until(`connections by worker: ${expected.join(', ')}`, async () => {
    last = await openByWorker(crew);
    return JSON.stringify(last) === JSON.stringify(expected) && crew.sink.open <= total(expected);
  }).catch((error) => assert.fail(`${error.message}, not ${last.join(', ')}; open ${crew.sink.open}`));
  crew.sink.maxOpen = crew.sink.open;
}

const total = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);

test('workers share the connections of a relay, and share them again when one starts, stops or is killed', async (t) => {
  const crew = await Crew.start({ connections: 5 });
  t.after(() => crew.close());
  await crew.t.call('accountUpdate', { name: 'unclear', value: 'hold' });
  const audience = slow(5_000);
  const id = await crew.campaign(audience);
  const first = crew.worker();
  await shared(crew, [5]);
  const second = crew.worker();
  await shared(crew, [3, 2]);
  crew.worker();
  await shared(crew, [2, 2, 1]);
  const before = crew.sink.counts.accepted;
  await until('300 more messages', () => crew.sink.counts.accepted > before + 300);
  assert.equal(crew.sink.maxOpen, 5, 'never more than the limit while the workers stay the same');
  assert.equal(await first.stop(), 0);
  await shared(crew, [3, 2]);
  second.kill('SIGKILL');
  await shared(crew, [5]);
  await crew.ended(id, audience, { hold: true, seconds: 90 });
  assert.equal(crew.sink.maxOpen, 5);
});

test('only as many workers send over a relay as it has connections, and another takes the place of one that dies', async (t) => {
  const crew = await Crew.start({ connections: 2 });
  t.after(() => crew.close());
  const workers = Array.from({ length: 4 }, () => crew.worker());
  const isIdle = ({ output }: { output: string }) => output.includes('there are more workers than connections');
  await until('two workers report that they have no connection', () => workers.filter(isIdle).length >= 2);
  await crew.t.call('accountUpdate', { name: 'unclear', value: 'hold' });
  const audience = slow(1_500);
  const id = await crew.campaign(audience);
  await shared(crew, [1, 1]);
  const sending = await crew.t.app.db.row<{ id: string; pid: number }>(sql`
    select w.id, w.pid
    from worker_status s
    join worker w on w.id = s.worker_id
    where jsonb_array_length(s.relays) > 0
    order by w.id
    limit 1`);
  const victim = workers.find(({ pid }) => pid === sending?.pid);
  victim!.kill('SIGKILL');
  await victim!.ended;
  // Until then the other worker and the dead one count as two.
  await until('the death is noticed', async () => {
    const worker = await crew.t.app.db.row<{ ended: boolean }>(sql`
      select ended_at is not null as ended
      from worker
      where id = ${sending!.id}`);
    return worker!.ended;
  });
  await shared(crew, [1, 1]);
  await crew.ended(id, audience, { hold: true, seconds: 90 });
  assert.ok(crew.sink.maxOpen <= 2, `${crew.sink.maxOpen} connections`);
});
