// Replies to a campaign that count as a refusal of us: those of a run of refusals (refused.ts, refusals.ts), and those that a relay
// gives to all its messages. They count until a person decides, or the relay accepts a message again.
import { erasedDomain } from '../../base/erasure.ts';
import { monthOf } from '../../campaigns/model/month.ts';
import { type Queries, type Sql, sql, type Tx } from '../../db/connect.ts';
import { cut } from '../../db/jsonb.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { states } from '../../db/states.ts';
import { relayChannel } from '../../jobs/channels.ts';
import { signatureOf } from '../../relays/rates/same-reply.ts';

export type Reply = { code: number; text: string; email: string };

/** Recipients whose replies are looked at to find those of a run. */
const maxReplies = 200;
/** A reply that fewer of them got is not of the run. */
const minShare = 0.05;

/** What a person or an earlier run has decided about replies to a campaign. Later refusals of the campaign wait for the caller's transaction. */
export async function decidedReplies(tx: Tx, of: CampaignKey): Promise<{ ours: Set<string>; confirmed: Set<string> }> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`refused ${of.account} ${of.campaign}`}, 0))`);
  const rows = await tx.rows<{ signature: string; confirmed: boolean }>(sql`
    select signature, confirmed
    from refused_reply
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}`);
  const only = (confirmed: boolean) =>
    new Set(rows.filter((row) => row.confirmed === confirmed).map(({ signature }) => signature));
  return { ours: only(false), confirmed: only(true) };
}

/**
 * The last refusals of a campaign count as about us until a person decides.
 * @param last those that are not written yet, or not in doubt
 * @returns the replies, as signatureOf() gives them
 */
export async function noteRun(tx: Tx, of: CampaignKey, last: readonly Reply[]): Promise<string[]> {
  const replies = [...last, ...(await waitingReplies(tx, of, maxReplies))];
  const bySignature = Map.groupBy(replies, ({ code, text, email }) => signatureOf(code, text, email));
  const run = [...bySignature].filter(([, same]) => same.length >= replies.length * minShare);
  await tx.run(sql`
    insert into refused_reply (account_id, campaign_id, signature, reply)
    select ${of.account}::int, ${of.campaign}::int, signature, reply
    from unnest(
      ${run.map(([signature]) => signature)}::text[],
      ${run.map(([, [first]]) => cut(`${first!.code} ${first!.text}`, 500))}::text[]
    ) as r(signature, reply)
    on conflict (account_id, campaign_id, signature) do nothing`);
  return run.map(([signature]) => signature);
}

/** The permanent replies of recipients that wait for another attempt, the latest first. */
export function waitingReplies(tx: Queries, of: CampaignKey, limit: number): Promise<Reply[]> {
  return tx.rows<Reply>(sql`
    select d.reply_code as code, coalesce(d.reply, '') as text, d.email
    from (
      select distinct unnest(seqs) as seq
      from (
        select seqs from chunk
        where account_id = ${of.account} and campaign_id = ${of.campaign} and kind = 'retry' and state <> 'done'
        order by no desc
        limit 20
      ) as latest
    ) as s
    join delivery d on d.account_id = ${of.account} and d.campaign_id = ${of.campaign} and d.month = ${monthOf(of)}
      and d.seq = s.seq
    where d.state = ${states.later}
      and d.reply_code >= 500
      and d.domain <> ${erasedDomain}
    order by d.next_at desc
    limit ${limit}`);
}

/**
 * Recipients that were refused permanently, and wait, are asked again now. Neither the time until then nor their refusals count: the
 * cause may have been ours.
 */
async function askAgain(tx: Tx, of: CampaignKey): Promise<void> {
  await tx.run(sql`
    with waiting as (
      select no, seqs
      from chunk
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}
        and kind = 'retry'
        and state = 'waiting'
    ), asked as (
      update delivery
      set first_at = null, reply_code = null, next_at = case when state = ${states.later} then now() end
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}
        and month = ${monthOf(of)}
        and seq = any (array(select unnest(seqs) from waiting)::int[])
        and state in (${states.later}, ${states.queued})
        and attempts > 0
        and reply_code >= 500
      returning seq
    )
    update chunk k
    set due_at = now()
    from waiting w
    where k.account_id = ${of.account}
      and k.campaign_id = ${of.campaign}
      and k.no = w.no
      and k.due_at > now()
      and w.seqs && array(select seq from asked)`);
}

/**
 * A person resumes a paused campaign.
 * @param areAboutRecipients from now on the replies mean what they say; otherwise the relay is asked again
 */
export async function decideAboutReplies(tx: Tx, of: CampaignKey, areAboutRecipients: boolean): Promise<void> {
  const which = sql`account_id = ${of.account} and campaign_id = ${of.campaign} and not confirmed`;
  // What was in flight when it was paused may have been refused in other words.
  if (areAboutRecipients) await noteRun(tx, of, []);
  await tx.run(sql`select pg_notify(${relayChannel}, '')`);
  await tx.run(sql`
    delete from relay_limit
    where why = 'same_reply'
      and signatures && array(select signature from refused_reply where ${which})`);
  if (areAboutRecipients) await tx.run(sql`update refused_reply set confirmed = true where ${which}`);
  else await tx.run(sql`delete from refused_reply where ${which}`);
  await askAgain(tx, of);
}

/** Whether a held refusal, the row `held`, is from before a relay gave its reply to all messages, or from just after it. */
export const isOfRelay = (held: Sql): Sql => sql`
  exists (
    select
    from relay_refusal r
    where r.signature = ${held}.signature
      and ${held}.at between r.at - interval '1 hour' and r.at + interval '10 seconds'
  )`;

/** Whether replies to a campaign count as about us, and no person has decided. */
export async function isRefusedAlike(tx: Queries, of: CampaignKey): Promise<boolean> {
  const row = await tx.row(sql`
    select from refused_reply
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and not confirmed
    limit 1`);
  return row !== undefined;
}

/** For the start page: replies that keep single messages of an account waiting. */
export async function repliesToMessages(tx: Queries, account: number): Promise<string[]> {
  const rows = await tx.rows<{ reply: string }>(sql`
    select distinct on (r.campaign_id) r.reply
    from refused_reply r
    join campaign p on p.account_id = r.account_id and p.id = r.campaign_id
    where r.account_id = ${account}
      and p.type = 'message'
      and p.status = 'sending'
      and not r.confirmed
    order by r.campaign_id, r.at desc`);
  return rows.map(({ reply }) => reply);
}
