// Takes over the chunks of dead workers. The journal of a worker, when it can be read and trusted, shows for each recipient
// in state trying whether the final dot was about to be sent and what the reply was; without it all of them are unclear.

import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import type { App } from '../../base/context.ts';
import type { Log } from '../../base/log.ts';
import { constantMonth } from '../../campaigns/model/month.ts';
import { type Database, isUnavailable, type Sql, sql, type Tx } from '../../db/connect.ts';
import { lockClasses } from '../../db/locks.ts';
import { states } from '../../db/states.ts';
import { bootId, lockIsHeld, pidNamespace } from '../../jobs/worker-presence.ts';
import type { Verdict } from '../../relays/verdict/verdict.ts';
import { type Chunk, type Marked, within } from '../ledger/chunk.ts';
import { isMarkedIn } from '../ledger/marked.ts';
import { finishIfDone } from '../outcomes/finish.ts';
import type { Outcome } from '../outcomes/outcome.ts';
import { writeOutcomes } from '../outcomes/write-outcomes.ts';
import { readJournal, removeJournal, strayJournals, type Trace, traceKey } from './journal.ts';
import type { Lease, LeaseWatch } from './lease-watch.ts';

/** Crashes after which a recipient that was alone in flight, or started last, is failed as the cause. */
const maxCrashes = 3;

/** Longer than a running worker keeps its lines. */
const keepJournal = sql`interval '10 minutes'`;
/** Log lines name workers by the ids of their rows. */
const keepRows = sql`interval '30 days'`;
/** Journals without a row of their worker are kept for so long. */
const strayMs = 24 * 3_600_000;

/**
 * How long copies wait after a takeover without a readable journal. The worker may be alive, with the outcomes, on a
 * machine that had lost its connection.
 */
export const lateOutcomeMs = 60_000;

/** The view of the process that looks for abandoned chunks: the leases it has seen, and those it holds itself. */
export type LeaseView = { watch: LeaseWatch; holds(no: number, lease: number): boolean; nowMs?: () => number };

/** Frees every chunk whose lease has expired, or whose worker is certainly dead. @returns how many */
export async function recover(app: App, log: Log, view: LeaseView): Promise<number> {
  let count = 0;
  const abandoned = Map.groupBy(await findAbandoned(app, view), (chunk) => chunk.workerId);
  for (const [workerId, chunks] of abandoned) count += await takeOverFrom(app, log, workerId, chunks);
  return count;
}

/** Frees the chunks of a worker that has released them, or is dead. */
export async function recoverChunksOf(app: App, log: Log, workerId: number): Promise<void> {
  const chunks = await leasedChunks(app, sql`k.worker_id = ${workerId}`);
  await takeOverAll(
    app,
    log,
    chunks.map((chunk) => ({ ...chunk, dead: false })),
  );
}

/** Removes the journals of workers that ended a while ago and no longer hold a chunk, and their rows a month later. */
export async function sweepJournals(app: App): Promise<void> {
  const done = await app.db.rows<{ id: number; journal: string }>(sql`
    select id, journal
    from worker w
    where host = ${hostname()}
      and ended_at < now() - ${keepJournal}
      and journal <> ''
      and not exists (select from chunk k where k.worker_id = w.id and k.state = 'leased')`);
  for (const { id, journal } of done) {
    removeJournal(journal);
    await app.db.run(sql`update worker set journal = '' where id = ${id}`);
  }
  await app.db.run(sql`
    delete from worker w
    where ended_at < now() - ${keepRows}
      and not exists (select from chunk k where k.worker_id = w.id and k.state = 'leased')`);
  await sweepStrayJournals(app);
}

/** Removes old journals of which no present worker has a row: containers that share a volume get a new host name each. */
async function sweepStrayJournals(app: App): Promise<void> {
  const paths = strayJournals(join(app.config.dataDir, 'journal'), strayMs);
  if (paths.length === 0) return;
  const needed = await app.db.rows<{ journal: string }>(sql`
    select journal
    from worker w
    where ended_at is null
      or ended_at > now() - ${keepJournal}
      or exists (select from chunk k where k.worker_id = w.id and k.state = 'leased')`);
  const names = new Set(needed.map(({ journal }) => basename(journal)));
  for (const path of paths) if (!names.has(basename(path))) removeJournal(path);
}

/** Where a worker runs, or ran. */
export type WorkerProcess = { host: string; bootId: string; pidNamespace: string; pid: number };
type Leased = Chunk & Lease & WorkerProcess & { workerId: number; journal: string };
type Abandoned = Leased & { dead: boolean };

type Suspect = Pick<Marked, 'seq' | 'contact' | 'list' | 'email' | 'attempts' | 'resent' | 'firstAt'> & {
  crashes: number;
};

