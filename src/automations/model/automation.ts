// Finding an automation by its public id. Guarantees one fault for an unknown one.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import type { Definition } from './definition.ts';

/** The labels of automations. */
export const automationLabels = { table: sql`automation_label`, object: sql`automation_id` };

export const statuses = ['draft', 'active', 'paused'] as const;

export type Automation = {
  id: number;
  title: string;
  listId: number;
  status: (typeof statuses)[number];
  statusReason: string;
  version: number;
  definition: Definition;
  createdAt: Date;
  startedAt: Date | null;
  /** Contacts that the date trigger did not let in, because their date was found too late. */
  late: number;
  hidden: boolean;
};

const columns = sql`
  id, title, list_id as "listId", status, status_reason as "statusReason", version, definition, created_at as "createdAt",
  started_at as "startedAt", late, is_hidden as hidden`;

/** @throws Fault AUTOMATION_UNKNOWN */
export const needAutomation = (context: Context, named: string): Promise<Automation> => find(context, named, sql``);

/** An automation, its row locked until the end of the transaction. @throws Fault AUTOMATION_UNKNOWN */
export const lockAutomation = (context: Context, named: string): Promise<Automation> =>
  find(context, named, sql`for update`);

async function find({ tx, account }: Context, named: string, lock: ReturnType<typeof sql>): Promise<Automation> {
  const row = await tx.row<Automation>(sql`
    select ${columns}
    from automation
    where account_id = ${account.id}
      and id = ${parseId(named)}
    ${lock}`);
  if (!row) throw fault('AUTOMATION_UNKNOWN', 'automation.unknown', { member: 'id', id: named.slice(0, 40) });
  return row;
}
