// Redoes the outcomes that the database has lost: after a fail-over to a replica that lacks the last commits, attempts in a
// journal may be newer than their recipients' rows. Guarantees that a recipient who may have received the message is not
// queued as if it had not; attempts that the database knows, or that sent nothing, change nothing. May run any number of
// times, over any part of a journal.
import { thisMonth } from '../../accounts/account/monthly-quota.ts';
import type { App } from '../../base/context.ts';
import { constantMonth, monthOf } from '../../campaigns/model/month.ts';
import { prepared, type Sql, sql, type Tx } from '../../db/connect.ts';
import { jsonb } from '../../db/jsonb.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { states } from '../../db/states.ts';
import type { Verdict } from '../../relays/verdict/verdict.ts';
import type { Chunk } from '../ledger/chunk.ts';
import { countHandedOut } from '../ledger/handed-out.ts';
import { isMarked, rangesOf } from '../ledger/marked.ts';
import { moveTally } from '../ledger/tally.ts';
import { finishIfDone } from '../outcomes/finish.ts';
import type { Outcome } from '../outcomes/outcome.ts';
import { writeOutcomes } from '../outcomes/write-outcomes.ts';
import { type Attempt, readFiles, type Trace } from './journal.ts';
import { lateOutcomeMs } from './recover.ts';

/** Recipients; `lost` have no row yet. */
export type Redone = { outcomes: number; unclear: number; lost: number };

export type Entry = { attempt: Omit<Attempt, 'lease'>; trace: Trace<Verdict> };
/** Recipients changed in one transaction. */
const batchSize = 500;
/** Commits are lost from the end: when so many files in a row were known to the database, all older ones are. */
const maxKnownFiles = 2;

/**
 * Redoes the attempts of a journal, the newest first.
 * @param onFile called after each file
 */
export async function redoJournal(
  app: App,
  workerId: number,
  path: string,
  onFile: () => Promise<void> = async () => {},
): Promise<Redone> {
  const sum: Redone = { outcomes: 0, unclear: 0, lost: 0 };
  let known = 0;
  for await (const { entries } of readFiles<Verdict>(path)) {
    const redone = await redo(app, workerId, entries);
    sum.outcomes += redone.outcomes;
    sum.unclear += redone.unclear;
    sum.lost += redone.lost;
    await onFile();
    if (redone.outcomes + redone.lost > 0) known = 0;
    else if (entries.length > 0 && ++known === maxKnownFiles) break;
  }
  return sum;
}

/**
 * @param entries in the order in which they were written
 * @param copyAfterMs how long the copies of unclear recipients wait for a late reply
 */
export async function redo(
  app: App,
  workerId: number,
  entries: readonly Entry[],
  copyAfterMs = lateOutcomeMs,
): Promise<Redone> {
  const sum: Redone = { outcomes: 0, unclear: 0, lost: 0 };
  for (const [of, ofCampaign] of byCampaign(entries))
    for (let from = 0; from < ofCampaign.length; from += batchSize) {
      const batch = ofCampaign.slice(from, from + batchSize);
      // First those without rows: rows that a portion of the audience makes after this are redone by it.
      sum.lost += await storeLost(app, of, batch);
      const outcomes = await redoBatch(app, workerId, of, batch, copyAfterMs);
      sum.outcomes += outcomes.length;
      sum.unclear += outcomes.filter(({ verdict }) => verdict.kind === 'unclear').length;
    }
  return sum;
}

/** The last entry of each recipient by campaign, without those of messages that were not sent. */
function byCampaign(entries: readonly Entry[]): [CampaignKey, Entry[]][] {
  const last = new Map<string, Entry>();
  for (const entry of entries) {
    const { account, campaign, seq, contact } = entry.attempt;
    const key = `${account} ${campaign} ${seq} ${contact}`;
    const before = last.get(key);
    if (!before || before.attempt.attempts <= entry.attempt.attempts) last.set(key, entry);
  }
  const campaigns = Map.groupBy(
    [...last.values()].filter(maySent),
    ({ attempt }) => `${attempt.account} ${attempt.campaign}`,
  );
  return [...campaigns.values()].map((of) => [
    { account: of[0]!.attempt.account, campaign: of[0]!.attempt.campaign },
    of,
  ]);
}