function leasedChunks(app: App, which: Sql): Promise<Leased[]> {
  return app.db.rows<Leased>(sql`
    select k.account_id as account, k.campaign_id as campaign, p.month::text as month, k.no, k.kind, k.from_seq as "fromSeq",
      k.to_seq as "toSeq", k.seqs, k.lease, extract(epoch from k.leased_until)::text as until, k.crashes, k.worker_id as "workerId",
      w.host, w.boot_id as "bootId", w.pid_namespace as "pidNamespace", w.pid, w.journal
    from chunk k
    join worker w on w.id = k.worker_id
    -- Chunks of a deleted campaign are about to be deleted.
    join campaign p on p.account_id = k.account_id and p.id = k.campaign_id
    where k.state = 'leased'
      and ${which}
    order by k.leased_until`);
}

async function findAbandoned(
  app: App,
  { watch, holds, nowMs = () => performance.now() }: LeaseView,
): Promise<Abandoned[]> {
  const leased = await leasedChunks(app, sql`true`);
  const ended = new Set(watch.ended(leased, nowMs()));
  const dead = await certainlyDead(app, leased);
  return leased
    .filter((chunk) => (ended.has(chunk) || dead.has(chunk.workerId)) && !holds(chunk.no, chunk.lease))
    .map((chunk) => ({ ...chunk, dead: dead.has(chunk.workerId) }));
}

/** The ids of the workers that can no longer send, whether or not their leases have expired. */
async function certainlyDead(app: App, leased: readonly Leased[]): Promise<Set<number>> {
  const gone = new Set(leased.filter(isGone).map((chunk) => chunk.workerId));
  if (gone.size === 0) return gone;
  const dead = await app.db.rows<{ id: number }>(sql`
    select id
    from unnest(${[...gone]}::int[]) as w (id)
    where not ${lockIsHeld(sql`w.id`)}`);
  return new Set(dead.map(({ id }) => id));
}

/**
 * True when the pid shows that the process is gone. After a reboot of the machine the pid proves nothing: two clones of
 * one machine have the same name.
 */
export function isGone(worker: WorkerProcess): boolean {
  if (!isOfThisMachine(worker) || worker.pidNamespace === '' || worker.pidNamespace !== pidNamespace()) return false;
  try {
    process.kill(worker.pid, 0);
    return false;
  } catch (error) {
    return (error as { code?: string }).code === 'ESRCH';
  }
}

/** Since its last boot, so that everything written to a file is there, synced or not. */
export const isOfThisMachine = (worker: Pick<WorkerProcess, 'host' | 'bootId'>): boolean =>
  worker.host === hostname() && worker.bootId !== '' && worker.bootId === bootId();

/** @returns how many chunks; 0 while another process reads the journal of this worker */
function takeOverFrom(app: App, log: Log, workerId: number, chunks: readonly Abandoned[]): Promise<number> {
  return app.db.transaction(async (tx) => {
    const isMine = await tx.row(
      sql`select where pg_try_advisory_xact_lock(${lockClasses.recovery}::int, ${workerId}::int)`,
    );
    return isMine ? takeOverAll(app, log, chunks) : 0;
  });
}

/** @param chunks of one worker */
async function takeOverAll(app: App, log: Log, chunks: readonly Abandoned[]): Promise<number> {
  const [first] = chunks;
  if (!first) return 0;
  const leaseOf = ({ account, campaign, lease }: Pick<Chunk, 'account' | 'campaign' | 'lease'>) =>
    `${account} ${campaign} ${lease}`;
  const leases = new Set(chunks.map(leaseOf));
  const journal = isOfThisMachine(first)
    ? await readJournal<Verdict>(first.journal, first.bootId, (attempt) => leases.has(leaseOf(attempt)))
    : undefined;
  let count = 0;
  for (const chunk of chunks) {
    try {
      if (await takeOver(app, log, chunk, journal)) count += 1;
    } catch (error) {
      // A chunk that cannot be taken over does not keep the others waiting.
      if (isUnavailable(error)) throw error;
      log.error({ err: error, chunk: chunk.no }, 'the chunk of a dead worker could not be taken over');
    }
  }
  return count;
}

async function takeOver(
  app: App,
  log: Log,
  chunk: Abandoned,
  journal: Awaited<ReturnType<typeof readJournal<Verdict>>>,
): Promise<boolean> {
  // One transaction: a crash during it leaves the chunk as it was, to be taken over again with the same journal.
  const outcomes = await app.db.transaction(async (tx) => {
    if (!(await lockUnrenewed(tx, chunk))) return undefined;
    const trying = await readTrying(tx, chunk);
    const { account, campaign, lease } = chunk;
    const keyOf = ({ seq, attempts }: Suspect) => traceKey({ account, campaign, seq, lease, attempts });
    const traceOf = (marked: Suspect) => journal?.traces.get(keyOf(marked));
    // After a first crash recipients are started one by one in this order (see held-chunk.ts), so the last one started is
    // the cause, unless it waited for a connection. Crashes are counted for each recipient: kills from outside hit a
    // different one each time.
    const isSuspect = (marked: Suspect) => !traceOf(marked) && journal?.started.has(keyOf(marked)) === true;
    const suspect = chunk.dead && chunk.crashes > 0 ? trying.findLast(isSuspect) : undefined;
    if (suspect) await countCrash(tx, chunk, suspect);
    const outcomes = trying.map(
      (marked): Outcome => ({
        marked,
        verdict: verdictOf(traceOf(marked), journal, marked),
        ...(journal || chunk.dead ? {} : { copyAfterMs: lateOutcomeMs }),
      }),
    );
    await writeOutcomes(tx, chunk, chunk.workerId, outcomes);
    await freeChunk(tx, chunk, journal === undefined);
    await finishIfDone(tx, chunk);
    return outcomes;
  });
  if (!outcomes) return false;
  const unclear = outcomes.filter(({ verdict }) => verdict.kind === 'unclear').length;
  log.warn(
    { chunk: chunk.no, worker: chunk.workerId, trying: outcomes.length, unclear },
    'took over the chunk of a dead worker',
  );
  return true;
}

