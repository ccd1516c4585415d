// A chunk under a worker's lease, its recipients, and which of them are to be marked: conditions for the two statements of a
// group (mark-group.ts, write-group.ts). marked.ts has the rules of marking.
import type { AudienceSegments } from '../../audience/segments/audience.ts';
import type { Json } from '../../campaigns/markup/data.ts';
import { constantMonth } from '../../campaigns/model/month.ts';
import { empty, type Queries, type Sql, sql } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { states } from '../../db/states.ts';
import { isHeld } from './held.ts';
import { inRange, isMarkedIn, rangesOf } from './marked.ts';

/** Recipients in a chunk, at most: some seconds of work for a slow relay, a tenth of a second for a fast one. */
export const chunkSize = 500;

/**
 * Inserts chunks that list their recipients, those due at the same time together.
 * @param recipients a table or query with `seq` and `due_at`
 */
export const insertChunksOf = (
  { account, campaign }: CampaignKey,
  kind: 'first' | 'retry',
  recipients: Sql,
): Sql => sql`
  insert into chunk (account_id, campaign_id, kind, seqs, due_at)
  select ${account}::int, ${campaign}::int, ${kind}, array_agg(seq order by seq), due_at
  from (
    select seq, due_at, (row_number() over (partition by due_at order by seq) - 1) / ${chunkSize}::int as part
    from ${recipients}
  ) as cut
  group by due_at, part`;

/** The reason of recipients that were deferred, without an attempt, because their domain is paused or slow. */
export const spared = 'spared';

/** A chunk under our lease. */
export type Chunk = {
  account: number;
  campaign: number;
  /** Of the campaign: the partition of its recipients. */
  month: string;
  no: number;
  kind: 'first' | 'retry' | 'resend';
  fromSeq: number | null;
  toSeq: number | null;
  seqs: number[] | null;
  /** The domain of all its recipients, when they were deferred because of it. */
  domain?: string | null;
  /** Time zone of its contacts, for the send window; '' means the account's. */
  zone?: string;
  lease: number;
  crashes: number;
  /** Its recipients are those of single messages, each with a content of its own. */
  messages?: boolean;
  /** They are single messages of callers or to users, which go before all others that wait for a connection. */
  urgent?: boolean;
  /** Segments that each recipient must still match. */
  askedAgain?: AudienceSegments | null;
  /** Hash of the content frozen at the launch; a campaign that is changed while paused is launched again. */
  contentHash?: string | null;
  /** The revision of the campaign at the lease. Under a later one nothing is marked: its text is not the one that was read. */
  revision?: number;
  /** Refusals that a person has confirmed to be about the recipients. */
  confirmed?: readonly string[] | null;
};

/** A recipient to attempt now, with its present values. */
export type Marked = {
  seq: number;
  contact: number;
  list: number;
  email: string;
  domain: string;
  emailType: 'html' | 'text';
  /** Opens and clicks are not recorded. */
  untracked: boolean;
  values: Record<string, string>;
  attempts: number;
  /** Copies sent after an unclear outcome, including this one. */
  resent: number;
  /** What an autoresponder is sent for; the public id of a single message. */
  occasion?: string;
  /** The data of the event that the run of an automation began with; none for other recipients. */
  event?: Json | null;
  /** Of the version of an autoresponder or an email of an automation that it gets; null: the email itself. */
  language?: string | null;
  firstAt: Date;
};

/**
 * The recipients of a chunk that are to be marked, as a condition on delivery together with `within`. Whatever chunks there are,
 * one that was never attempted is to be marked by one of them: by the range with the lowest number that has it, or, where no
 * open range has it, by the lists that have it, which mark it in its row.
 */
