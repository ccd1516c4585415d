// Keeps the sums of days few: rows of one day that differ only in their shard become one, and days that no rate needs become their month.
import { reputationRules } from '../../base/reputation-rules.ts';
import { type Queries, sql } from '../../db/connect.ts';
import type { TaskContext } from '../../jobs/tasks.ts';

/** Days are kept a little longer than they are rated. */
const keptDays = reputationRules.days + 10;

export async function foldSendingDays({ app }: Pick<TaskContext, 'app'>): Promise<void> {
  await foldDays(app.db);
}

/** Each statement deletes and inserts at once, so that the sums are right at any moment, however often it runs. */
export async function foldDays(db: Queries): Promise<void> {
  await db.run(sql`
    with gone as (
      delete from sending_day s
      using (
        select account_id, day, kind, list_id, provider
        from sending_day
        -- No transaction counts there any more.
        where day < (now() at time zone 'UTC')::date - 1
        group by account_id, day, kind, list_id, provider
        having count(*) > 1
      ) as several
      where s.account_id = several.account_id
        and s.day = several.day
        and s.kind = several.kind
        and s.list_id = several.list_id
        and s.provider = several.provider
      returning s.*
    )
    insert into sending_day (account_id, day, kind, list_id, provider, shard, accepted, refused, returned, complaints)
    select account_id, day, kind, list_id, provider, 0, sum(accepted), sum(refused), sum(returned), sum(complaints)
    from gone
    group by account_id, day, kind, list_id, provider`);
  await db.run(sql`
    with gone as (
      delete from sending_day
      where day < (now() at time zone 'UTC')::date - ${keptDays}::int
        and provider <> ''
      returning *
    )
    insert into sending_day as s (account_id, day, kind, list_id, provider, shard, accepted, refused, returned, complaints)
    select account_id, date_trunc('month', day)::date, kind, 0, '', 0, sum(accepted), sum(refused), sum(returned), sum(complaints)
    from gone
    group by account_id, date_trunc('month', day)::date, kind
    order by 1, 2, 3
    on conflict (account_id, day, kind, list_id, provider, shard) do update
    set accepted = s.accepted + excluded.accepted, refused = s.refused + excluded.refused,
      returned = s.returned + excluded.returned, complaints = s.complaints + excluded.complaints`);
}
