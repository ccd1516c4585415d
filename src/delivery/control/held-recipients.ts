// Recipients that are held: their outcome is unclear, no copy is planned, and a person decides (campaignResolve). None is held
// without end: after an hour the owner gets an email, and after the hours that a deferred recipient is tried it counts
// as not delivered. Since when each has been held is recorded here, whatever made it unclear.
import { noticeToAccount } from '../../accounts/notices/account-notice.ts';
import { message } from '../../base/messages.ts';
import { giveUpHours } from '../../base/relay/give-up.ts';
import { type Database, type Queries, type Sql, sql, type Tx } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { CampaignKey } from '../../db/keys.ts';
import type { TaskContext } from '../../jobs/tasks.ts';
import { dropRecipients, heldSeqs, lockCampaignRow } from './resolve.ts';

const noticeMinutes = 60;

export async function decideHeld({ app }: TaskContext): Promise<void> {
  await decideHeldRecipients(app.db);
}

/** Records who is held, notifies owners, and ends what was held too long. @returns how many recipients were decided */
export async function decideHeldRecipients(db: Database): Promise<number> {
  const campaigns = await db.rows<CampaignKey>(sql`
    select c.account_id as account, c.id as campaign
    from campaign c
    where c.status in ('sending', 'paused')
      and c.type <> 'message'
      and exists (
        select from tally t where t.account_id = c.account_id and t.campaign_id = c.id having sum(t.unclear) > 0
      )
    union
    select account_id, campaign_id from held_recipient`);
  let decided = 0;
  for (const of of campaigns) decided += await db.transaction((tx) => decideOf(tx, of));
  return decided;
}

async function decideOf(tx: Tx, of: CampaignKey): Promise<number> {
  const status = await lockCampaignRow(tx, of);
  const held = status === undefined ? [] : await heldSeqs(tx, of);
  const key = sql`account_id = ${of.account} and campaign_id = ${of.campaign}`;
  await tx.run(sql`delete from held_recipient where ${key} and seq <> all (${held}::int[])`);
  await tx.run(sql`
    insert into held_recipient (account_id, campaign_id, seq)
    select ${of.account}::int, ${of.campaign}::int, seq
    from unnest(${held}::int[]) as seq
    on conflict do nothing`);
  const ended = await tx.rows<{ seq: number }>(sql`
    delete from held_recipient
    where ${key}
      and since <= now() - make_interval(hours => ${giveUpHours})
    returning seq`);
  if (ended.length > 0)
    return dropRecipients(
      tx,
      of,
      ended.map(({ seq }) => seq),
    );
  await notifyOwner(tx, of, key);
  return 0;
}

/** Once for all that a campaign holds at the time; an autoresponder, which never ends, may hold others later. */
async function notifyOwner(tx: Tx, of: CampaignKey, key: Sql): Promise<void> {
  const notified = await tx.row<{ title: string; count: number }>(sql`
    with waiting as (
      select count(*)::int as count, min(since) as since from held_recipient where ${key}
    ), again as (
      update campaign
      set held_notice_at = null
      where account_id = ${of.account}
        and id = ${of.campaign}
        and type = 'auto'
        and held_notice_at is not null
        and (select count from waiting) = 0
    )
    update campaign
    set held_notice_at = now()
    from waiting
    where account_id = ${of.account}
      and id = ${of.campaign}
      and held_notice_at is null
      and waiting.since <= now() - make_interval(mins => ${noticeMinutes})
    returning coalesce(nullif(title, ''), subject) as title, waiting.count`);
  if (!notified) return;
  const { title, count } = notified;
  const id = formatId(of.campaign);
  await noticeToAccount(tx, of.account, {
    subject: message('account_notice.held', { title }),
    paragraphs: [
      message('account_notice.held_text', { title, id }),
      message('account_notice.reason', { reason: message('delivery.held_recipients', { count }) }),
      message('account_notice.held_next', { hours: giveUpHours }),
    ],
  });
}

export type Held = { count: number; firstEndsAt: Date; lastEndsAt: Date };

/** What a campaign holds; undefined for nothing. Cheap: from sums, without a look at its recipients. */
export async function heldOf(db: Queries, of: CampaignKey): Promise<Held | undefined> {
  const [row] = await heldBy(db, sql`c.account_id = ${of.account} and c.id = ${of.campaign}`);
  return row;
}

/** The campaigns of an account that hold recipients. */
export const heldIn = (db: Queries, account: number) => heldBy(db, sql`c.account_id = ${account}`);

function heldBy(db: Queries, which: Sql): Promise<(Held & { id: number; title: string })[]> {
  const endsAt = sql`make_interval(hours => ${giveUpHours})`;
  return db.rows(sql`
    select c.id, coalesce(nullif(c.title, ''), c.subject) as title, h.count,
      coalesce(r.first, now()) + ${endsAt} as "firstEndsAt", coalesce(r.last, now()) + ${endsAt} as "lastEndsAt"
    from campaign c
    cross join lateral (
      select (
          coalesce((
            select sum(unclear) from tally t where t.account_id = c.account_id and t.campaign_id = c.id
          ), 0)
          -- Those whose copy is planned.
          - coalesce((
            select sum(cardinality(k.seqs))
            from chunk k
            where k.account_id = c.account_id
              and k.campaign_id = c.id
              and k.kind = 'resend'
              and k.state <> 'done'
          ), 0)
        )::int as count
    ) as h
    left join lateral (
      select min(since) as first, max(since) as last
      from held_recipient r
      where r.account_id = c.account_id
        and r.campaign_id = c.id
    ) as r on true
    where ${which}
      and c.status in ('sending', 'paused')
      and c.type <> 'message'
      and h.count > 0
    order by c.id
    limit 20`);
}

/** When a recipient that is held counts as not delivered; undefined if it is not held. */
export async function heldUntil(db: Queries, of: CampaignKey, seq: number): Promise<Date | undefined> {
  const row = await db.row<{ at: Date }>(sql`
    select since + make_interval(hours => ${giveUpHours}) as at
    from held_recipient
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and seq = ${seq}`);
  return row?.at;
}
