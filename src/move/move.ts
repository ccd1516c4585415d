// Moves an account, step by step. The step is in account_move of the old installation, each is changed by one transaction, and every one may
// be repeated: a mover that was killed is started again with the same command. docs/flows.md says who may write when.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Move, noticedSeconds, readMoves } from '../accounts/account/moves.ts';
import { type Database, raw, sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { eraseAccount } from '../operator/erase.ts';
import { recordAddresses } from './addresses.ts';
import { addressOf, whatPreventsMove } from './checks.ts';
import { beginCopy, copyProgress, endCopy, endOfLog, hasArrived, hasSlot, isCopying } from './copy.ts';
import { addJobs, countJobs, fence, inProgress, switchOver } from './fence.ts';
import { addGuards, removeGuards } from './guards.ts';
import { bringHits, storeHitsHere } from './hits.ts';
import { type Accounts, accountsOf, type Installations, movingRows, slotOf } from './installations.ts';
import { columnsOfPeople, replicatedTables } from './plan.ts';

export type Progress = (text: string) => void;

/** How often what another process or server does is looked at. */
const lookMs = 50;
/** Recipients that are in flight when the account stops sending have an outcome by then. */
const drainMs = 120_000;
/** Jobs that pass on with the account, while no one can use it. */
const maxJobs = 10_000;
/** A receiver of webhooks may take so long; a request that takes longer is made again in the new installation. */
const requestMs = 20_000;

/** @throws Error with why the account cannot be moved */
export async function moveAccount(both: Installations, accounts: Accounts, progress: Progress): Promise<void> {
  for (;;) {
    const move = await presentMove(both.source, accounts);
    if (!move || move.step === 'here') await begin(both, accounts);
    else if (move.step === 'copying') await copy(both, accounts, move, progress);
    else if (move.step === 'draining') await drain(both, accounts, move, progress);
    else if (move.step === 'fenced') await change(both, accounts, move, progress);
    else if (move.step === 'moved') await finish(both, accounts, move, progress);
    else if (move.step === 'done') return;
    else
      throw new Error(
        `The account ${move.step === 'arriving' ? 'is arriving here from' : 'has just come from'} ${move.address}.`,
      );
  }
}

export async function presentMove(source: Database, { id }: Accounts): Promise<Move | undefined> {
  const [move] = await readMoves(source, sql`account = ${id}`);
  return move;
}

async function begin(both: Installations, accounts: Accounts): Promise<void> {
  const problems = await whatPreventsMove(both, accounts);
  if (problems.length > 0)
    throw new Error(
      `Account ${formatId(accounts.id)} cannot be moved:\n${problems.map((one) => `  ${one}`).join('\n')}`,
    );
  const address = (await addressOf(both.target))!;
  await both.source.run(sql`
    insert into account_move (account, move_id, step, address)
    select unnest(${[...accounts.all]}::int[]), ${randomUUID()}::uuid, 'copying', ${address}
    on conflict (account) do update
    set move_id = excluded.move_id, step = 'copying', address = excluded.address, jobs = '[]', people = '{}', started_at = now(), step_at = now()
    where account_move.step = 'here'`);
}

/** copying: the account works as before, and its rows are copied. */
async function copy(both: Installations, accounts: Accounts, move: Move, progress: Progress): Promise<void> {
  const { source, target, app } = both;
  // Nothing there may touch the rows before it is there as a whole.
  await target.run(sql`
    insert into account_move (account, move_id, step, address)
    select unnest(${[...accounts.all]}::int[]), ${move.id}::uuid, 'arriving', ${app.baseUrl}
    on conflict (account) do update
    set move_id = excluded.move_id, step = 'arriving', address = excluded.address, jobs = '[]', people = '{}', hits_upto = 0, started_at = now(), step_at = now()
    where account_move.step = 'done'`);
  await addGuards(target, accounts);
  await addGuards(source, accounts);
  // What a cancelled copy left would be in the way of this one.
  if (!(await isCopying(both, accounts))) await erase(target, accounts);
  await beginCopy(both, accounts);
  for (let shown = -1; ; ) {
    const { tables, waiting, isRunning } = await copyProgress(target, accounts);
    if (tables > 0 && waiting === 0) break;
    if (waiting !== shown)
      progress(
        `copying: ${tables - waiting} of ${tables} tables${isRunning ? '' : '; see the log of the new server if this stays'}`,
      );
    shown = waiting;
    await sleep(lookMs * 4);
  }
  progress('collecting statistics there, so that its first statements are fast');
  await target.run(
    sql`${raw(`analyze ${(await replicatedTables(target)).map(({ name }) => `"${name}"`).join(', ')}`)}`,
  );
  // Those of a large import, for example, are done first.
  for (;;) {
    const jobs = await countJobs(source, accounts);
    if (jobs <= maxJobs) break;
    progress(`waiting until at most ${maxJobs} of its ${jobs} jobs are queued`);
    await sleep(5_000);
  }
  // What has changed since is applied before the account stops, so that it stops only briefly.
  await untilArrived(both, accounts);
  await step(source, move, 'copying', 'draining');
}

async function untilArrived({ source }: Installations, accounts: Accounts): Promise<void> {
  const lsn = await endOfLog(source);
  while (!(await hasArrived(source, accounts, lsn))) await sleep(lookMs / 5);
}

/** draining: nothing new is begun for the account; what is in flight gets its outcome. */
async function drain({ source }: Installations, accounts: Accounts, move: Move, progress: Progress): Promise<void> {
  const present = await accountsOf(source, accounts.id);
  if (present.all.join() !== accounts.all.join() || !(await isCopied(source, accounts))) {
    await step(source, move, 'draining', 'copying');
    throw new Error('A test account was made or deleted since the copy began. Cancel the move and begin again.');
  }
  progress('waiting for messages and webhook requests in flight');
  const startedAt = performance.now();
  for (;;) {
    const { chunks, requests } = await inProgress(source, accounts);
    const waitedMs = performance.now() - startedAt;
    if (chunks === 0 && (requests === 0 || waitedMs > requestMs) && (await fence(source, accounts, move.id))) return;
    if (waitedMs > drainMs) {
      await step(source, move, 'draining', 'copying');
      throw new Error(
        `${chunks} chunks of the account are still leased, perhaps by a worker that is gone. It sends again from here; run the command again later.`,
      );
    }
    await sleep(lookMs);
  }
}

/** Whether the publication is about these accounts: of the one and its test account, both have a row. */
const isCopied = async (source: Database, { all }: Accounts): Promise<boolean> =>
  (await readMoves(source, sql`account = any (${[...all]}::int[])`)).length === all.length;

/** fenced: nothing can be written for the account here, and it is not there yet. */
async function change(both: Installations, accounts: Accounts, move: Move, progress: Progress): Promise<void> {
  const startedAt = performance.now();
  await untilArrived(both, accounts);
  const arrivedAt = performance.now();
  const { waiting } = await copyProgress(both.target, accounts);
  if (waiting > 0)
    throw new Error('The new installation lacks tables of the account. Cancel the move and begin again.');
  await switchOver(both, accounts, move.id);
  const seconds = (from: number, to: number) => ((to - from) / 1_000).toFixed(2);
  progress(`last changes: ${seconds(startedAt, arrivedAt)} s, switch: ${seconds(arrivedAt, performance.now())} s`);
  await movingRows(both.source, accounts, async (tx) => {
    await recordAddresses(tx, accounts);
    await tx.run(sql`
      update account_move
      set step = 'moved', step_at = clock_timestamp(), jobs = '[]'
      where move_id = ${move.id}::uuid
        and step = 'fenced'`);
  });
  progress(`account ${formatId(accounts.id)} is now served and sent for by ${move.address}`);
}

/** moved: it belongs to the new installation; what is left is cleared away. */
async function finish(both: Installations, accounts: Accounts, move: Move, progress: Progress): Promise<void> {
  const { source, target } = both;
  await endCopy(both, accounts);
  await removeGuards(target, accounts);
  await renumberPeople(target, accounts, move);
  await bringHits(both, accounts, move);
  progress('erasing the account here');
  await untilNoticed(source, move);
  // A row that is deleted here must never be deleted there.
  if (await hasSlot(source, slotOf(accounts))) throw new Error('The replication of the account has not ended.');
  await erase(source, accounts);
  await removeGuards(source, accounts);
  await bringHits(both, accounts, move);
  await target.run(sql`update account_move set people = '{}' where move_id = ${move.id}::uuid`);
  await target.run(sql`delete from moved_address where account = any (${[...accounts.all]}::int[])`);
  await step(source, move, 'moved', 'done');
}

/** Until each web process of the old installation knows that the account has moved: it would answer that what it erases does not exist. */
async function untilNoticed(source: Database, move: Move): Promise<void> {
  const noticed = async () =>
    await source.row(sql`
      select
      from account_move
      where move_id = ${move.id}::uuid
        and step_at < clock_timestamp() - make_interval(secs => ${noticedSeconds})`);
  while (!(await noticed())) await sleep(lookMs);
}

/** Who did something is shown by the number of the person: of people whose number is another one there. */
async function renumberPeople(target: Database, { all }: Accounts, move: Move): Promise<void> {
  const row = await target.row<{ people: Record<string, number> }>(
    sql`select people from account_move where move_id = ${move.id}::uuid order by account limit 1`,
  );
  const others = Object.entries(row?.people ?? {}).filter(([here, there]) => Number(here) !== there);
  if (others.length === 0) return;
  // In one transaction with the mark that it is done: a number may be both an old and a new one.
  await target.transaction(async (tx) => {
    for (const [table, column] of columnsOfPeople)
      await tx.run(sql`
        update ${raw(table)} t
        set ${raw(column)} = n.there
        from unnest(${others.map(([here]) => Number(here))}::int[], ${others.map(([, there]) => there)}::int[]) as n (here, there)
        where t.account_id = any (${[...all]}::int[])
          and t.${raw(column)} = n.here
          and t.${raw(column)} <> n.there`);
    await tx.run(sql`update account_move set people = '{}' where move_id = ${move.id}::uuid`);
  });
}

/** Deletes all rows of the account in one of the installations, while the guards keep everyone else from them. */
async function erase(db: Database, accounts: Accounts): Promise<void> {
  for (const id of [...accounts.all].reverse())
    await eraseAccount({ db }, id, new AbortController().signal, (work) => movingRows(db, accounts, work));
}

async function step(source: Database, move: Move, from: Move['step'], to: Move['step']): Promise<void> {
  const changed = await source.run(sql`
    update account_move
    set step = ${to}, step_at = clock_timestamp()
    where move_id = ${move.id}::uuid
      and step = ${from}`);
  if (changed === 0) throw new Error('The move is in another step: another process has changed it.');
}

/** Gives a move up before the switch: the account stays here and works on; its copy is erased. @returns false after the switch */
export async function cancelMove(both: Installations, accounts: Accounts): Promise<boolean> {
  const { source, target } = both;
  const move = await presentMove(source, accounts);
  if (!move || !['copying', 'draining', 'fenced'].includes(move.step))
    return move?.step !== 'moved' && move?.step !== 'done';
  // From now on no mover can switch; and whether one has is certain.
  const isThere = await target.transaction(async (tx) => {
    const rows = await tx.rows<{ step: string }>(
      sql`select step from account_move where move_id = ${move.id}::uuid for update`,
    );
    if (rows.some((row) => row.step === 'here')) return true;
    await tx.run(
      sql`update account_move set step = 'done', move_id = gen_random_uuid() where move_id = ${move.id}::uuid`,
    );
    return false;
  });
  if (isThere) return false;
  await movingRows(source, accounts, async (tx) => {
    const moves = await tx.rows<{ jobs: unknown }>(
      sql`select jobs from account_move where move_id = ${move.id}::uuid order by account for update`,
    );
    for (const { jobs } of moves) await addJobs(tx, jobs);
    await tx.run(sql`update account_move set step = 'copying', jobs = '[]' where move_id = ${move.id}::uuid`);
  });
  // The account works again; the rest is clearing away, and may be repeated.
  await endCopy(both, accounts);
  await removeGuards(source, accounts);
  await storeHitsHere(source, accounts);
  await erase(target, accounts);
  await removeGuards(target, accounts);
  await target.run(sql`delete from account_move where account = any (${[...accounts.all]}::int[]) and step = 'done'`);
  await source.run(sql`delete from account_move where move_id = ${move.id}::uuid`);
  return true;
}
