// Events while web processes are killed: a program sends batches, repeats what got no answer, and in the end each event is stored
// once, and each that was answered is there.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readEmbeddedUrl } from '../../src/db/embedded/embedded.ts';
import { Installation } from '../support/installation/installation.ts';

const kills = 10;
const batches = 200;
const inBatch = 50;
const installation = new Installation({ API_RATE: '100000' });

before(() => installation.start());
after(() => installation.remove());

test('a batch that is killed on its way counts once when it is repeated', async () => {
  const call = <T>(method: string, params: object) => installation.call<T>(method, params as Record<string, unknown>);
  const list = await call<string>('listCreate', { title: 'Shop' });
  await call('listSubscribe', { id: list, email_address: 'ann@example.com', double_optin: false });
  const eventsOf = (no: number) =>
    Array.from({ length: inBatch }, (_, n) => ({
      name: 'seen',
      email_address: n % 2 === 0 ? 'ann@example.com' : `guest${no}.${n}@example.com`,
      create_contact: true,
      id: `${no}-${n}`,
      data: { no, n },
    }));
  let next = 0;
  let answered = 0;
  let unanswered = 0;
  const until = performance.now() + 240_000;
  const send = async (no: number) => {
    for (;;) {
      try {
        const { results } = await call<{ results: string[] }>('eventSendBatch', { events: eventsOf(no) });
        assert.ok(results.every((result) => result !== 'error'));
        answered++;
        return;
      } catch (error) {
        if (performance.now() > until) throw error;
        unanswered++;
        await sleep(50);
      }
    }
  };
  const sending = Array.from({ length: 4 }, async () => {
    while (next < batches) await send(next++);
  });
  for (let killed = 0; killed < kills && answered < batches; killed++) {
    const before = answered;
    await installation.until('some batches are stored', async () => answered > before || answered === batches);
    for (const pid of installation.pids('web')) process.kill(pid, 'SIGKILL');
  }
  await Promise.all(sending);
  assert.ok(unanswered > 0, 'some were killed on their way');
  const client = new pg.Client({ connectionString: readEmbeddedUrl(installation.dataDir) });
  await client.connect();
  const { rows } = await client.query(
    `select count(*)::int as events, count(distinct (data ->> 'no', data ->> 'n'))::int as different,
      (select count(*)::int from event_id) as ids
    from contact_event`,
  );
  await client.end();
  assert.deepEqual(rows, [{ events: batches * inBatch, different: batches * inBatch, ids: batches * inBatch }]);
});