/** Otherwise the message was refused or not sent, now and before: the next attempt is no copy. */
const maySent = ({ attempt, trace }: Entry): boolean =>
  trace.kind === 'dotted' ||
  trace.verdict.kind === 'accepted' ||
  trace.verdict.kind === 'unclear' ||
  (attempt.resent > 0 && trace.verdict.kind !== 'notSent');

/**
 * Redoes what was lost together with the rows of the recipients, once they have been made again.
 * @param of a campaign that has just been launched, or an autoresponder that has just got rows
 */
export async function redoLost(tx: Tx, of: CampaignKey): Promise<void> {
  const some = await tx.row(
    prepared(sql`select from lost_attempt where account_id = ${of.account} and campaign_id = ${of.campaign} limit 1`),
  );
  if (!some) return;
  const lost = await tx.rows<{ contact: number; seq: number; attempts: number; resent: number; accepted: boolean }>(sql`
    with taken as (
      delete from lost_attempt l
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}
        -- Those of a later portion wait for it.
        and not (
          exists (select from freezing where account_id = ${of.account} and campaign_id = ${of.campaign})
          and not exists (
            select from delivery d
            where d.account_id = ${of.account}
              and d.campaign_id = ${of.campaign}
              and d.month = ${monthOf(of)}
              and d.contact_id = l.contact_id
          )
        )
      returning contact_id, attempts, resent, accepted, at
    )
    select distinct on (t.contact_id) t.contact_id as contact, d.seq, t.attempts, t.resent, t.accepted
    from taken t
    join delivery d
      on d.account_id = ${of.account}
      and d.campaign_id = ${of.campaign}
      and d.month = ${monthOf(of)}
      and d.contact_id = t.contact_id
      and d.attempts = 0
      -- Occasions are planned again immediately; a later one is another message.
      and (d.occasion = '' or t.at > now() - interval '10 minutes')
    order by t.contact_id, d.seq`);
  for (let from = 0; from < lost.length; from += batchSize) {
    const entries = lost.slice(from, from + batchSize).map(({ accepted, ...row }): Entry => {
      const verdict: Verdict = accepted
        ? { kind: 'accepted', code: 250, text: 'accepted before the database failed over' }
        : { kind: 'unclear', text: 'sent before the database failed over' };
      return { attempt: { ...of, ...row }, trace: { kind: 'outcome', verdict } };
    });
    await redoIn(tx, 0, of, entries, lateOutcomeMs);
  }
}

/**
 * Makes recipients unclear that have just been frozen, from a number on: a launch that was lost may have frozen them before, and its
 * messages may have been sent.
 */
export async function doubtAfter(tx: Tx, of: CampaignKey, after: number): Promise<void> {
  const frozen = await tx.rows<{ seq: number; contact: number }>(sql`
    select seq, contact_id as contact
    from delivery
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and month = ${monthOf(of)}
      and seq > ${after}
      and attempts = 0
    order by seq`);
  for (let from = 0; from < frozen.length; from += batchSize) {
    const entries = frozen
      .slice(from, from + batchSize)
      .map((row): Entry => ({ attempt: { ...of, ...row, attempts: 1, resent: 0 }, trace: { kind: 'dotted' } }));
    await redoIn(tx, 0, of, entries, 0);
  }
}

/** Keeps the entries whose recipients have no row, as their campaign is to be launched or planned again. @returns how many */
async function storeLost(app: App, of: CampaignKey, entries: readonly Entry[]): Promise<number> {
  const values = jsonb(
    entries.map(({ attempt, trace }) => ({
      seq: attempt.seq,
      contact: attempt.contact,
      attempts: attempt.attempts,
      resent: attempt.resent,
      accepted: trace.kind === 'outcome' && trace.verdict.kind === 'accepted',
    })),
  );
  return app.db.transaction(async (tx) => {
    // A launch in progress, or a portion of it, ends first: then there are rows.
    const waiting = await tx.row(sql`
      select from campaign p
      where account_id = ${of.account}
        and id = ${of.campaign}
        and (
          (type = 'auto' and status = 'sending')
          or not exists (
            select from frozen_content f where f.account_id = p.account_id and f.campaign_id = p.id
          )
          or exists (
            select from freezing f where f.account_id = p.account_id and f.campaign_id = p.id
          )
        )
        -- A message of a lost call or job is not known by its recipient.
        and type <> 'message'
      for update`);
    if (!waiting) return 0;
    return tx.run(sql`
      insert into lost_attempt (account_id, campaign_id, contact_id, attempts, resent, accepted)
      select distinct on (e.contact) ${of.account}::int, ${of.campaign}::int, e.contact, e.attempts, e.resent, e.accepted
      from jsonb_to_recordset(${values}::jsonb)
        as e(seq int, contact int, attempts smallint, resent smallint, accepted boolean)
      where not exists (
          select from delivery d
          where d.account_id = ${of.account}
            and d.campaign_id = ${of.campaign}
            and d.month = ${monthOf(of)}
            and d.contact_id = e.contact
            and (d.seq = e.seq or d.occasion = '')
        )
      order by e.contact, e.attempts desc
      on conflict do nothing`);
  });
}

