// Ending large campaigns: the remaining recipients are marked in portions after the call, undecided ones are cut into chunks.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { people } from '../../../test/support/delivery/engine.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { onBehalf } from '../../accounts/account/system-context.ts';
import { monthOf } from '../../campaigns/model/month.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { skipRest, stopCampaign } from './stop.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.start({ workers: 0 });
});
after(() => stage.stop());

test('stopping a large campaign ends it at once; a task marks the recipients in portions, then emits campaign.sent', async () => {
  const { app, account, call } = stage.engine.app;
  const { db } = app;
  await db.run(sql`
    insert into webhook (account_id, title, url, events)
    values (${account.id}, 'Ends', 'https://example.com/', '{campaign.sent}')`);
  const events = () =>
    db.rows<{ skipped: number }>(sql`select (payload ->> 'skipped')::int as skipped from webhook_event`);
  const id = await stage.send(people(25));
  const cid = formatId(id);
  await call('campaignPause', { cid });
  // One whose message may have been sent.
  await db.run(sql`update delivery set state = 6 where campaign_id = ${id} and seq = 3`);
  await db.run(
    sql`update tally set queued = queued - 1, unclear = unclear + 1 where campaign_id = ${id} and shard = 0`,
  );
  const sizes = { inCall: 10, portion: 7 };
  const skipped = await onBehalf(app, account.id, '', (context) => stopCampaign(context, { cid }, sizes));
  assert.equal(skipped, 24);
  assert.equal((await stage.engine.status(id)).status, 'sent');
  assert.deepEqual(await events(), []);
  const context = { app, log: app.log, signal: new AbortController().signal };
  for (let run = 0; run < 2; run++) {
    await skipRest(context, { account_id: account.id, campaign_id: id }, sizes);
    const { queued, unclear, failed, skipped: marked } = (await stage.engine.progress(id)) as Record<string, unknown>;
    assert.deepEqual({ queued, unclear, failed, marked }, { queued: 0, unclear: 0, failed: 1, marked: 24 });
    assert.deepEqual(await events(), [{ skipped: 24 }], 'the event is emitted once');
  }
});

test('copies for many unclear recipients are cut into chunks of 500', async () => {
  const { app, account, call } = stage.engine.app;
  const id = await stage.send(people(1, 'first.example'));
  await app.db.run(sql`
    insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, email, domain, state, due_at)
    select ${account.id}::int, ${id}::int, n, ${monthOf({ account: account.id, campaign: id })}, n, 1, n || '@unclear.example', 'unclear.example', 6, now()
    from generate_series(2, 1201) as n`);
  await app.db.run(sql`
    update tally
    set recipients = recipients + 1200, unclear = unclear + 1200
    where campaign_id = ${id}
      and shard = 0`);
  const resolve = () => call('campaignResolve', { cid: formatId(id), action: 'resend' });
  assert.deepEqual(await resolve(), { resolved: 1_200 });
  assert.deepEqual(await resolve(), { resolved: 0 });
  const chunks = await app.db.rows<{ size: number; first: number }>(sql`
    select cardinality(seqs) as size, seqs[1] as first
    from chunk
    where campaign_id = ${id}
      and kind = 'resend'
    order by first`);
  assert.deepEqual(chunks, [
    { size: 500, first: 2 },
    { size: 500, first: 502 },
    { size: 200, first: 1_002 },
  ]);
});
