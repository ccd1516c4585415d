// The two transactions that a move is made of. The fence ends everything that the old installation does for the account; the switch makes
// the account exist in the new one. Between them no one owns it, and each is a single transaction, so at most one installation sends.

import { seal, unseal } from '../accounts/installation/seal.ts';
import { about as sealedAs } from '../accounts/sign-in/second-factor.ts';
import type { App } from '../base/context.ts';
import { type Database, raw, sql, type Tx } from '../db/connect.ts';
import { lockClasses, retryBlocked } from '../db/locks.ts';
import { type Accounts, type Installations, movingRows } from './installations.ts';
import { copiedAtTheSwitch, movedSequences } from './plan.ts';

/** A transaction of the account that writes for longer lets the fence try again; meanwhile the account waits behind it. */
const fenceLimits = { waitMs: 2_000, maxAttempts: 30, pauseMs: 200 };

/** What is in progress for the account: chunks; and webhook requests, bounce mailboxes that are read, access tokens that are renewed. */
export async function inProgress(
  db: Pick<Database, 'row'>,
  { all }: Accounts,
): Promise<{ chunks: number; requests: number }> {
  const row = await db.row<{ chunks: number; requests: number }>(sql`
    select (
        select count(*)::int
        from chunk
        where account_id = any (${[...all]}::int[])
          and state = 'leased'
      ) as chunks, (
        select count(*)::int
        from webhook_delivery
        where account_id = any (${[...all]}::int[])
          and lease is not null
          and lease_until > clock_timestamp()
      ) + (
        select count(*)::int
        from graphile_worker._private_jobs j
        join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier = 'readBounceMailbox'
          and j.locked_at is not null
          and (j.payload ->> 'account_id')::bigint = any (${[...all]}::bigint[])
      ) + (
        select count(*)::int
        from oauth_grant
        where account_id = any (${[...all]}::int[])
          and renewing_until > clock_timestamp()
      ) as requests`);
  return row!;
}

/**
 * Waits until every transaction that has written for the account has ended, and refuses all later ones. Takes its jobs out of the queue.
 * @returns false, with nothing changed, while a chunk is leased: its outcomes are still to be written
 */
export async function fence(source: Database, accounts: Accounts, moveId: string): Promise<boolean> {
  return retryBlocked(fenceLimits, () =>
    movingRows(source, accounts, async (tx) => {
      await tx.run(sql`select set_config('lock_timeout', ${`${fenceLimits.waitMs}ms`}, true)`);
      for (const account of accounts.all)
        await tx.run(sql`select pg_advisory_xact_lock(${lockClasses.moved}, ${account})`);
      if ((await inProgress(tx, accounts)).chunks > 0) return false;
      const fenced = await tx.run(sql`
        update account_move
        set step = 'fenced', step_at = clock_timestamp()
        where move_id = ${moveId}::uuid
          and step = 'draining'`);
      if (fenced === 0) throw new Error('The move is in another step: another process has changed it.');
      await takeJobs(tx, accounts);
      return true;
    }),
  );
}

/** Moves the jobs of the account from the queue to its move. One that is running has written nothing since the fence, and runs again. */
async function takeJobs(tx: Tx, { all }: Accounts): Promise<void> {
  await tx.run(sql`
    with taken as (
      delete from graphile_worker._private_jobs j
      using graphile_worker._private_tasks t
      where t.id = j.task_id
        and (j.payload ->> 'account_id')::bigint = any (${[...all]}::bigint[])
      returning (j.payload ->> 'account_id')::int as account, jsonb_build_object(
        'task', t.identifier, 'payload', j.payload, 'queue', (
          select queue_name from graphile_worker._private_job_queues q where q.id = j.job_queue_id
        ), 'run_at', j.run_at, 'max_attempts', j.max_attempts, 'key', j.key, 'priority', j.priority, 'id', j.id
      ) as job
    )
    update account_move m
    set jobs = m.jobs || (select coalesce(jsonb_agg(job order by (job ->> 'id')::bigint), '[]') from taken where taken.account = m.account)
    where m.account = any (${[...all]}::int[])`);
}

/** Jobs of the account that wait or run. */
export async function countJobs(source: Database, { all }: Accounts): Promise<number> {
  const row = await source.row<{ count: number }>(sql`
    select count(*) as count
    from graphile_worker._private_jobs
    where (payload ->> 'account_id')::bigint = any (${[...all]}::bigint[])`);
  return row!.count;
}

/** Queues jobs that the fence took out, with the attempts that they may have. */
export async function addJobs(tx: Tx, jobs: unknown): Promise<void> {
  await tx.run(sql`
    select graphile_worker.add_job(
      j ->> 'task', (j -> 'payload')::json, queue_name := j ->> 'queue', run_at := (j ->> 'run_at')::timestamptz,
      max_attempts := (j ->> 'max_attempts')::int, job_key := j ->> 'key', priority := (j ->> 'priority')::int)
    from jsonb_array_elements(${JSON.stringify(jobs)}::jsonb) with ordinality as e (j, no)
    order by no`);
}

/**
 * Makes the account exist in the new installation, which from the commit on sends for it. Only after the fence, and when all changes
 * have arrived.
 * @returns false if that was done before
 */
