// After a fail-over to a replica the database may have forgotten messages that were sent. Notices the new timeline of the
// server, redoes the journals of this worker and of dead ones on this machine, and lets sending continue when every worker
// has done so. Recipients that an absent machine may have been sending to become unclear: their copies are marked.
// Until then `isRedone` (timeline.ts) keeps every worker from taking or marking recipients.
import type { App } from '../../base/context.ts';
import type { Log } from '../../base/log.ts';
import { constantMonth } from '../../campaigns/model/month.ts';
import { type Sql, sql } from '../../db/connect.ts';
import { states } from '../../db/states.ts';
import { lockIsHeld } from '../../jobs/worker-presence.ts';
import { within } from '../ledger/chunk.ts';
import { isRedone } from '../ledger/timeline.ts';
import { decideDue } from '../winner/decide.ts';
import { isGone, isOfThisMachine, recoverChunksOf, type WorkerProcess } from './recover.ts';
import { redo, redoJournal } from './redo.ts';

export type FailoverParts = {
  workerId: number;
  journal: string;
  /** Sends no further dot under the present leases, and waits for the replies in flight, at most `ms`. */
  abandon(ms: number): Promise<void>;
  /** Registers this worker again when the database has forgotten it. */
  register(): Promise<void>;
};

const waits = {
  /** How long the replies to messages in flight are waited for. Those that come later still count. */
  repliesMs: 5_000,
  /** A process that cannot be seen from here sends no more dots when it has been without its lock for so long. */
  silentMs: 20_000,
  /** A machine that has not redone its journals by then is absent. */
  absentMs: 60_000,
};

type Behind = WorkerProcess & { id: number; journal: string; isLocked: boolean; isSilent: boolean };

export class FailoverWatch {
  readonly #app: App;
  readonly #log: Log;
  readonly #parts: FailoverParts;
  /** When the fail-over was noticed here. */
  #noticedAt: number | undefined;

  readonly #waits: typeof waits;

  constructor(app: App, log: Log, parts: FailoverParts, shorter: Partial<typeof waits> = {}) {
    this.#waits = { ...waits, ...shorter };
    this.#app = app;
    this.#log = log;
    this.#parts = parts;
  }

