// Moves of accounts that were interrupted, and replication slots that one has left: a slot keeps the log of the server until the disk is full.
import { type Database, sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { type Finding, problem, warning } from './finding.ts';

const check = 'moves';

export async function checkMoves(db: Database): Promise<Finding[]> {
  const stopped = await db.rows<{ account: number; step: string; minutes: number }>(sql`
    select account, step, extract(epoch from now() - step_at)::int / 60 as minutes
    from account_move
    where step in ('draining', 'fenced', 'moved')
      and step_at < now() - interval '10 minutes'
    order by account`);
  const slots = await db.rows<{ name: string; kept: string }>(sql`
    select slot_name as name, coalesce(pg_size_pretty(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)), '?') as kept
    from pg_replication_slots
    where slot_name like 'postrider\_move\_%'
      and database = current_database()
      and not active
    order by slot_name`);
  return [
    ...stopped.map(({ account, step, minutes }) =>
      problem(
        check,
        `The move of account ${formatId(account)} has been in the step "${step}" for ${minutes} minutes.`,
        'Run "postrider account move" again, or with --cancel.',
      ),
    ),
    ...slots.map(({ name, kept }) =>
      warning(
        check,
        `The replication slot ${name} is not in use, and the server keeps its log for it (${kept}).`,
        'Run "postrider account move" again, or with --cancel.',
      ),
    ),
  ];
}
