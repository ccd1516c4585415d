// THE plan of a move: what becomes of each table with data of accounts. A table that is not named here is copied by replication, so a new
// one is never left behind; src/move/plan.test.ts checks that the schema fits. Others have a reason here.
import { type Queries, sql } from '../db/connect.ts';

/** Copied in the transaction that makes the account appear in its new installation, since they refer to people, who have other numbers there. */
export const copiedAtTheSwitch = ['account', 'membership', 'invitation', 'api_key'] as const;

/** Tables with a column account_id that stay behind, and why. */
export const staysBehind: Record<string, string> = {
  account_write: 'counts changes for the standby of an installation',
  session: 'people sign in again, at the new address',
  inbox_message: 'what the built-in inbox has caught belongs to the installation',
  confirmation_asked: 'counts what all accounts of an installation ask of a mailbox in a day',
  campaign_presence: 'who has a draft open at this moment',
};

/** Columns with the number of a person, in tables that are replicated: changed after the switch, because they only show who did something. */
export const columnsOfPeople: readonly (readonly [table: string, column: string])[] = [
  ['audit_entry', 'user_id'],
  ['campaign_approval', 'asked_user_id'],
  ['campaign_approval', 'answered_user_id'],
  ['campaign_approval_step', 'user_id'],
  ['campaign_comment', 'user_id'],
  ['campaign_comment', 'resolved_user_id'],
  ['campaign_edit', 'user_id'],
  ['campaign_revision', 'user_id'],
  ['campaign_version', 'user_id'],
  ['link', 'user_id'],
  ['oauth_grant', 'state_user'],
  ['report_link', 'user_id'],
  ['template', 'user_id'],
  ['template_version', 'user_id'],
];

/** Numbers that begin at a random place in each installation, so they must not be moved on. */
const startAtRandom = ['account_seq'];
/** Numbers of what is not moved. */
const ofTheInstallation = [
  ...['session_seq', 'passkey_seq', 'relay_seq', 'worker_id_seq', 'inbox_message_id_seq'],
  'moved_hit_id_seq',
];

export type MovedTable = {
  name: string;
  /** Rows of updates and deletes carry the account: it is in the replica identity. */
  isFollowed: boolean;
};

/** The tables that replication copies: all with rows of accounts, but those that stay or are copied at the switch. */
export function replicatedTables(db: Queries): Promise<MovedTable[]> {
  return db.rows<MovedTable>(sql`
    select c.relname as name, c.relreplident = 'f' or (c.relreplident = 'd' and exists (
        select
        from pg_index i
        where i.indrelid = c.oid
          and i.indisprimary
          and a.attnum = any (i.indkey)
      )) as "isFollowed"
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped
    where c.relnamespace = (select oid from pg_namespace where nspname = current_schema())
      and c.relkind in ('r', 'p')
      and c.relpersistence = 'p'
      and not c.relispartition
      and c.relname <> all (${[...copiedAtTheSwitch, ...Object.keys(staysBehind)]}::text[])
    order by c.relname`);
}

/** The sequences that number rows of accounts. */
export async function movedSequences(db: Queries): Promise<{ name: string; last: number }[]> {
  return db.rows<{ name: string; last: number }>(sql`
    select sequencename as name, coalesce(last_value, 0) as last
    from pg_sequences
    where schemaname = current_schema()
      and sequencename <> all (${[...startAtRandom, ...ofTheInstallation]}::text[])
    order by sequencename`);
}
