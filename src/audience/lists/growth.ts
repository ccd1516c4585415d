// How a list grew by month, week or day: the members it had at the start of each period, and who came and left in it.
// Months come from member_tally; for weeks and days the members of the list are counted.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Queries, sql } from '../../db/connect.ts';
import type { Page } from '../../method/paging.ts';
import { isoDate } from '../contacts/special-vars.ts';
import { monthsOfMembers } from '../members/tally.ts';
import { needList } from './list.ts';

type Given = { id: string; split_by: 'month' | 'week' | 'day'; start_date: string; end_date: string } & Page;

/** A period in which members joined or left; `first` and `last` are its days, as YYYY-MM-DD. */
type Period = { first: string; last: string; week: string; joined: number; left: number };

/** @throws Fault LIST_UNKNOWN, DATE_INVALID */
export async function listGrowthHistory(context: Context, { id, split_by, start_date, end_date, start, limit }: Given) {
  const list = await needList(context, id);
  const from = needDay(start_date, 'start_date') ?? '0000-01-01';
  const until = needDay(end_date, 'end_date') ?? '9999-12-31';
  if (until < from) throw fault('DATE_INVALID', 'list.growth_order', { member: 'end_date', start: 'start_date' });
  const periods =
    split_by === 'month'
      ? await months(context.tx, context.account.id, list.id)
      : await countPeriods(context.tx, context.account.id, list.id, split_by);
  let existing = 0;
  const records = periods.map((period) => {
    const { first, joined, left } = period;
    const record = {
      month: first.slice(0, 7),
      ...(split_by === 'week' && { week: period.week }),
      ...(split_by === 'day' && { day: first }),
      existing,
      optins: joined,
      imports: joined,
      unsubscribes: left,
    };
    existing += joined - left;
    return { period, record };
  });
  return records
    .filter(({ period }) => period.last >= from && period.first <= until)
    .slice(start * limit, (start + 1) * limit)
    .map(({ record }) => record);
}

/** Undefined for an empty text. @throws Fault DATE_INVALID */
function needDay(text: string, member: string): string | undefined {
  if (text.trim() === '') return undefined;
  const day = isoDate(text.trim());
  if (day === undefined) throw fault('DATE_INVALID', 'list.growth_day', { member });
  return day;
}

async function months(tx: Queries, accountId: number, listId: number): Promise<Period[]> {
  const found = await monthsOfMembers(tx, accountId, listId);
  // Months in which members only bounced or became inactive do not count here.
  return found
    .filter(({ joined, left }) => joined !== 0 || left !== 0)
    .map(({ month, joined, left }) => ({ first: `${month}-01`, last: `${month}-31`, week: '', joined, left }));
}

function countPeriods(tx: Queries, accountId: number, listId: number, unit: 'week' | 'day'): Promise<Period[]> {
  return tx.rows<Period>(sql`
    select to_char(p.first, 'YYYY-MM-DD') as first,
      to_char(p.first + case ${unit}::text when 'week' then 6 else 0 end, 'YYYY-MM-DD') as last,
      to_char(p.first, 'YYYY-MM "W"IW') as week, sum(p.joined)::int as joined, sum(p."left")::int as "left"
    from (
      select date_trunc(${unit}::text, confirm_at at time zone 'UTC')::date as first, 1 as joined, 0 as "left"
      from subscription
      where account_id = ${accountId}
        and list_id = ${listId}
        and confirm_at is not null
      union all
      select date_trunc(${unit}::text, unsubscribe_at at time zone 'UTC')::date, 0, 1
      from subscription
      where account_id = ${accountId}
        and list_id = ${listId}
        and unsubscribe_at is not null
    ) p
    group by p.first
    order by p.first`);
}
