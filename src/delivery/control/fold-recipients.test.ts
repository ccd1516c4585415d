// The recipients of autoresponders and automations go by age, a portion at a time, no number of a report changes, and no one gets an
// occasion again.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { plainHtml } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { writeHits } from '../../tracking/ingest.ts';
import { planOccasions } from '../launch/autoresponder-planner.ts';
import { foldRecipients } from './fold-recipients.ts';
import { forgetRecipients } from './forget-recipients.ts';

const hourMs = 3_600_000;
const signal = new AbortController().signal;
let t: TestApp;
let list: string;
let id: number;
let cid: string;

before(async () => {
  t = await testApp();
  list = await t.call<string>('listCreate', { title: 'Readers' });
  for (const name of ['ada', 'bob', 'cyd', 'dan', 'eve', 'fay', 'gus'])
    await t.call('listSubscribe', {
      id: list,
      email_address: `${name}@${name < 'd' ? 'a' : 'b'}.example`,
      double_optin: false,
    });
  await t.app.db.run(sql`update subscription set optin_at = now() - interval '25 hours', confirm_at = null`);
  id = await autoresponder({ units: 'day', time: 1, direction: 'after', event: 'signup', tag: '' });
  cid = formatId(id);
});
after(() => t.close());

async function autoresponder(auto: object): Promise<number> {
  const row = await t.app.db.row<{ id: number }>(sql`
    insert into campaign (account_id, type, status, title, subject, from_name, reply_to, html, plain, auto, send_at)
    values (${t.account.id}, 'auto', 'sending', 't', 's', 'Us', 'us@example.com', ${plainHtml}, 'x',
      ${JSON.stringify(auto)}::jsonb, now() - interval '100 hours')
    returning id`);
  await t.app.db.run(sql`
    insert into campaign_list (account_id, campaign_id, list_id) values (${t.account.id}, ${row!.id}, ${parseId(list)})`);
  await t.app.db.run(sql`
    insert into link (account_id, campaign_id, no, target) values (${t.account.id}, ${row!.id}, 0, 'https://example.com/one'), (${t.account.id}, ${row!.id}, 1, 'https://example.com/two')`);
  await t.app.db.run(sql`
    insert into frozen_content (account_id, campaign_id, variant, compiled, content_hash)
    values (${t.account.id}, ${row!.id}, 0, '{}', 'a')`);
  return row!.id;
}

const progressOf = () => t.call<{ recipients_kept: boolean }>('campaignProgress', { cid });
/** Its figures: that rows are gone is no figure. */
const reportOf = async () => ({
  stats: await t.call('campaignStats', { cid }),
  links: await t.call('campaignClickStats', { cid }),
  domains: await t.call('campaignEmailDomainPerformance', { cid }),
  revisions: await t.call('campaignRevisions', { cid }),
  progress: { ...(await progressOf()), recipients_kept: undefined },
});
const seqsOf = async () => {
  const rows = await t.app.db.rows<{ seq: number }>(
    sql`select seq from delivery where campaign_id = ${id} order by seq`,
  );
  return rows.map(({ seq }) => seq);
};

