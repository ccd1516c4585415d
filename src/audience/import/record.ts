// The record of an import: finding it, and its status.

import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type MessageLanguage, message, renderPacked } from '../../base/messages.ts';
import { type Queries, type Sql, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { type Counts, noCounts, type Plan } from './plan.ts';

export const importStates = [
  'uploaded',
  'mapped',
  'checking',
  'checked',
  'running',
  'stopped',
  'failed',
  'done',
  'undoing',
  'undone',
] as const;
export type ImportState = (typeof importStates)[number];

export type ImportRecord = {
  accountId: number;
  id: number;
  listId: number;
  uploadId: number;
  name: string;
  size: number;
  state: ImportState;
  reason: string;
  source: 'admin' | 'api';
  plan: Plan;
  predicted: Counts | null;
  counts: Partial<Counts>;
  position: number;
  readBytes: number;
  runFrom: number;
  runAt: Date | null;
  undoPhase: '' | 'changed' | 'added';
  undoAfter: number;
  undoCounts: Partial<UndoCounts>;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  problems: number;
};

/** The outcome counts of an undo. */
export const undoCounts = ['removed', 'put_back', 'kept'] as const;
export type UndoCounts = Record<(typeof undoCounts)[number], number>;

/** Imports, newest first. @param where a condition on `i` */
export async function importRecords(
  db: Queries,
  accountId: number,
  where: Sql,
  more: Sql = sql``,
): Promise<ImportRecord[]> {
  return db.rows<ImportRecord>(sql`
    select i.account_id as "accountId", i.id, i.list_id as "listId", i.upload_id as "uploadId", i.name, i.size, i.state,
      i.reason, i.source, i.plan, i.predicted, i.counts, i.position, i.read_bytes as "readBytes",
      i.run_from as "runFrom", i.run_at as "runAt", i.undo_phase as "undoPhase",
      i.undo_after as "undoAfter", i.undo_counts as "undoCounts", i.created_at as "createdAt",
      i.started_at as "startedAt", i.ended_at as "endedAt",
      (select count(*) from import_problem p where p.account_id = i.account_id and p.import_id = i.id) as problems
    from import i
    where i.account_id = ${accountId}
      and ${where}
    order by i.created_at desc, i.id
    ${more}`);
}

/** @throws Fault IMPORT_UNKNOWN, also for an import of another account */
export async function needImport(context: Context, named: string, lock = false): Promise<ImportRecord> {
  const id = parseId(named);
  if (lock)
    await context.tx.run(sql`
      select from import where account_id = ${context.account.id} and id = ${id} for no key update`);
  const [record] = await importRecords(context.tx, context.account.id, sql`i.id = ${id}`);
  if (!record) throw fault('IMPORT_UNKNOWN', 'import.unknown', { member: 'import', id: named.slice(0, 40) });
  return record;
}

/** @throws Fault IMPORT_STATE_CONFLICT naming the state */
export function needState(
  record: ImportRecord,
  allowed: readonly ImportState[],
  action: 'check' | 'start' | 'stop' | 'undo' | 'change',
): void {
  if (allowed.includes(record.state)) return;
  throw fault('IMPORT_STATE_CONFLICT', `import.cannot_${action}`, { state: message(`import.state.${record.state}`) });
}

/** What importGet returns. @param now the database's clock */
export function statusOf(record: ImportRecord, now: Date, language: MessageLanguage) {
  const working = record.state === 'running' || record.state === 'checking';
  const seconds = record.runAt ? Math.max(0, (now.getTime() - record.runAt.getTime()) / 1000) : 0;
  const rows = record.position - record.runFrom;
  const rate = seconds > 0 ? Math.round(rows / seconds) : 0;
  const known = record.state === 'running' ? record.predicted?.rows : undefined;
  const share =
    record.state === 'done'
      ? 1
      : known
        ? record.position / known
        : record.size > 0
          ? Math.min(1, record.readBytes / record.size)
          : 0;
  const total = known ?? (share > 0 ? record.position / share : 0);
  const lasted = record.startedAt && record.endedAt ? record.endedAt.getTime() - record.startedAt.getTime() : 0;
  const overall = lasted > 0 ? Math.round((record.position * 1_000) / lasted) : 0;
  const left = working && rate > 0 && total > 0 ? Math.max(0, total - record.position) / rate : 0;
  return {
    id: formatId(record.id),
    list: formatId(record.listId),
    name: record.name,
    state: record.state,
    reason: renderPacked(record.reason, language),
    size: record.size,
    position: record.position,
    share: Math.round(share * 1000) / 1000,
    rate: working ? rate : overall,
    finish_at: working && left > 0 ? formatDate(new Date(now.getTime() + left * 1000)) : '',
    predicted: record.predicted ? { ...noCounts(), ...record.predicted } : {},
    result: { ...noCounts(), ...record.counts },
    undone: { removed: 0, put_back: 0, kept: 0, ...record.undoCounts },
    problems: record.problems,
    date_created: formatDate(record.createdAt),
    date_started: formatDate(record.startedAt),
    date_ended: formatDate(record.endedAt),
  };
}