async function redoBatch(
  app: App,
  workerId: number,
  of: CampaignKey,
  entries: readonly Entry[],
  copyAfterMs: number,
): Promise<Outcome[]> {
  const behind = behindJournal(of, monthOf(of), entries);
  // Nearly all are known to the database, unless a fail-over has just happened.
  if ((await app.db.row(sql`select from ${behind} limit 1`)) === undefined) return [];
  return app.db.transaction((tx) => redoIn(tx, workerId, of, entries, copyAfterMs));
}

async function redoIn(
  tx: Tx,
  workerId: number,
  of: CampaignKey,
  entries: readonly Entry[],
  copyAfterMs: number,
): Promise<Outcome[]> {
  const campaign = await tx.row<{ month: string }>(sql`
    select month::text as month
    from campaign
    where account_id = ${of.account}
      and id = ${of.campaign}`);
  // Deleted since: its recipients are about to be.
  if (!campaign) return [];
  const behind = behindJournal(of, constantMonth(campaign), entries);
  await lockRanges(tx, of, behind);
  const chunk = await insertChunk(tx, workerId, { ...of, ...campaign });
  const rows = await takeUp(tx, of, chunk, workerId, behind);
  const outcomes = rows.map(
    ({ nth, ...marked }): Outcome => ({
      marked,
      verdict: verdictOf(entries[nth]!.trace),
      copyAfterMs,
    }),
  );
  await writeOutcomes(tx, chunk, workerId, outcomes);
  await tx.run(sql`
      delete from chunk
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}
        and no = ${chunk.no}`);
  await finishIfDone(tx, of);
  return outcomes;
}

const verdictOf = (trace: Trace<Verdict>): Verdict =>
  trace.kind === 'outcome'
    ? trace.verdict
    : { kind: 'unclear', text: 'the database was replaced between the final dot and the reply' };

/** The recipients whose rows are older than these attempts: a table `b` of rows and entries. */
function behindJournal(of: CampaignKey, month: Sql, entries: readonly Entry[]): Sql {
  const values = jsonb(
    entries.map(({ attempt, trace }, nth) => ({
      nth,
      seq: attempt.seq,
      contact: attempt.contact,
      attempts: attempt.attempts,
      resent: attempt.resent,
      known: trace.kind === 'outcome' && trace.verdict.kind !== 'unclear',
    })),
  );
  return sql`
    (
      select d.ctid, d.seq, d.state, d.attempts as attempts_before, ${isMarked(sql`d.seq`, sql`d.state`, of)} as is_marked, d.resent as resent_before, e.nth, e.attempts, e.resent
      from jsonb_to_recordset(${values}::jsonb)
        as e(nth int, seq int, contact int, attempts smallint, resent smallint, known boolean)
      join delivery d
        on d.account_id = ${of.account}
        and d.campaign_id = ${of.campaign}
        and d.month = ${month}
        and d.contact_id = e.contact
        -- A launch that was lost too may have numbered them differently.
        and (d.seq = e.seq or d.occasion = '')
      where d.contact_id = any (${entries.map(({ attempt }) => attempt.contact)}::int[])
        and d.state not in (${states.accepted}, ${states.failed})
        and (
          d.attempts < e.attempts
          or (d.attempts = e.attempts and (d.state = ${states.trying} or (d.state = ${states.unclear} and e.known)))
        )
    ) as b`;
}

