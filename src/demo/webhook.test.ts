// The demo's webhook, to which nothing was ever sent, shows a log like that of a webhook with a real receiver.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { receive } from 'postrider/receiver';
import type { TestApp } from '../../test/support/installation/app.ts';
import { appWithReceiver, type Receiver } from '../../test/support/network/receiver.ts';
import { sql } from '../db/connect.ts';
import { openSecret } from '../webhooks/signature.ts';
import { addDemoWebhook } from './webhook.ts';

let t: TestApp;
let receiver: Receiver;
let close: () => Promise<void>;
before(async () => {
  ({ t, receiver, close } = await appWithReceiver());
});
after(() => close());

type Shown = { headers: Record<string, string>; body: string; events: string[]; try: number; outcome: string };

test("the demo's log shows realistic requests: bodies, headers and attempts", async () => {
  const id = await t.call<string>('listCreate', { title: 'Readers' });
  const batch = Array.from({ length: 8 }, (_, i) => ({ EMAIL: `reader${i}@example.com` }));
  await t.call('listBatchSubscribe', { id, batch, double_optin: false });
  await t.app.db.transaction((tx) => addDemoWebhook(t.app, tx, t.account.id));
  const [hook] = await t.call<{ id: string; total_events: number; waiting_events: number; url: string }[]>('webhooks');
  const log = await t.call<Shown[]>('webhookAttempts', { wid: hook!.id, limit: 100 });
  assert.deepEqual([hook!.total_events, hook!.waiting_events, log.length], [8, 0, 10]);
  const { sealed } = (await t.app.db.row<{ sealed: Buffer }>(sql`select secret as sealed from webhook`))!;
  const secret = openSecret(t.app, t.account.id, sealed)!;

  // What a real request has.
  const types = await t.call<{ type: string; example: Record<string, unknown> }[]>('eventTypes');
  const options = { url: receiver.url, secret_key: secret };
  const wid = await t.call<string>('webhookCreate', { title: 'Real', options });
  await t.call('webhookTest', { wid });
  const [real] = await t.call<Shown[]>('webhookAttempts', { wid });
  for (const one of log) {
    assert.deepEqual(Object.keys(one.headers).sort(), Object.keys(real!.headers).sort());
    const { status, delivery } = receive(one.body, one.headers['X-Service-Signature'], secret);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(JSON.parse(one.body)), ['timestamp', 'events']);
    assert.equal(String(delivery!.timestamp), one.headers['webhook-timestamp']);
    for (const { type, data } of delivery!.events) {
      const { example } = types.find((known) => known.type === type)!;
      assert.deepEqual(Object.keys(data).sort(), Object.keys(example).sort());
      assert.match(data.id, /^evt_[0-9a-f]{24}$/);
    }
    assert.deepEqual(
      delivery!.events.map(({ data }) => data.id),
      one.events,
    );
  }
  const failed = log.find(({ outcome }) => outcome === 'failed')!;
  const tries = log.filter(({ headers }) => headers['webhook-id'] === failed.headers['webhook-id']);
  assert.deepEqual(
    tries.map((attempt) => [attempt.try, attempt.outcome, attempt.events.join()]),
    [
      [3, 'delivered', failed.events.join()],
      [2, 'failed', failed.events.join()],
      [1, 'failed', failed.events.join()],
    ],
  );
});
