// Replies to a campaign that count as a refusal of us: those of a run of equal refusals (refused.ts), and those that a relay gives
// to all its messages. They count until a person decides, or the relay accepts a message again.
import type { CampaignKey } from '../../campaigns/month.ts';
import { type Queries, type Sql, sql, type Tx } from '../../db/connect.ts';
import { relayChannel } from '../../jobs/channels.ts';

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
 * A person resumes a paused campaign.
 * @param areAboutRecipients from now on the replies mean what they say; otherwise the relay is asked again
 */
export async function decideAboutReplies(tx: Tx, of: CampaignKey, areAboutRecipients: boolean): Promise<void> {
  const which = sql`account_id = ${of.account} and campaign_id = ${of.campaign} and not confirmed`;
  await tx.run(sql`select pg_notify(${relayChannel}, '')`);
  await tx.run(sql`
    delete from relay_limit
    where why = 'same_reply'
      and signatures && array(select signature from refused_reply where ${which})`);
  if (areAboutRecipients) await tx.run(sql`update refused_reply set confirmed = true where ${which}`);
  else await tx.run(sql`delete from refused_reply where ${which}`);
}

/** A relay gives these replies to all its messages, whatever campaign they belong to. */
export async function noteRefusals(tx: Tx, signatures: readonly string[]): Promise<void> {
  await tx.run(sql`delete from relay_refusal where at < now() - interval '1 day'`);
  await tx.run(sql`
    insert into relay_refusal (signature)
    select distinct unnest(${[...signatures]}::text[])
    on conflict (signature) do update set at = now()`);
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
