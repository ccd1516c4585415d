// How a list grew by month, week or day: the members it had at the start of each period, and who came and left in it.
// Months come from member_tally; for weeks and days the members of the list are counted.
import { dayNumber, dayOfNumber, formatDay } from '../../base/calendar.ts';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { wallOf } from '../../base/zones.ts';
import { type Queries, sql } from '../../db/connect.ts';
import type { Page } from '../../method/paging.ts';
import { needList } from '../model/list.ts';
import { isoDate } from '../model/special-vars.ts';
import { monthsOfMembers } from '../model/tally.ts';

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
      : await countPeriods(context.tx, context.account, list.id, split_by);
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

/** By the days of the account. Counted by quarters of an hour, on which the days of all zones begin. */
async function countPeriods(
  tx: Queries,
  account: { id: number; timeZone: string },
  listId: number,
  unit: 'week' | 'day',
): Promise<Period[]> {
  const quarters = await tx.rows<{ at: Date; joined: number; left: number }>(sql`
    select q.at, sum(q.joined)::int as joined, sum(q."left")::int as "left"
    from (
      select date_bin('15 minutes', confirm_at, 'epoch') as at, 1 as joined, 0 as "left"
      from subscription
      where account_id = ${account.id}
        and list_id = ${listId}
        and confirm_at is not null
      union all
      select date_bin('15 minutes', unsubscribe_at, 'epoch'), 0, 1
      from subscription
      where account_id = ${account.id}
        and list_id = ${listId}
        and unsubscribe_at is not null
    ) q
    group by q.at
    order by q.at`);
  const periods = new Map<number, Period>();
  for (const { at, joined, left } of quarters) {
    const day = dayNumber(wallOf(at, account.timeZone));
    const first = unit === 'week' ? day - weekdayOf(day) : day;
    const period = periods.get(first) ?? newPeriod(first, unit);
    period.joined += joined;
    period.left += left;
    periods.set(first, period);
  }
  return [...periods.values()].sort((a, b) => (a.first < b.first ? -1 : 1));
}

function newPeriod(first: number, unit: 'week' | 'day'): Period {
  const monday = first - weekdayOf(first);
  const thursday = dayOfNumber(monday + 3);
  // A week is the one of the year that its Thursday is in (ISO 8601).
  const no = Math.floor((monday + 3 - dayNumber({ year: thursday.year, month: 1, day: 1 })) / 7) + 1;
  const from = formatDay(dayOfNumber(first));
  return {
    first: from,
    last: formatDay(dayOfNumber(first + (unit === 'week' ? 6 : 0))),
    week: `${from.slice(0, 7)} W${String(no).padStart(2, '0')}`,
    joined: 0,
    left: 0,
  };
}

/** 0 for Monday; 1 January 1970 was a Thursday. */
const weekdayOf = (day: number) => (((day + 3) % 7) + 7) % 7;