/**
 * Frees a chunk of this worker of which nothing is on the wire and every outcome is written: recipients that are marked
 * were marked by a commit that was not confirmed. Changes nothing once another worker has taken it over.
 */
export async function takeBack(db: Database, chunk: Chunk, workerId: number): Promise<void> {
  await db.transaction(async (tx) => {
    const locked = await tx.row(sql`
      select from chunk
      where account_id = ${chunk.account}
        and campaign_id = ${chunk.campaign}
        and no = ${chunk.no}
        and state = 'leased'
        and worker_id = ${workerId}
        and lease = ${chunk.lease}
      for update`);
    if (!locked) return;
    const trying = await readTrying(tx, chunk);
    await writeOutcomes(
      tx,
      chunk,
      workerId,
      trying.map((marked): Outcome => ({ marked, verdict: { kind: 'notSent' } })),
    );
    await freeChunk(tx, { ...chunk, dead: false }, false);
    await finishIfDone(tx, chunk);
  });
}

/** @returns false when the chunk is no longer leased, or its lease was renewed since it was read */
async function lockUnrenewed(tx: Tx, chunk: Abandoned): Promise<boolean> {
  const locked = await tx.row(sql`
    select from chunk
    where account_id = ${chunk.account}
      and campaign_id = ${chunk.campaign}
      and no = ${chunk.no}
      and lease = ${chunk.lease}
      and state = 'leased'
      and (extract(epoch from leased_until)::text = ${chunk.until} or ${chunk.dead})
    for update skip locked`);
  return locked !== undefined;
}

function readTrying(tx: Tx, chunk: Chunk): Promise<Suspect[]> {
  return tx.rows<Suspect>(sql`
    select seq, contact_id as contact, list_id as list, email, attempts + (state = ${states.queued})::int as attempts, resent,
      coalesce(first_at, (
        select k.marked_at from chunk k where k.account_id = ${chunk.account} and k.campaign_id = ${chunk.campaign} and k.no = ${chunk.no}
      ), now()) as "firstAt", crashes
    from delivery
    where account_id = ${chunk.account}
      and campaign_id = ${chunk.campaign}
      and month = ${constantMonth(chunk)}
      and ${within(chunk)}
      and ((state = ${states.trying} and chunk_no = ${chunk.no}) or (state = ${states.queued} and ${isMarkedIn(chunk)}))
    order by seq`);
}

async function countCrash(tx: Tx, chunk: Abandoned, suspect: Suspect): Promise<void> {
  suspect.crashes += 1;
  await tx.run(sql`
    update delivery
    set crashes = ${suspect.crashes}
    where account_id = ${chunk.account}
      and campaign_id = ${chunk.campaign}
      and month = ${constantMonth(chunk)}
      and seq = ${suspect.seq}`);
}

/** Makes the chunk available. The next lease has another number: whatever the old holder still writes has no effect. */
async function freeChunk(tx: Tx, chunk: Chunk & { dead: boolean }, untraced: boolean): Promise<void> {
  await tx.run(sql`
    update chunk
    set state = 'waiting', worker_id = null, leased_until = null, marked = '{}', crashes = crashes + ${chunk.dead ? 1 : 0},
      untraced_lease = case when ${untraced} then lease else untraced_lease end
    where account_id = ${chunk.account}
      and campaign_id = ${chunk.campaign}
      and no = ${chunk.no}`);
}

function verdictOf(
  trace: Trace<Verdict> | undefined,
  journal: { damaged: boolean } | undefined,
  { crashes }: Suspect,
): Verdict {
  if (trace?.kind === 'outcome') return trace.verdict;
  if (trace?.kind === 'dotted') return { kind: 'unclear', text: 'the worker died between the final dot and the reply' };
  if (!journal) return { kind: 'unclear', text: 'the worker died and left no journal that is readable here' };
  if (journal.damaged) return { kind: 'unclear', text: 'the worker died and its journal is damaged' };
  if (crashes >= maxCrashes) {
    return {
      kind: 'failed',
      scope: 'recipient',
      bounce: 'generic',
      suppress: false,
      code: null,
      text: 'the worker crashed three times over this recipient',
    };
  }
  return { kind: 'notSent' };
}
