// The end of an A/B test: chooses the variant for the recipients who were held, and cuts their chunks in the same transaction. So
// after a crash a test is either undecided, with no one else in a chunk, or decided, and it is decided once.
//
//   launched ── all of the test group sent to ──▶ waiting ── due ──▶ decided
//       └──────────────────── chosen by a person ─────────┴────────────▲
//
// A paused campaign is not decided automatically; when it is resumed, a test that is due is decided within a second.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { needCampaignKey } from '../../campaigns/model/campaign.ts';
import { emitCampaignEvent, sourceOf } from '../../campaigns/model/events.ts';
import { type CampaignTest, readTest, type Winner } from '../../campaigns/model/variant.ts';
import { type Database, sql, type Tx } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import type { EventSource } from '../../events/types.ts';
import { chunkChannel } from '../../jobs/channels.ts';
import { compareRates } from '../../tracking/reports/significance.ts';
import { testSums } from '../../tracking/reports/variants.ts';
import { cutHeld } from '../ledger/cut-chunks.ts';

/** Ends the tests that are due by the database's clock, each once, however many processes call this. @returns how many */
export async function decideDue(db: Database): Promise<number> {
  await startWaiting(db);
  const due = await db.rows<CampaignKey>(sql`
    select t.account_id as account, t.campaign_id as campaign
    from campaign_test t
    join campaign c on c.account_id = t.account_id and c.id = t.campaign_id and ${mayDecide}
    where ${isOpen}
      and t.due_at <= now()
    order by t.due_at
    limit 100`);
  let count = 0;
  for (const of of due) if (await db.transaction((tx) => decideNow(tx, of))) count += 1;
  return count;
}

/** The time counts from when every recipient of the test group was sent to, or was tried for the first time. */
async function startWaiting(db: Database): Promise<void> {
  await db.run(sql`
    update campaign_test t
    set due_at = now() + make_interval(mins => t.wait_minutes)
    from campaign c
    where c.account_id = t.account_id
      and c.id = t.campaign_id
      and ${mayDecide}
      and ${isOpen}
      and t.due_at is null
      and not exists (
        select from chunk k
        where k.account_id = t.account_id
          and k.campaign_id = t.campaign_id
          and k.state = 'waiting'
          and k.kind = 'first'
      )
      and not exists (
        select from chunk k
        where k.account_id = t.account_id
          and k.campaign_id = t.campaign_id
          and k.state = 'leased'
          and k.kind = 'first'
      )`);
}

/** A condition on campaign c. One that has ended was stopped, or had no one held; its public page shows the winner too. */
const mayDecide = sql`c.status in ('sending', 'sent')`;
/** A condition on campaign_test t: it ends automatically, and has not ended. */
const isOpen = sql`t.test_size is not null and t.chosen is null and t.winner <> 'manual'`;

/** What is compared; a person decides otherwise. */
const countedFor = { opens: 'opens', clicks: 'clicks' } as const satisfies Record<Exclude<Winner, 'manual'>, string>;

async function decideNow(tx: Tx, of: CampaignKey): Promise<boolean> {
  const campaign = await lock(tx, of);
  const abTest = await readTest(tx, of);
  if (!campaign || (campaign.status !== 'sending' && campaign.status !== 'sent')) return false;
  if (!abTest || abTest.testSize === null || abTest.chosen !== null) return false;
  if (abTest.winner === 'manual') return false;
  const by = countedFor[abTest.winner];
  const { variants } = await testSums(tx, of, { variants: abTest.variants, testSize: abTest.testSize });
  const { best } = compareRates(variants.map((sums, variant) => ({ variant, sent: sums.sent, events: sums[by] })));
  await end(tx, of, { ...campaign, abTest }, { chosen: best, by });
  return true;
}

/** campaignTestChoose. @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT, INVALID_PARAMETER */
export async function chooseVariant(
  context: Context,
  { cid, variant }: { cid: string; variant: number },
): Promise<true> {
  const { tx } = context;
  const of = await needCampaignKey(context, cid);
  const campaign = await lock(tx, of);
  const abTest = await readTest(tx, of);
  if (!campaign || !abTest) throw fault('CAMPAIGN_STATE_CONFLICT', 'ab_test.none');
  if (abTest.testSize === null) throw fault('CAMPAIGN_STATE_CONFLICT', 'ab_test.not_launched');
  if (abTest.chosen !== null) throw fault('CAMPAIGN_STATE_CONFLICT', 'ab_test.decided');
  if (variant >= abTest.variants)
    throw fault('INVALID_PARAMETER', 'ab_test.variant_unknown', { member: 'variant', variant });
  await end(tx, of, { ...campaign, abTest }, { chosen: variant, by: 'person', source: sourceOf(context.caller) });
  return true;
}

type Locked = { status: string; title: string; now: Date };
type Decision = { chosen: number; by: 'clicks' | 'opens' | 'person'; source?: EventSource };

/** Locks the campaign's row, so that a person, two workers and a change take turns. */
const lock = (tx: Tx, of: CampaignKey): Promise<Locked | undefined> =>
  tx.row(
    sql`select status, title, now() as now from campaign where account_id = ${of.account} and id = ${of.campaign} for update`,
  );

async function end(
  tx: Tx,
  of: CampaignKey,
  { status, title, now, abTest: { testSize } }: Locked & { abTest: CampaignTest },
  { chosen, by, source = 'admin' }: Decision,
): Promise<void> {
  // Of a campaign that was stopped, no one else gets it.
  const isOpen = status === 'sending' || status === 'paused';
  if (isOpen) await cutHeld(tx, of);
  await tx.run(sql`
    update campaign_test
    set chosen = ${chosen}, decided_at = now(), decided_by = ${by}
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}`);
  await tx.run(sql`
    update frozen_content
    set recipients = coalesce(recipients, '{}') + int4multirange(int4range(${testSize! + 1}::int, null))
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and variant = ${chosen}`);
  await emitCampaignEvent(tx, of, 'campaign.winner_chosen', { title, at: now, variant: chosen, by, source });
  if (isOpen) await tx.run(sql`select pg_notify(${chunkChannel}, '')`);
}
