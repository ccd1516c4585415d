// How many emails were sent, by account, month and kind: what an operator charges for. Counts what relays accepted, on the day (UTC) on
// which they did; copies that were resent count once.

import { isOperatorAccount } from '../../accounts/account/account.ts';
import { csvLine } from '../../audience/export/rows.ts';
import type { Account } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';

export type UsageOrder = { from?: string | undefined; to?: string | undefined; all: boolean };

export type Usage = {
  month: string;
  account: string;
  name: string;
  campaigns: number;
  automations: number;
  messages: number;
  program: number;
  tests: number;
  total: number;
};

/** Months that are shown without a choice: this one and those of the year before. */
const usualMonths = 13;

/** @throws Fault NOT_ALLOWED for all accounts, unless it is that of the operator */
export async function usageOf(db: Queries, account: Account, { from, to, all }: UsageOrder): Promise<Usage[]> {
  if (all && !(await isOperatorAccount(db, account))) throw fault('NOT_ALLOWED', 'usage.operator', { member: 'all' });
  const rows = await db.rows<Omit<Usage, 'account' | 'total'> & { id: number }>(sql`
    select to_char(date_trunc('month', s.day), 'YYYY-MM') as month, a.id, a.name,
      coalesce(sum(s.accepted) filter (where s.kind = 'campaign'), 0)::int as campaigns,
      coalesce(sum(s.accepted) filter (where s.kind = 'automation'), 0)::int as automations,
      coalesce(sum(s.accepted) filter (where s.kind = 'message'), 0)::int as messages,
      coalesce(sum(s.accepted) filter (where s.kind = 'program'), 0)::int as program,
      coalesce(sum(s.accepted) filter (where s.kind = 'test'), 0)::int as tests
    from sending_day s
    join account a on a.id = s.account_id
    where (${all} or s.account_id = ${account.id})
      and s.day >= coalesce(
        to_date(${from ?? null}::text, 'YYYY-MM'),
        (date_trunc('month', now() at time zone 'UTC') - make_interval(months => ${usualMonths - 1}))::date
      )
      and s.day < coalesce(to_date(${to ?? null}::text, 'YYYY-MM') + interval '1 month', 'infinity')
    group by 1, a.id, a.name
    having sum(s.accepted) > 0
    order by 1 desc, a.name, a.id`);
  return rows.map(({ id, month, name, ...counts }) => ({
    month,
    account: formatId(id),
    name,
    ...counts,
    total: counts.campaigns + counts.automations + counts.messages + counts.program + counts.tests,
  }));
}

const columns = [
  'month',
  'account',
  'name',
  'campaigns',
  'automations',
  'messages',
  'program',
  'tests',
  'total',
] as const satisfies (keyof Usage)[];

/** The same as CSV, with a line of headings. */
export const usageCsv = (rows: readonly Usage[]): string =>
  [csvLine([...columns]), ...rows.map((row) => csvLine(columns.map((column) => String(row[column]))))].join('');
