// Holds back what follows from permanent refusals until it is clear that they are about the recipients. An acceptance, or the end
// of the campaign, shows that; so many equal refusals in a row show the contrary: then the campaign is paused and its
// recipients are attempted again later. Counts the outcomes of all workers. A campaign without refusals has no row here.
import { noticeToAccount } from '../../accounts/notices/account-notice.ts';
import { erasedDomain } from '../../base/erasure.ts';
import { type Message, message } from '../../base/messages.ts';
import { monthOf } from '../../campaigns/model/month.ts';
import { type Database, sql, type Tx } from '../../db/connect.ts';
import { cut, jsonb } from '../../db/jsonb.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { states } from '../../db/states.ts';
import { repliesAboutUs, sameReplyRules, type Wording } from '../../relays/rates/same-reply.ts';
import { endMessages } from '../ledger/end-messages.ts';
import { takeBack } from '../ledger/take-back.ts';
import { applyBounces, type Bounce } from './bounce-effects.ts';
import { applyMessageBounces } from './message-bounces.ts';
import { pauseAutomatically } from './pause-automatically.ts';
import { decidedReplies, isOfRelay, noteRun, type Reply, waitingReplies } from './refused-replies.ts';

export type Refused = {
  seq: number;
  signature: string;
  email: string;
  suppress: boolean;
  reply: string;
  ageMs: number;
};

/** When the last acceptance came, and when the message began whose acceptance began last; milliseconds ago. */
export type Accepted = { endedMs: number; begunMs: number };

/** Adds refusals to those held back, and decides about all of them. To be called after `decidedReplies`. @returns whether they are about us */
export async function holdRefused(
  tx: Tx,
  of: CampaignKey,
  { refused, accepted, messages }: { refused: readonly Refused[]; accepted: Accepted | undefined; messages: boolean },
): Promise<boolean> {
  if (accepted) await releaseProven(tx, of, accepted, messages);
  if (refused.length === 0) return false;
  await tx.run(sql`
    insert into refused (account_id, campaign_id, seq, signature, domain, suppress, at, broken)
    select ${of.account}::int, ${of.campaign}::int, r.seq, r.signature, r.domain, r.suppress,
      now() - make_interval(secs => r.age), r.broken
    from jsonb_to_recordset(${jsonb(
      refused.map(({ seq, signature, email, suppress, ageMs }) => ({
        seq,
        signature,
        domain: cut(email.slice(email.lastIndexOf('@') + 1).toLowerCase(), 253),
        suppress,
        age: ageMs / 1_000,
        broken: accepted !== undefined && accepted.endedMs < ageMs,
      })),
    )}::jsonb) as r(seq int, signature text, domain text, suppress boolean, age float8, broken boolean)
    on conflict (account_id, campaign_id, seq) do update
    set signature = excluded.signature, at = excluded.at, broken = excluded.broken, suppress = excluded.suppress`);
  const about = repliesAboutUs(await wordingsOf(tx, of));
  if (about.length === 0) return false;
  const last = refused.findLast(({ signature }) => about.includes(signature)) ?? refused.at(-1)!;
  await undoRun(tx, of, about, last.reply, messages);
  return true;
}

/** Refusals since the last acceptance, by reply. */
function wordingsOf(tx: Tx, of: CampaignKey): Promise<Wording[]> {
  return tx.rows<Wording>(sql`
    select signature, count(*)::int as count, count(distinct domain)::int as domains
    from refused
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and not broken
    group by signature`);
}

async function releaseProven(tx: Tx, of: CampaignKey, accepted: Accepted, messages: boolean): Promise<void> {
  const ago = (ms: number) => sql`now() - make_interval(secs => ${ms / 1_000}::float8)`;
  await tx.run(sql`
    update refused
    set broken = true
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and at < ${ago(accepted.endedMs)}
      and not broken`);
  await release(tx, of, messages, sql`at < ${ago(accepted.begunMs)}`);
  // The relay takes single messages again; a campaign waits for a person.
  if (messages)
    await tx.run(sql`
      delete from refused_reply
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}
        and at < ${ago(accepted.begunMs)}`);
}

/**
 * Applies what follows from held refusals: they are about the recipients. Those that a relay gave to all its messages are about us.
 * @returns how many, and how many recipients are attempted again
 */