export function toMark(
  chunk: Pick<Chunk, 'account' | 'campaign' | 'no' | 'kind' | 'fromSeq' | 'toSeq' | 'seqs' | 'messages'>,
): Sql {
  // A recipient that another chunk has attempted stays with that one, which marks it in its own row.
  if (inRange(chunk))
    return sql`(
      state = ${states.queued}
      and coalesce(chunk_no, ${chunk.no}) = ${chunk.no}
      and not coalesce(seq <@ ${otherRanges(chunk, sql`range_agg(int4range(r.from_seq, r.to_seq, '[]'))`)}, false)
      and not ${isHeld(chunk)}
    )`;
  // Single messages have no ranges.
  const queued = chunk.messages
    ? sql`state = ${states.queued}`
    : sql`
      state = ${states.queued}
      and not (
        coalesce(seq <@ ${otherRanges(chunk, sql`range_agg(int4range(r.from_seq, r.to_seq, '[]'))`)}, false)
        and coalesce(chunk_no = any ((${otherRanges(chunk, sql`array_agg(r.no)`)})::bigint[]), true)
      )
      and not ${isHeld(chunk)}`;
  // A recipient that was deferred or unclear in this chunk waits for another one.
  return sql`
    (
      (${queued})
      or (
        ${chunk.kind !== 'first'}
        and state = ${chunk.kind === 'resend' ? states.unclear : states.later}
        and chunk_no is distinct from ${chunk.no}
      )
    )`;
}

/** SQL: of the open ranges that have recipients of this chunk and go before it. Few entries of their index are read. */
const otherRanges = (
  {
    account,
    campaign,
    no,
    fromSeq,
    toSeq,
    seqs,
  }: Pick<Chunk, 'account' | 'campaign' | 'no' | 'fromSeq' | 'toSeq' | 'seqs'>,
  value: Sql,
): Sql => sql`(
  select ${value}
  from chunk r
  where r.account_id = ${account}
    and r.campaign_id = ${campaign}
    and r.seqs is null
    and r.state <> 'done'
    and r.from_seq <= ${toSeq ?? max(seqs!)}::int
    and r.to_seq >= ${fromSeq ?? min(seqs!)}::int
    ${seqs === null ? sql`and r.no < ${no}` : empty}
)`;

const max = (seqs: readonly number[]): number => seqs.reduce((most, seq) => Math.max(most, seq), 0);
const min = (seqs: readonly number[]): number => seqs.reduce((least, seq) => Math.min(least, seq), max(seqs));

/** How many recipients of a chunk are left to mark, up to `max`: no more of the daily quota is reserved than can be used. */
export async function queuedIn(db: Queries, chunk: Chunk, max: number): Promise<number> {
  const row = await db.row<{ count: number }>(sql`
    select count(*)::int as count
    from (
      select from delivery
      where account_id = ${chunk.account}
        and campaign_id = ${chunk.campaign}
        and month = ${constantMonth(chunk)}
        and ${within(chunk)}
        and state in (${states.queued}, ${states.later}, ${states.unclear})
        and not ${isMarkedIn(chunk)}
      limit ${max}
    ) as recipients`);
  return row!.count;
}

/**
 * A condition on delivery: the recipient may have received the message although it is not accepted. Such a recipient
 * becomes accepted or failed, never skipped.
 */
export const maybeSent = sql`(state = ${states.unclear} or resent > 0)`;

/** The recipients of a chunk, as a condition on delivery. */
export function within(chunk: Pick<Chunk, 'fromSeq' | 'toSeq' | 'seqs'>): Sql {
  return chunk.seqs === null
    ? sql`seq between ${chunk.fromSeq} and ${chunk.toSeq}`
    : sql`seq = any (${chunk.seqs}::int[])`;
}

/** Adds recipients to what the row of a range marks, or removes them. @param rows with their seqs */
export const changeMarks = (chunk: Chunk, byRange: boolean, marked: Sql, rows: Sql): Sql => sql`
      update chunk k
      set marked = ${marked}
      from (select ${rangesOf(sql`seq`)} as seqs from ${rows}) as m
      where ${byRange}
        and m.seqs is not null
        and k.account_id = ${chunk.account}
        and k.campaign_id = ${chunk.campaign}
        and k.no = ${chunk.no}`;
