// Calls that create something may carry an idempotency_key. Repeated with the same key, because the answer was lost, such
// a call returns the first answer and creates nothing; of two simultaneous calls with one key only one creates something.
// Idempotency records are kept for a day.
import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';
import { fault } from '../base/faults.ts';
import { type Queries, sql, type Tx } from '../db/connect.ts';
import type { TaskContext } from '../jobs/tasks.ts';
import { filledText } from './params.ts';

/** The last parameter of a method that creates something. */
export const idempotencyKey = filledText(
  'A unique string for this call, such as a random UUID. Repeating the call with it within a day, because no answer arrived, returns the first answer and creates nothing.',
  100,
).optional();

export type IdempotentCall = { accountId: number; method: string; key: string; digest: Buffer };

/** Identifies a call by its key and parameters; undefined if it has no key. @param lists the set of the caller, whose answers no one else gets */
export function idempotentCall(
  accountId: number,
  method: string,
  params: unknown,
  lists: readonly number[] | null,
): IdempotentCall | undefined {
  const { idempotency_key: key, ...rest } = params as { idempotency_key?: string } & Record<string, unknown>;
  if (key === undefined) return undefined;
  return {
    accountId,
    method,
    key,
    digest: createHash('sha256')
      .update(serialize(lists === null ? rest : [rest, lists]))
      .digest(),
  };
}

/**
 * The answer of an earlier call; undefined if there was none.
 * @throws Fault INVALID_PARAMETER when the key belongs to another call
 */
export async function recordedAnswer(db: Queries, call: IdempotentCall): Promise<{ answer: unknown } | undefined> {
  const row = await db.row<{ call: Buffer; answer: unknown }>(sql`
    select call, answer
    from idempotency_record
    where account_id = ${call.accountId}
      and method = ${call.method}
      and key = ${call.key}`);
  if (!row) return undefined;
  if (!row.call.equals(call.digest))
    throw fault('INVALID_PARAMETER', 'parameter.key_used', { member: 'idempotency_key' });
  return { answer: row.answer };
}

/** Claims the key for this transaction; false if another call has used it. Waits for one that is in progress. */
export async function claimKey(tx: Tx, call: IdempotentCall): Promise<boolean> {
  const taken = await tx.run(sql`
    insert into idempotency_record (account_id, method, key, call)
    values (${call.accountId}, ${call.method}, ${call.key}, ${call.digest})
    on conflict do nothing`);
  return taken === 1;
}

export async function recordAnswer(tx: Tx, call: IdempotentCall, answer: unknown): Promise<void> {
  await tx.run(sql`
    update idempotency_record
    set answer = ${JSON.stringify(answer)}
    where account_id = ${call.accountId}
      and method = ${call.method}
      and key = ${call.key}`);
}

/** Deletes idempotency records a day after the call. */
export async function purgeIdempotencyRecords({ app }: TaskContext): Promise<void> {
  await app.db.run(sql`delete from idempotency_record where at < now() - interval '1 day'`);
}