export async function switchOver(
  { app, source, target }: Installations,
  accounts: Accounts,
  moveId: string,
): Promise<boolean> {
  const sequences = await movedSequences(source);
  const rows: Record<string, unknown[]> = {};
  for (const table of copiedAtTheSwitch) rows[table] = await rowsOf(source, table, accounts);
  const people = await readPeople(source, rows);
  const moves = await source.rows<{ jobs: unknown[] }>(
    sql`select jobs from account_move where move_id = ${moveId}::uuid order by account`,
  );
  return movingRows(target, accounts, async (tx) => {
    const steps = await tx.rows<{ step: string }>(sql`
      select step
      from account_move
      where move_id = ${moveId}::uuid
      for update`);
    if (steps.length === 0) throw new Error('The move was cancelled.');
    if (steps.every(({ step }) => step === 'here')) return false;
    await tx.run(sql`
      select setval(quote_ident(s.sequencename)::regclass, g.last, true)
      from unnest(${sequences.map(({ name }) => name)}::text[], ${sequences.map(({ last }) => last)}::bigint[]) as g (name, last)
      join pg_sequences s on s.sequencename = g.name and s.schemaname = current_schema()
      where coalesce(s.last_value, 0) < g.last`);
    const numbers = await addPeople(app, tx, people);
    await addRows(tx, rows, numbers);
    // The chain of consent follows the numbers of records: those after the last one that is linked get new ones.
    for (const account of accounts.all)
      await tx.run(sql`
        update consent
        set id = default
        where account_id = ${account}
          and id > coalesce(
            (select consent_id from consent_link where account_id = ${account} order by position desc limit 1),
            0
          )`);
    await tx.run(sql`
      update webhook_delivery
      set lease = null, lease_until = null, idle = false
      where account_id = any (${[...accounts.all]}::int[])`);
    for (const { jobs } of moves) await addJobs(tx, jobs);
    await tx.run(sql`
      update account_move
      set step = 'here', step_at = clock_timestamp(), people = ${JSON.stringify(Object.fromEntries(numbers))}::jsonb
      where move_id = ${moveId}::uuid`);
    return true;
  });
}

async function rowsOf(source: Database, table: string, { all }: Accounts): Promise<unknown[]> {
  const column = table === 'account' ? 'id' : 'account_id';
  const found = await source.rows<{ row: unknown }>(sql`
    select to_jsonb(t) as row
    from ${raw(table)} t
    where ${raw(column)} = any (${[...all]}::int[])
    order by array_position(${[...all]}::int[], ${raw(column)})`);
  return found.map(({ row }) => row);
}

type Person = {
  id: number;
  key: string;
  row: Record<string, unknown>;
  totp: Buffer | null;
  of: Record<string, unknown[]>;
};

/** What belongs to a person and goes with it, where the person is new. */
const ofPeople = ['identity', 'passkey', 'recovery_code'] as const;

async function readPeople(source: Database, rows: Record<string, unknown[]>): Promise<Person[]> {
  const ids = [...(rows['membership'] as { user_id: number }[]).map((member) => member.user_id)];
  const people = await source.rows<Omit<Person, 'of'>>(sql`
    select id, email_key as key, to_jsonb(u) as row, totp_secret as totp
    from app_user u
    where id = any (${ids}::int[])
    order by id`);
  const found: Person[] = [];
  for (const person of people) {
    const of: Person['of'] = {};
    for (const table of ofPeople)
      of[table] = (
        await source.rows<{ row: unknown }>(
          sql`select to_jsonb(t) as row from ${raw(table)} t where user_id = ${person.id}`,
        )
      ).map(({ row }) => row);
    found.push({ ...person, of });
  }
  return found;
}

/** Finds the people of the account by their addresses, and adds those who are new. @returns their numbers there, by those here */
async function addPeople(app: App, tx: Tx, people: readonly Person[]): Promise<Map<number, number>> {
  const numbers = new Map<number, number>();
  for (const { id, key, row, totp, of } of people) {
    const known = await tx.row<{ id: number }>(sql`select id from app_user where email_key = ${key} for key share`);
    if (known) {
      numbers.set(id, known.id);
      continue;
    }
    const added = await tx.row<{ id: number }>(sql`
      insert into app_user
      select (jsonb_populate_record(null::app_user, ${JSON.stringify(row)}::jsonb || jsonb_build_object(
        'id', case when exists (select from app_user where id = ${id}) then public_id(nextval('app_user_seq')) else ${id} end
      ))).*
      returning id`);
    numbers.set(id, added!.id);
    const secret = totp && unseal(app, sealedAs(id), totp);
    if (secret)
      await tx.run(
        sql`update app_user set totp_secret = ${seal(app, sealedAs(added!.id), secret)} where id = ${added!.id}`,
      );
    for (const [table, belonging] of Object.entries(of)) {
      // They are hashed with the number of the person.
      if (table === 'recovery_code' && added!.id !== id) continue;
      for (const one of belonging)
        await tx.run(sql`
          insert into ${raw(table)}
          select (jsonb_populate_record(null::${raw(table)}, ${JSON.stringify(one)}::jsonb || jsonb_build_object('user_id', ${added!.id}::int))).*
          on conflict do nothing`);
    }
  }
  return numbers;
}

/** The rows that name people, with their new numbers; of a person who is no longer a member, without. */
async function addRows(tx: Tx, rows: Record<string, unknown[]>, numbers: ReadonlyMap<number, number>): Promise<void> {
  const numberOf = (id: unknown) => (typeof id === 'number' ? (numbers.get(id) ?? null) : null);
  for (const [table, found] of Object.entries(rows))
    for (const row of found as Record<string, unknown>[]) {
      // A key of a person who has left gives access to nothing.
      if (typeof row['user_id'] === 'number' && numberOf(row['user_id']) === null) continue;
      const mapped = {
        ...row,
        ...('user_id' in row && { user_id: numberOf(row['user_id']) }),
        ...('made_by' in row && { made_by: numberOf(row['made_by']) }),
      };
      await tx.run(sql`
        insert into ${raw(table)}
        select (jsonb_populate_record(null::${raw(table)}, ${JSON.stringify(mapped)}::jsonb)).*`);
    }
}
