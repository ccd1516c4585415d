// The complaint and hard-bounce rates of an account over the last days: in all, by list and by receiving provider. Read from the sums
// of days: at most one row for each day, list and provider, never from recipients.
import { type MailProvider, mailProviders } from '../../base/mail-providers.ts';
import { type Counts, reputationRules } from '../../base/reputation-rules.ts';
import { type Queries, type Sql, sql } from '../../db/connect.ts';

export type Rated = {
  account: Counts;
  /** By number; only lists that still exist. */
  lists: (Counts & { id: number; name: string })[];
  providers: (Counts & { provider: string; name: string })[];
};

/** SQL: the days that count, of rows of sending_day. */
export const ratedDays: Sql = sql`day > (now() at time zone 'UTC')::date - ${reputationRules.days}::int`;

/** @param lists only what was sent to these; undefined for all */
export async function ratesOf(db: Queries, accountId: number, lists?: readonly number[]): Promise<Rated> {
  const rows = await db.rows<Counts & { list: number; name: string | null; provider: string }>(sql`
    select s.list_id as list, l.name, s.provider, sum(s.accepted)::int as accepted, sum(s.refused)::int as refused,
      sum(s.returned)::int as returned, sum(s.complaints)::int as complaints
    from sending_day s
    left join list l on l.account_id = s.account_id and l.id = s.list_id
    where s.account_id = ${accountId}
      and s.${ratedDays}
      and s.kind <> 'test'
      and (${lists === undefined} or s.list_id = any (${[...(lists ?? [])]}::int[]))
    group by s.list_id, l.name, s.provider`);
  const byMessages = (a: Counts, b: Counts) => b.accepted + b.refused - a.accepted - a.refused;
  return {
    account: sumOf(rows),
    lists: [...Map.groupBy(rows, ({ list }) => list)]
      .flatMap(([id, own]) => (own[0]!.name === null ? [] : [{ id, name: own[0]!.name, ...sumOf(own) }]))
      .sort(byMessages),
    providers: [...Map.groupBy(rows, ({ provider }) => provider)]
      .map(([provider, own]) => ({ provider, name: nameOfProvider(provider), ...sumOf(own) }))
      .sort(byMessages),
  };
}

function sumOf(rows: readonly Counts[]): Counts {
  const sum = (of: keyof Counts) => rows.reduce((total, row) => total + row[of], 0);
  return {
    accepted: sum('accepted'),
    refused: sum('refused'),
    returned: sum('returned'),
    complaints: sum('complaints'),
  };
}

/** '' for all that have no name of their own. */
const nameOfProvider = (key: string): string =>
  Object.hasOwn(mailProviders, key) ? mailProviders[key as Exclude<MailProvider, 'other'>].name : '';