  /** Does what is left to do here after a fail-over. @returns false while sending waits for other workers */
  async check(): Promise<boolean> {
    const { workerId } = this.#parts;
    const row = await this.#app.db.row<{ timeline: number; isMine: boolean; isAll: boolean }>(sql`
      select database_timeline() as timeline, timeline = database_timeline() as "isMine", ${isRedone} as "isAll"
      from worker
      where id = ${workerId}`);
    if (!row) {
      await this.#parts.register();
      return false;
    }
    const { timeline } = row;
    if (row.isMine && row.isAll) {
      this.#noticedAt = undefined;
      return true;
    }
    this.#noticedAt ??= performance.now();
    if (!row.isMine) await this.#redoOwn(timeline);
    if (row.isAll) return true;
    await this.#redoOthers(timeline);
    return this.#finish(timeline);
  }

  async #redoOwn(timeline: number): Promise<void> {
    const { workerId, journal, abandon } = this.#parts;
    this.#log.warn(
      { timeline },
      'the database has failed over to a replica; sending waits until the journals have been compared with it',
    );
    await abandon(this.#waits.repliesMs);
    await this.#redoJournalOf(workerId, journal, timeline);
    await recoverChunksOf(this.#app, this.#log, workerId);
    await this.#app.db.run(sql`update worker set timeline = ${timeline} where id = ${workerId}`);
  }

  /** The journals of workers that ended here before they could redo them. */
  async #redoOthers(timeline: number): Promise<void> {
    for (const other of await this.#behind()) {
      if (other.id === this.#parts.workerId || other.isLocked || !isOfThisMachine(other)) continue;
      if (!isGone(other) && this.#noticedMs() < this.#waits.silentMs) continue;
      await this.#redoJournalOf(other.id, other.journal, timeline);
      await this.#app.db.run(sql`update worker set timeline = ${timeline} where id = ${other.id}`);
    }
  }

  async #redoJournalOf(worker: number, journal: string, timeline: number): Promise<void> {
    const { workerId } = this.#parts;
    const redone = await redoJournal(this.#app, workerId, journal, async () => {
      await this.#app.db.run(sql`update worker set seen_at = now() where id = ${worker}`);
    });
    if (redone.outcomes + redone.lost > 0)
      this.#log.warn(
        { timeline, worker, ...redone },
        'the replica lacked outcomes of this worker; they were redone. Unsubscribes and other changes of these seconds are lost',
      );
  }

  /** Lets sending continue if no worker is behind, or those that are have been absent for long. */
  async #finish(timeline: number): Promise<boolean> {
    const behind = await this.#behind();
    if (behind.length > 0 && (this.#noticedMs() < this.#waits.absentMs || behind.some((worker) => !worker.isSilent)))
      return false;
    if (behind.length > 0) {
      // The failed server may have ended a test and sent to the rest.
      await decideDue(this.#app.db);
      const recipients = await doubtDue(this.#app, this.#parts.workerId, recentPause);
      this.#log.error(
        { workers: behind.map(({ id }) => id), recipients },
        'no worker on their machines has compared their journals with the replica: recipients they may have sent to are unclear',
      );
    }
    await this.#app.db.run(sql`
      update heartbeat
      set timeline = ${timeline}
      where not exists (
        select from worker
        where ended_at is null
          and timeline <> ${timeline}
          and not id = any (${behind.map(({ id }) => id)}::int[])
      )`);
    return false;
  }

  /** The workers that were alive at the fail-over and whose journals have not been redone. */
  #behind(): Promise<Behind[]> {
    return this.#app.db.rows<Behind>(sql`
      select id, host, boot_id as "bootId", pid_namespace as "pidNamespace", pid, journal, ${lockIsHeld(sql`worker.id`)} as "isLocked",
        seen_at < now() - make_interval(secs => ${this.#waits.absentMs / 2_000}) as "isSilent"
      from worker
      where ended_at is null
        and timeline <> database_timeline()
      order by id`);
  }

  #noticedMs(): number {
    return performance.now() - (this.#noticedAt ?? Number.POSITIVE_INFINITY);
  }
}

/** A campaign that was paused later than this may have had messages on the wire at the fail-over. */
const recentPause = sql`interval '15 minutes'`;

/**
 * Makes recipients unclear who are due but may have got the message already: the failed server may have lost the outcome.
 * @param sincePause how long ago a paused campaign may have been paused
 * @returns how many
 */
export async function doubtDue(app: App, workerId: number, sincePause: Sql): Promise<number> {
  const mayHaveSent = sql`(p.status in ('sending', 'launching') or (p.status = 'paused' and p.changed_at > now() - ${sincePause}))`;
  // Those of portions that were lost have no rows yet.
  await app.db.run(sql`
    update freezing f
    set doubted = true
    from campaign p
    where p.account_id = f.account_id
      and p.id = f.campaign_id
      and ${mayHaveSent}`);
  const chunks = await app.db.rows<DoubtedChunk>(sql`
    select k.account_id as account, k.campaign_id as campaign, p.month::text as month, k.no, k.from_seq as "fromSeq", k.to_seq as "toSeq", k.seqs
    from chunk k
    join campaign p on p.account_id = k.account_id and p.id = k.campaign_id
    -- One that is launching has recipients if its corrected text was being published.
    where ${mayHaveSent}
      and k.state <> 'done'
      and k.due_at <= now()`);
  let count = 0;
  for (const chunk of chunks) count += await doubt(app, workerId, chunk);
  return count;
}

async function doubt(app: App, workerId: number, chunk: DoubtedChunk): Promise<number> {
  const { account, campaign } = chunk;
  const rows = await app.db.rows<{ seq: number; contact: number; attempts: number; resent: number }>(sql`
    select seq, contact_id as contact, attempts + (state <> ${states.trying})::int as attempts, resent
    from delivery
    where account_id = ${account}
      and campaign_id = ${campaign}
      and month = ${constantMonth(chunk)}
      and ${within(chunk)}
      and state in (${states.queued}, ${states.trying}, ${states.later})`);
  const entries = rows.map((row) => ({ attempt: { account, campaign, ...row }, trace: { kind: 'dotted' } as const }));
  // Late replies had time to arrive while the worker was waited for.
  return (await redo(app, workerId, entries, 0)).outcomes;
}

type DoubtedChunk = {
  account: number;
  campaign: number;
  month: string;
  no: number;
  fromSeq: number | null;
  toSeq: number | null;
  seqs: number[] | null;
};
