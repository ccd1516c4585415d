// Finding a recurring campaign by its public id, and what it consists of. Guarantees one fault for an unknown one.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Sql, sql, type Tx } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import type { SourceKind } from '../feed/fetch.ts';
import type { Schedule } from './schedule.ts';

export type Recurring = {
  id: number;
  title: string;
  status: 'active' | 'paused';
  originalId: number | null;
  schedule: Schedule;
  timeZone: string;
  source: SourceKind;
  sourceUrl: string;
  maxItems: number;
  approve: boolean;
  etag: string;
  lastModified: string;
  nextAt: Date | null;
};

export type RecurringKey = { account: number; recurring: number };

export const issueStates = ['sent', 'waiting', 'skipped', 'expired', 'failed'] as const;
export type IssueState = (typeof issueStates)[number];

export const recurringColumns = sql`
  r.id, r.title, r.status, r.original_id as "originalId", r.schedule, r.time_zone as "timeZone", r.source,
  r.source_url as "sourceUrl", r.max_items as "maxItems", r.approve, r.etag, r.last_modified as "lastModified", r.next_at as "nextAt"`;

/** @throws Fault RECURRING_UNKNOWN */
export const needRecurring = ({ tx, account }: Pick<Context, 'tx' | 'account'>, named: string): Promise<Recurring> =>
  find(tx, account.id, named, sql``);

/** Its row locked until the end of the transaction. @throws Fault RECURRING_UNKNOWN */
export const lockRecurring = ({ tx, account }: Context, named: string): Promise<Recurring> =>
  find(tx, account.id, named, sql`for update`);

async function find(tx: Pick<Tx, 'row'>, accountId: number, named: string, lock: Sql): Promise<Recurring> {
  const row = await tx.row<Recurring>(sql`
    select ${recurringColumns}
    from recurring r
    where r.account_id = ${accountId}
      and r.id = ${parseId(named)}
    ${lock}`);
  if (!row) throw fault('RECURRING_UNKNOWN', 'recurring.unknown', { member: 'id', id: named.slice(0, 40) });
  return row;
}
