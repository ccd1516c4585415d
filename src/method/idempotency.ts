// Calls that make something may carry an idempotency_key. Made again with the same key, since the answer was lost on the
// way, such a call gets the first answer and makes nothing. Promises that of two calls at once with one key only one makes
// something. Answers are kept for a day.
import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';
import { Fault } from '../base/faults.ts';
import { type Queries, sql } from '../db/connect.ts';
import { filledText } from './params.ts';

/** The last member of a method that makes something. */
export const idempotencyKey = filledText(
  'A word of your own for this one call, such as a random UUID. The same call made again with it within a day, because no answer came, gets the first answer and makes nothing.',
  100,
).optional();

export type Once = { accountId: number; method: string; key: string; call: Buffer };

/** What makes a call one of a kind; undefined when it carries no key. */
export function onceOf(accountId: number, method: string, params: unknown): Once | undefined {
  const { idempotency_key: key, ...rest } = params as { idempotency_key?: string } & Record<string, unknown>;
  if (key === undefined) return undefined;
  return { accountId, method, key, call: createHash('sha256').update(serialize(rest)).digest() };
}

/**
 * The answer that was given before; undefined when there was none.
 * @throws Fault INVALID_PARAMETER when the key belongs to another call
 */
export async function earlierAnswer(db: Queries, once: Once): Promise<{ answer: unknown } | undefined> {
  const row = await db.row<{ call: Buffer; answer: unknown }>(sql`
    select call, answer
    from kept_answer
    where account_id = ${once.accountId}
      and method = ${once.method}
      and key = ${once.key}`);
  if (!row) return undefined;
  if (!row.call.equals(once.call))
    throw new Fault(
      'INVALID_PARAMETER',
      'idempotency_key: was given with another call; each call needs one of its own',
    );
  return { answer: row.answer };
}

/** Takes the key for this transaction: true when it is ours. One that another holds is waited for. */
export async function takeKey(tx: Queries, once: Once): Promise<boolean> {
  const taken = await tx.run(sql`
    insert into kept_answer (account_id, method, key, call)
    values (${once.accountId}, ${once.method}, ${once.key}, ${once.call})
    on conflict do nothing`);
  return taken === 1;
}

export async function keepAnswer(tx: Queries, once: Once, answer: unknown): Promise<void> {
  await tx.run(sql`
    update kept_answer
    set answer = ${JSON.stringify(answer)}
    where account_id = ${once.accountId}
      and method = ${once.method}
      and key = ${once.key}`);
}
