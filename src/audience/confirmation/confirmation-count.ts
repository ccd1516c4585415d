// How subscriptions of a list were confirmed, counted when they are.
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';

/**
 * automatic: by the page, once a person looked at it; button: by its button; one_click: by a request without the page, such as that of
 * a program that knows the link.
 */
export const confirmedHow = ['automatic', 'button', 'one_click'] as const;
export type ConfirmedHow = (typeof confirmedHow)[number];

export async function countConfirmation({ tx, account }: Context, listId: number, how: ConfirmedHow): Promise<void> {
  await tx.run(sql`
    insert into confirmation_count (account_id, list_id, how, count)
    values (${account.id}, ${listId}, ${how}, 1)
    on conflict (account_id, list_id, how) do update
    set count = confirmation_count.count + 1`);
}

export async function confirmationsOf({ tx, account }: Context, listId: number): Promise<Record<ConfirmedHow, number>> {
  const rows = await tx.rows<{ how: ConfirmedHow; count: number }>(sql`
    select how, count::float8 as count
    from confirmation_count
    where account_id = ${account.id}
      and list_id = ${listId}`);
  const counts = { automatic: 0, button: 0, one_click: 0 };
  for (const { how, count } of rows) counts[how] = count;
  return counts;
}