test('old recipients are folded in portions, reports keep their numbers, and the planner sends no occasion again', async () => {
  const { db } = t.app;
  await planOccasions(db, 4 * hourMs);
  assert.deepEqual(await seqsOf(), [1, 2, 3, 4, 5, 6, 7]);
  // Six are final; 3 was refused, 4 is skipped; 6 ended lately, and 7 waits.
  await db.run(sql`
    update delivery
    set state = case seq when 3 then 4 when 4 then 5 when 7 then 0 else 2 end, reason = case seq when 3 then 'hard' when 4 then 'capped' end,
      attempts = 1, due_at = case when seq = 7 then due_at else now() - interval '100 days' end,
      done_at = case when seq = 7 then null when seq = 6 then now() - interval '5 days' else now() - interval '100 days' end
    where campaign_id = ${id}`);
  await db.run(sql`delete from chunk where campaign_id = ${id}`);
  await db.run(sql`
    update tally set queued = 1, accepted = 4, failed = 1, skipped = 1 where campaign_id = ${id} and recipients = 7`);
  const hit = (seq: number, kind: 'open' | 'click', link = 0, machine: string | null = null) => ({
    ...{ account: t.account.id, campaign: id, seq, kind, link: kind === 'click' ? link : null, machine },
    ...{ url: '', at: new Date(Date.now() - 90 * 24 * hourMs), ip: '', userAgent: '' },
  });
  await db.transaction((tx) =>
    writeHits(tx, [
      ...[hit(1, 'open'), hit(1, 'click'), hit(1, 'click', 1), hit(2, 'open'), hit(5, 'click', 1)],
      ...[hit(6, 'open'), hit(6, 'click'), hit(2, 'click', 0, 'scanner')],
    ]),
  );
  await db.run(sql`
    insert into notice (account_id, campaign_id, seq, kind, contact_id, list_id, email, class)
    select account_id, campaign_id, seq, 'complaint', contact_id, list_id, email, 'abuse' from delivery where campaign_id = ${id} and seq in (1, 6)
    union all
    select account_id, campaign_id, seq, 'bounce', contact_id, list_id, email, 'soft' from delivery where campaign_id = ${id} and seq = 5`);
  await db.run(sql`
    insert into conversion (account_id, campaign_id, seq, contact_id, at, value)
    select account_id, campaign_id, seq, contact_id, now(), 5 from delivery where campaign_id = ${id} and seq in (1, 6)`);
  const before = await reportOf();
  assert.equal((await progressOf()).recipients_kept, true);

  const ended = new AbortController();
  const once = {
    ...t.app.db,
    transaction: ((work, ms) => db.transaction(work, ms).finally(() => ended.abort())) as typeof db.transaction,
  };
  assert.equal(await foldRecipients(once, ended.signal, { id: t.account.id, days: 30 }, 2), 2, 'a run that ends early');
  assert.deepEqual(await seqsOf(), [3, 4, 5, 6, 7]);
  assert.equal((await progressOf()).recipients_kept, false);
  assert.deepEqual(await reportOf(), before);
  assert.equal(await foldRecipients(db, signal, { id: t.account.id, days: 30 }, 2), 3);
  assert.deepEqual(await seqsOf(), [6, 7], 'what is younger and what waits');
  assert.deepEqual(await reportOf(), before);
  assert.equal(await foldRecipients(db, signal, { id: t.account.id, days: 30 }, 2), 0);
  assert.deepEqual(await reportOf(), before);
  const left = await db.row<Record<string, number>>(sql`
    select (select count(*)::int from engagement where campaign_id = ${id}) as engagement,
      (select count(*)::int from link_engagement where campaign_id = ${id}) as links,
      (select count(*)::int from notice where campaign_id = ${id}) as notices,
      (select count(*)::int from conversion where campaign_id = ${id} and contact_id is not null) as known,
      (select count(*)::int from past_occasion where campaign_id = ${id}) as occasions`);
  assert.deepEqual(left, { engagement: 1, links: 1, notices: 1, known: 1, occasions: 5 });

  await db.run(
    sql`update occasion_plan set look_at = now(), changed_from = now() - interval '1 day' where campaign_id = ${id}`,
  );
  await db.run(sql`update subscription set changed_at = now()`);
  await planOccasions(db, 4 * hourMs);
  assert.deepEqual(await seqsOf(), [6, 7]);
  const why = await t.call<{ outcome: string }>('campaignExplain', { cid, email: 'ada@a.example' });
  assert.equal(why.outcome, 'forgotten');
});

test('emails of automations leave no occasions, and the limit of the operator holds for accounts that keep all', async () => {
  const { db } = t.app;
  const email = await autoresponder({ event: 'automation' });
  await db.run(sql`
    insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, occasion, email, domain, due_at, state, done_at)
    select account_id, ${email}, n, '-infinity', contact_id, list_id, 'run ' || n, 'x@a.example', 'a.example', now() - interval '50 days', 2, now() - interval '50 days'
    from (select *, row_number() over (order by contact_id) as n from subscription) as s`);
  await db.run(
    sql`insert into tally (account_id, campaign_id, shard, recipients, accepted) values (${t.account.id}, ${email}, 0, 7, 7)`,
  );
  const rows = async () =>
    (await db.row<{ count: number }>(sql`select count(*)::int as count from delivery where campaign_id = ${email}`))!
      .count;
  const run = (keepRecipientsDays: number) =>
    forgetRecipients({ app: { ...t.app, config: { ...t.app.config, keepRecipientsDays } }, log: t.app.log, signal });
  await run(0);
  assert.equal(await rows(), 7);
  await run(60);
  assert.equal(await rows(), 7);
  await run(40);
  assert.equal(await rows(), 0);
  assert.equal((await t.call<{ emails_sent: number }>('campaignStats', { cid: formatId(email) })).emails_sent, 7);
  const occasions = await db.rows(sql`select from past_occasion where campaign_id = ${email}`);
  assert.equal(occasions.length, 0);
});