async function release(
  tx: Tx,
  of: CampaignKey,
  messages: boolean,
  which = sql`true`,
): Promise<{ released: number; again: number }> {
  const rows = await tx.rows<Omit<Bounce, 'reply'> & { reply: string | null; now: Date; ours: boolean }>(sql`
    with held as (
      delete from refused
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}
        and ${which}
      returning seq, suppress, signature, at
    )
    select d.seq, d.contact_id as contact, d.list_id as list, d.email, d.reason as bounce, h.suppress, d.reply_code as code,
      d.reply, now() as now, ${isOfRelay(sql`h`)} as ours
    from held h
    join delivery d on d.account_id = ${of.account} and d.campaign_id = ${of.campaign} and d.month = ${monthOf(of)}
      and d.seq = h.seq
    where d.state = ${states.failed}
      and d.domain <> ${erasedDomain}
    order by d.seq`);
  const ours = rows.filter((row) => row.ours).map(({ seq }) => seq);
  const again = await takeBack(tx, of, ours, messages ? messageWaitSeconds : againSeconds);
  const bounces = rows.filter((row) => !row.ours).map((row) => ({ ...row, reply: row.reply ?? '' }));
  if (bounces.length === 0) return { released: 0, again };
  const { now } = bounces[0]!;
  if (messages) {
    await applyMessageBounces(tx, of, now, bounces);
    const seqs = bounces.map(({ seq }) => seq);
    await endMessages(tx, of, now, seqs);
  } else await applyBounces(tx, of, now, bounces);
  return { released: bounces.length, again };
}

/** The replies are about us: their recipients are attempted again, and a person is asked. */
async function undoRun(tx: Tx, of: CampaignKey, about: readonly string[], reply: string, messages: boolean) {
  await tx.run(sql`
    insert into refused_reply (account_id, campaign_id, signature, reply)
    select ${of.account}::int, ${of.campaign}::int, s, ${cut(reply, 500)}
    from unnest(${[...about]}::text[]) as s
    on conflict (account_id, campaign_id, signature) do nothing`);
  const count = await takeBackHeld(tx, of, about, messages ? messageWaitSeconds : 0);
  const reason = message('pause.same_reply', { count, reply: cut(reply, 300) });
  if (messages) await notifyOfMessages(tx, of, reply);
  else await pauseAutomatically(tx, of, reason);
}

/** @returns how many recipients are attempted again */
async function takeBackHeld(tx: Tx, of: CampaignKey, about: readonly string[], waitSeconds: number): Promise<number> {
  const held = await tx.rows<{ seq: number }>(sql`
    delete from refused
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and signature = any (${[...about]}::text[])
    returning seq`);
  return takeBack(
    tx,
    of,
    held.map(({ seq }) => seq),
    waitSeconds,
  );
}

/**
 * A run of refusals that may be about us: a person is asked, and those of its replies that are held are taken back.
 * @param last as for noteRun
 */
export async function askAboutRun(
  tx: Tx,
  of: CampaignKey,
  last: readonly Reply[],
  { reason, reply, messages }: { reason: Message; reply: string; messages: boolean },
): Promise<void> {
  const signatures = await noteRun(tx, of, last);
  await takeBackHeld(tx, of, signatures, messages ? messageWaitSeconds : 0);
  if (messages) await notifyOfMessages(tx, of, reply);
  else await pauseAutomatically(tx, of, reason);
}

/** To the owner of single messages that are all refused. */
async function notifyOfMessages(tx: Tx, of: CampaignKey, reply: string): Promise<void> {
  await noticeToAccount(tx, of.account, {
    subject: message('account_notice.refused'),
    paragraphs: [message('account_notice.refused_text'), cut(reply, 300), message('account_notice.refused_next')],
  });
}

const messageWaitSeconds = 300;
/** A relay that has just refused everything is not asked again at once. */
const againSeconds = 60;

