// A call that creates something and is repeated because its answer was lost, over connections that break.
import assert from 'node:assert/strict';
import { connect as connectTo } from 'node:net';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { sql } from '../db/connect.ts';
import { purgeIdempotencyRecords } from './idempotency.ts';

let app: TestApp;
let base: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
});
after(() => app.close());

const lists = () => app.call<{ id: string; name: string }[]>('lists');

/** Sends a call as JSON and breaks the connection at the first byte of the answer. */
function loseAnswer(method: string, params: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base);
    const body = JSON.stringify({ apikey: app.key, ...params });
    const socket = connectTo(Number(port), hostname, () =>
      socket.write(
        `POST /api/${method} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      ),
    );
    socket.once('error', reject);
    socket.once('data', () => {
      socket.destroy();
      resolve();
    });
  });
}

test('F52: a call repeated with its idempotency key after a lost answer creates nothing twice', async () => {
  const list = { title: 'Once', idempotency_key: 'list 1' };
  await loseAnswer('listCreate', list);
  const listId = await app.call<string>('listCreate', list);
  assert.deepEqual(
    (await lists()).filter((item) => item.name === 'Once').map((item) => item.id),
    [listId],
  );
  const campaign = {
    type: 'plain',
    options: { list_id: listId, subject: 'Once', from_email: 'a@example.com', from_name: 'A' },
    content: { plain: 'Hello *|UNSUB|*' },
    idempotency_key: 'c0ffee',
  };
  await loseAnswer('campaignCreate', campaign);
  const cid = await app.call<string>('campaignCreate', campaign);
  const copy = { cid, idempotency_key: 'c0ffee' };
  await loseAnswer('campaignReplicate', copy);
  await loseAnswer('campaignReplicate', copy);
  const copied = await app.call<string>('campaignReplicate', copy);
  const all = await app.call<{ id: string }[]>('campaigns', {});
  assert.deepEqual(all.map((item) => item.id).sort(), [cid, copied].sort());
  // What cannot be done twice by its nature answers with the state.
  await app.call('listSubscribe', { id: listId, email_address: 'a@good.example', merge_vars: {}, double_optin: false });
  await loseAnswer('campaignSendNow', { cid });
  await assert.rejects(app.call('campaignSendNow', { cid }), { code: 313, message: /sen[dt]/ });
});

test('twenty simultaneous calls with one key create one template and get the same answer', async () => {
  const call = { name: 'At once', source: '<p>x</p>', idempotency_key: 'one of twenty' };
  const answers = await Promise.all(Array.from({ length: 20 }, () => app.call<string>('templateCreate', call)));
  assert.equal(new Set(answers).size, 1);
  const made = await app.app.db.row<{ count: number }>(sql`
    select count(*)::int as count from template where name = 'At once'`);
  assert.equal(made!.count, 1);
});

test('a key that was used by another call, is empty or too long is refused; a failed call frees its key', async () => {
  const key = { idempotency_key: 'mine' };
  await app.call('listCreate', { title: 'First', ...key });
  await assert.rejects(app.call('listCreate', { title: 'Second', ...key }), {
    code: -32602,
    message: /^idempotency_key was used for another call/,
  });
  for (const wrong of [' ', 'k'.repeat(101)])
    await assert.rejects(app.call('listCreate', { title: 'Third', idempotency_key: wrong }), {
      message: /^idempotency_key /,
    });
  const broken = { title: 'Fourth', options: { default_from_email: 'nobody' }, idempotency_key: 'again' };
  await assert.rejects(app.call('listCreate', broken));
  assert.match(await app.call<string>('listCreate', { title: 'Fourth', idempotency_key: 'again' }), /^[a-f0-9]{8}$/);
});

test('a key is kept for a day', async () => {
  const call = { title: 'Daily', idempotency_key: 'today' };
  const first = await app.call<string>('listCreate', call);
  const run = () => purgeIdempotencyRecords({ app: app.app, log: app.app.log, signal: new AbortController().signal });
  await run();
  assert.equal(await app.call<string>('listCreate', call), first);
  await app.app.db.run(sql`update idempotency_record set at = at - interval '25 hours'`);
  await run();
  assert.notEqual(await app.call<string>('listCreate', call), first);
});
