// Counters of public forms by hour, kept in the database so that they hold across processes.
import { type Queries, sql } from '../../db/connect.ts';

export async function increment(db: Queries, name: string): Promise<{ count: number }> {
  const row = await db.row<{ count: number }>(sql`
    insert into signup_count as t (counter, hour, count)
    values (${name}, date_trunc('hour', now()), 1)
    on conflict (counter, hour) do update
    set count = t.count + 1
    returning count`);
  return row!;
}
