// Takes over what a dead worker held. Its journal, when it can be read and believed, tells for each recipient that was
// being tried whether the final dot was about to go out and what came back; without it all of them are unclear.
import { hostname } from 'node:os';
import type { App } from '../../base/context.ts';
import type { Log } from '../../base/log.ts';
import { isUnavailable, sql } from '../../db/connect.ts';
import { bootId, lockIsHeld, pidNamespace } from '../../jobs/worker-presence.ts';
import { finishIfDone } from '../launch/finish.ts';
import type { Verdict } from '../verdict/verdict.ts';
import { type Chunk, type Marked, within } from './chunk.ts';
import type { Outcome } from './group-send.ts';
import { readJournal, removeJournal, traceKey } from './journal.ts';
import type { Lease, LeaseWatch } from './lease-watch.ts';
import { writeOutcomes } from './outcomes.ts';
import { states } from './states.ts';

/** Who was alone under way, or the last to be begun, when a worker died so many times is the cause and is failed. */
const maxCrashes = 3;

/** Whoever looks for abandoned chunks: what it has seen of all leases, and which are its own. */
export type Lookout = { watch: LeaseWatch; holds(no: number, lease: number): boolean; nowMs?: () => number };

/** Frees every chunk whose lease has run out, or whose worker is certainly dead. @returns how many */
export async function recover(app: App, log: Log, lookout: Lookout): Promise<number> {
  let count = 0;
  for (const abandoned of await findAbandoned(app, lookout)) {
    try {
      if (await takeOver(app, log, abandoned)) count += 1;
    } catch (error) {
      // One that cannot be taken over keeps nobody from the others.
      if (isUnavailable(error)) throw error;
      log.error({ err: error, chunk: abandoned.no }, 'what a worker had left could not be taken over');
    }
  }
  return count;
}

/** Removes the journals of workers that are dead and hold nothing any more. */
export async function sweepJournals(app: App): Promise<void> {
  const done = await app.db.rows<{ id: number; journal: string }>(sql`
    select id, journal
    from worker w
    where host = ${hostname()}
      and ended_at < now() - interval '1 minute'
      and journal <> ''
      and not exists (select from chunk k where k.worker_id = w.id and k.state = 'leased')`);
  for (const { id, journal } of done) {
    removeJournal(journal);
    await app.db.run(sql`update worker set journal = '' where id = ${id}`);
  }
}

type Leased = Chunk &
  Lease & { workerId: number; host: string; bootId: string; pidNamespace: string; pid: number; journal: string };
type Abandoned = Leased & { dead: boolean };

type Suspect = Pick<Marked, 'seq' | 'contact' | 'list' | 'email' | 'attempts' | 'resent' | 'firstAt'> & {
  crashes: number;
};

async function findAbandoned(
  app: App,
  { watch, holds, nowMs = () => performance.now() }: Lookout,
): Promise<Abandoned[]> {
  const leased = await app.db.rows<Leased>(sql`
    select k.account_id as account, k.campaign_id as campaign, k.no, k.kind, k.from_seq as "fromSeq", k.to_seq as "toSeq", k.seqs,
      k.lease, extract(epoch from k.leased_until)::text as until, k.crashes, k.worker_id as "workerId",
      w.host, w.boot_id as "bootId", w.pid_space as "pidNamespace", w.pid, w.journal
    from chunk k
    join worker w on w.id = k.worker_id
    where k.state = 'leased'
    order by k.leased_until`);
  const ended = new Set(watch.ended(leased, nowMs()));
  const dead = await certainlyDead(app, leased);
  return leased
    .filter((one) => (ended.has(one) || dead.has(one.workerId)) && !holds(one.no, one.lease))
    .map((one) => ({ ...one, dead: dead.has(one.workerId) }));
}

/** The ids of those that cannot send anything any more, whatever their leases say. */
async function certainlyDead(app: App, leased: readonly Leased[]): Promise<Set<number>> {
  const gone = new Set(leased.filter(isGone).map((one) => one.workerId));
  if (gone.size === 0) return gone;
  const dead = await app.db.rows<{ id: number }>(sql`
    select id
    from unnest(${[...gone]}::int[]) as w (id)
    where not ${lockIsHeld(sql`w.id`)}`);
  return new Set(dead.map(({ id }) => id));
}