/** Before a campaign ends. @returns whether it does not: all it got was the same refusal, or a relay refused all messages alike */
export async function decideAtEnd(tx: Tx, of: CampaignKey): Promise<boolean> {
  const held = await tx.row(sql`
    select from refused where account_id = ${of.account} and campaign_id = ${of.campaign} limit 1`);
  if (!held) return false;
  const wordings = await wordingsOf(tx, of);
  const sums = await tx.row<{ accepted: number; total: number }>(sql`
    select coalesce(sum(accepted), 0)::int as accepted, coalesce(sum(recipients - skipped), 0)::int as total
    from tally
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}`);
  // A small campaign that got nothing else.
  const about =
    sums!.accepted === 0 && sums!.total >= smallRow && sums!.total < sameReplyRules.row
      ? repliesAboutUs(wordings, sums!.total)
      : [];
  if (about.length > 0) {
    const last = await tx.row<{ reply: string }>(sql`
      select coalesce(d.reply_code || ' ', '') || coalesce(d.reply, '') as reply
      from refused r
      join delivery d on d.account_id = r.account_id and d.campaign_id = r.campaign_id and d.month = ${monthOf(of)}
        and d.seq = r.seq
      where r.account_id = ${of.account}
        and r.campaign_id = ${of.campaign}
        and r.signature = ${about[0]!}
      limit 1`);
    await undoRun(tx, of, about, last?.reply ?? '', false);
    return true;
  }
  const { again } = await release(tx, of, false);
  return again > 0;
}

/**
 * Before a campaign that a person stops ends. Refusals that are held are about the recipients, unless it got nothing else, or a relay
 * refused all messages alike: then they are taken back, and their recipients end like the rest.
 */
export async function decideAtStop(tx: Tx, of: CampaignKey): Promise<void> {
  await decidedReplies(tx, of);
  const wordings = await wordingsOf(tx, of);
  const sums = await tx.row<{ accepted: number; failed: number }>(sql`
    select coalesce(sum(accepted), 0)::int as accepted, coalesce(sum(failed), 0)::int as failed
    from tally
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}`);
  const about = sums!.accepted === 0 ? repliesAboutUs(wordings, Math.max(smallRow, sums!.failed)) : [];
  if (about.length > 0) await takeBackHeld(tx, of, about, 0);
  await release(tx, of, false);
}

/** A campaign with fewer than 20 recipients needs so many refusals, at the end equal ones: one for each of three domains. */
const smallRow = sameReplyRules.domains;

/** Pauses a small campaign that got nothing but refusals that may be about us, and has nothing left to attempt before their retry. */
export async function pauseSmallRun(tx: Tx, of: CampaignKey): Promise<void> {
  const small = await tx.row<{ later: number }>(sql`
    select sum(later)::int as later
    from tally
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
    having sum(recipients - skipped) < ${sameReplyRules.row}
      and sum(later) >= ${smallRow}
      and sum(accepted) = 0
      and sum(queued) = 0
      and sum(trying) = 0
      and sum(unclear) = 0`);
  if (!small) return;
  const replies = await waitingReplies(tx, of, sameReplyRules.row);
  if (replies.length < small.later) return;
  const { code, text } = replies[0]!;
  const reply = cut(`${code} ${text}`, 300);
  const reason = message('pause.refusals_in_row', { count: replies.length, reply });
  await askAboutRun(tx, of, [], { reason, reply, messages: false });
}

/** How long refusals are held back without a further one: those of a campaign until it ends, if it does. */
const heldSeconds = { message: 3, auto: 600, campaign: 3_600 };

/** Releases refusals that no other has followed. @returns how many recipients */
export async function releaseOverdue(db: Database): Promise<number> {
  const due = await db.rows<CampaignKey & { messages: boolean }>(sql`
    select r.account_id as account, r.campaign_id as campaign, coalesce(bool_or(p.type = 'message'), false) as messages
    from refused r
    left join campaign p on p.account_id = r.account_id and p.id = r.campaign_id
    group by r.account_id, r.campaign_id, p.type, p.status
    having p.status is null
      or p.status = 'sent'
      or (p.status = 'sending'
        and max(r.at) < now() - make_interval(secs => case p.type when 'message' then ${heldSeconds.message}::int
          when 'auto' then ${heldSeconds.auto}::int else ${heldSeconds.campaign}::int end))
    limit 100`);
  let count = 0;
  for (const of of due)
    count += await db.transaction(async (tx) => {
      await decidedReplies(tx, of);
      return (await release(tx, of, of.messages)).released;
    });
  return count;
}