/**
 * Locks the chunks of first attempts that the recipients are in, so that none of these is marked or settled in its chunk's row
 * until the transaction ends.
 */
async function lockRanges(tx: Tx, of: CampaignKey, behind: Sql): Promise<void> {
  // A campaign that is launched again numbers its recipients otherwise: then those are locked as well.
  for (let locked: number[] = []; ; ) {
    const rows = await tx.rows<{ seq: number }>(sql`select seq from ${behind}`);
    const seqs = rows.map(({ seq }) => seq).filter((seq) => !locked.includes(seq));
    if (seqs.length === 0) return;
    await tx.run(sql`
      select from chunk k
      where k.account_id = ${of.account}
        and k.campaign_id = ${of.campaign}
        and k.state <> 'done'
        and exists (select from unnest(${seqs}::int[]) as s (seq) where s.seq between k.from_seq and k.to_seq)
      order by k.no
      for update`);
    locked = [...locked, ...seqs];
  }
}

/** A chunk to write the outcomes under: any other worker's lease of these recipients no longer matches. */
async function insertChunk(tx: Tx, workerId: number, of: CampaignKey & { month: string }): Promise<Chunk> {
  const row = await tx.row<{ no: number }>(sql`
    insert into chunk (account_id, campaign_id, kind, seqs, state, worker_id, lease, leased_until, due_at)
    values (${of.account}, ${of.campaign}, 'retry', '{}', 'leased', ${workerId}, 1, now(), now())
    returning no`);
  return { ...of, no: row!.no, kind: 'retry', fromSeq: null, toSeq: null, seqs: [], lease: 1, crashes: 0 };
}

/** Makes the recipients trying under the chunk, as they were when the attempt was made. */
function takeUp(
  tx: Tx,
  of: CampaignKey,
  chunk: Chunk,
  workerId: number,
  behind: Sql,
): Promise<(Outcome['marked'] & { nth: number })[]> {
  const month = constantMonth(chunk);
  return tx.rows(sql`
    with behind as (
      select * from ${behind}
    ), locked as (
      select d.ctid, b.nth, b.attempts, b.attempts_before, b.resent, d.state, b.is_marked, d.resent as resent_before
      from behind b
      join delivery d on d.ctid = b.ctid and d.month = ${month} and d.state = b.state and d.resent = b.resent_before
      for update of d
    ), changed as (
      update delivery d
      set state = ${states.trying}, attempts = l.attempts, resent = greatest(d.resent, l.resent), chunk_no = ${chunk.no},
        first_at = coalesce(d.first_at, now()), next_at = null, reason = null
      from locked l
      where d.ctid = l.ctid
        and d.month = ${month}
      returning d.seq, d.contact_id as contact, d.list_id as list, d.email, d.attempts, d.resent, d.first_at as "firstAt",
        l.nth, l.is_marked, l.attempts_before = 0 and not l.is_marked and d.attempts > 0 as first, case when l.is_marked then ${states.trying} else l.state end as before,
        d.resent - l.resent_before as copies
    ), handed_out as (
      ${countHandedOut(of, sql`select ${thisMonth} as month, count(*) as count from changed where first`)}
    ), unmarked as (
      -- What the worker that has them in flight still writes has no effect.
      update chunk k
      set marked = k.marked - m.seqs
      from (select ${rangesOf(sql`seq`)} as seqs from changed where is_marked) as m
      where k.account_id = ${of.account}
        and k.campaign_id = ${of.campaign}
        and k.state = 'leased'
        and k.marked && m.seqs
    ), counted as (
      ${moveTally(
        chunk,
        workerId,
        sql`
        select -count(*) filter (where before = ${states.queued}) as queued,
          count(*) filter (where before <> ${states.trying}) as trying,
          0 as accepted,
          -count(*) filter (where before = ${states.later}) as later,
          0 as failed,
          -count(*) filter (where before = ${states.skipped}) as skipped,
          -count(*) filter (where before = ${states.unclear}) as unclear,
          coalesce(sum(copies), 0) as resent
        from changed
        having count(*) > 0`,
      )}
    )
    select seq, contact, list, email, attempts, resent, "firstAt", nth
    from changed`);
}