/**
 * Whether the process is not there, where its pid can tell. After another start of the machine nothing is concluded: two
 * machines cloned from one have the same name.
 */
function isGone(worker: Leased): boolean {
  if (!isOfThisMachine(worker) || worker.pidNamespace === '' || worker.pidNamespace !== pidNamespace()) return false;
  try {
    process.kill(worker.pid, 0);
    return false;
  } catch (error) {
    return (error as { code?: string }).code === 'ESRCH';
  }
}

/** Of this start of it, so that what was written to a file is there, synced or not. */
const isOfThisMachine = (worker: Pick<Leased, 'host' | 'bootId'>): boolean =>
  worker.host === hostname() && worker.bootId !== '' && worker.bootId === bootId();

async function takeOver(app: App, log: Log, one: Abandoned): Promise<boolean> {
  const journal = isOfThisMachine(one) ? readJournal<Verdict>(one.journal, one.bootId) : undefined;
  const { dead } = one;
  // One transaction: a crash in its middle leaves the chunk as it was, to be taken over again with the same journal.
  const outcomes = await app.db.transaction(async (tx) => {
    const locked = await tx.row(sql`
      select from chunk
      where account_id = ${one.account}
        and campaign_id = ${one.campaign}
        and no = ${one.no}
        and lease = ${one.lease}
        and state = 'leased'
        -- Not renewed since it was looked at.
        and (extract(epoch from leased_until)::text = ${one.until} or ${dead})
      for update skip locked`);
    if (!locked) return undefined;
    const rows = await tx.rows<Suspect>(sql`
      select seq, contact_id as contact, list_id as list, email, attempts, resent, first_at as "firstAt", crashes
      from delivery
      where account_id = ${one.account}
        and campaign_id = ${one.campaign}
        and ${within(one)}
        and state = ${states.trying}
        and chunk_no = ${one.no}
      order by seq`);
    const traceOf = ({ seq }: Suspect) =>
      journal?.traces.get(traceKey({ account: one.account, campaign: one.campaign, seq, lease: one.lease }));
    // After a first crash recipients are begun one by one in this order (see workThrough), so that the last begun is
    // the one that brings the worker down. Counted for each recipient: kills from outside hit now one, now another.
    const suspect = dead && one.crashes > 0 ? rows.findLast((row) => !traceOf(row)) : undefined;
    if (suspect) {
      suspect.crashes += 1;
      await tx.run(sql`
        update delivery
        set crashes = ${suspect.crashes}
        where account_id = ${one.account}
          and campaign_id = ${one.campaign}
          and seq = ${suspect.seq}`);
    }
    const judgedRows = rows.map((marked): Outcome => {
      return { marked, verdict: judged(traceOf(marked), journal, marked) };
    });
    await writeOutcomes(tx, one, one.workerId, judgedRows);
    // The next lease has another number: whatever the old holder still writes is too late.
    await tx.run(sql`
      update chunk
      set state = 'waiting', worker_id = null, leased_until = null, crashes = crashes + ${dead ? 1 : 0}
      where account_id = ${one.account}
        and campaign_id = ${one.campaign}
        and no = ${one.no}`);
    await finishIfDone(tx, one.account, one.campaign);
    return judgedRows;
  });
  if (!outcomes) return false;
  const unclear = outcomes.filter((outcome) => outcome.verdict.kind === 'unclear').length;
  log.warn(
    { chunk: one.no, worker: one.workerId, trying: outcomes.length, unclear },
    'took over what a worker had left',
  );
  return true;
}

function judged(
  trace: { kind: 'dotted' } | { kind: 'settled'; verdict: Verdict } | undefined,
  journal: { damaged: boolean } | undefined,
  { crashes }: Suspect,
): Verdict {
  if (trace?.kind === 'settled') return trace.verdict;
  if (trace?.kind === 'dotted') return { kind: 'unclear', text: 'the worker died between the final dot and the reply' };
  if (!journal) return { kind: 'unclear', text: 'the worker died and left no journal that can be read here' };
  if (journal.damaged) return { kind: 'unclear', text: 'the worker died and its journal is damaged' };
  if (crashes >= maxCrashes) {
    return {
      kind: 'failed',
      scope: 'recipient',
      bounce: 'generic',
      suppress: false,
      code: null,
      text: 'the worker ended three times over this recipient',
    };
  }
  return { kind: 'withheld' };
}
