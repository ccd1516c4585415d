// Links the records of the consent log, for each account in a chain of its own, in batches and some minutes after they were
// written: a sign-up never waits. A run looks at the newest id, the next one notes which transactions are in progress, and
// once those have ended, every record up to that id exists and is linked. A process that dies leaves whole batches.
import { randomBytes } from 'node:crypto';
import { type Database, type Sql, sql, type Tx } from '../../db/connect.ts';
import type { TaskContext } from '../../jobs/tasks.ts';
import { beginning, type ConsentRecord, linkHash, personalDigest, saltBytes } from './digest.ts';

/** Records of a batch: some ten milliseconds of work. */
const batchRecords = 5_000;

type State = { lastId: string; pendingId: string | null; ready: boolean; restarted: boolean };
type Link = {
  accountId: number;
  position: number;
  consentId: string;
  contactId: number;
  salt: Buffer;
  personal: Buffer;
  hash: Buffer;
};

export async function chainConsent({ app, signal }: Pick<TaskContext, 'app' | 'signal'>): Promise<void> {
  await linkDue(app.db, signal);
}

/** Links the records that are due, and notes how far the next runs may go. */
export async function linkDue(db: Database, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await db.transaction(linkBatch)));
}

/** Waits for the batch in progress; the next one waits for the end of this transaction. */
export async function lockChain(tx: Tx): Promise<void> {
  await tx.run(sql`
    insert into consent_chain default values
    on conflict (only_row) do update
    set only_row = true`);
}

/** Of an erased contact: nothing can be tried out against its digests any more. */
export async function forgetSalts(tx: Tx, accountId: number, contactId: number): Promise<void> {
  await tx.run(sql`
    update consent_link
    set salt = null
    where account_id = ${accountId}
      and contact_id = ${contactId}`);
}

/** The columns of a record (alias k) as the digest takes them. */
export const recordColumns: Sql = sql`
  k.id::text as id, k.account_id as "accountId", k.contact_id as "contactId", k.list_id as "listId", k.kind, k.source, k.ip,
  k.detail::text as detail, k.detail ->> 'campaign' as campaign,
  (extract(epoch from k.at) * 1000000)::bigint::text as at`;

/** True when there is more to link. */
async function linkBatch(tx: Tx): Promise<boolean> {
  await tx.run(sql`insert into consent_chain default values on conflict (only_row) do nothing`);
  const state = await tx.row<State>(sql`
    select last_id::text as "lastId", pending_id::text as "pendingId",
      coalesce(pg_snapshot_xmin(pg_current_snapshot()) >= pending_before::xid8, false) as ready,
      -- The numbers of transactions begin again in a database that was restored elsewhere.
      coalesce(pg_snapshot_xmax(pg_current_snapshot()) < pending_before::xid8, false) as restarted
    from consent_chain
    for no key update skip locked`);
  if (!state) return false;
  if (state.pendingId !== null && state.ready) {
    const records = await tx.rows<ConsentRecord>(sql`
      select ${recordColumns}
      from consent k
      where k.id > ${state.lastId}::bigint
        and k.id <= ${state.pendingId}::bigint
      order by k.id
      limit ${batchRecords}`);
    await addLinks(tx, records);
    const isFull = records.length === batchRecords;
    await tx.run(sql`update consent_chain set last_id = ${isFull ? records.at(-1)!.id : state.pendingId}::bigint`);
    if (isFull) return true;
  } else if (state.pendingId !== null && !state.restarted) return false;
  await tx.run(sql`
    update consent_chain
    set pending_id = candidate_id, pending_before = pg_snapshot_xmax(pg_current_snapshot())::text,
      candidate_id = pg_sequence_last_value(pg_get_serial_sequence('consent', 'id')::regclass)`);
  return false;
}

async function addLinks(tx: Tx, records: readonly ConsentRecord[]): Promise<void> {
  if (records.length === 0) return;
  const ends = await endsOf(tx, [...new Set(records.map(({ accountId }) => accountId))]);
  const salts = randomBytes(saltBytes * records.length);
  const links = records.map((record, i): Link => {
    const end = ends.get(record.accountId) ?? { position: 0, hash: beginning };
    const position = end.position + 1;
    const salt = salts.subarray(i * saltBytes, (i + 1) * saltBytes);
    const personal = personalDigest(salt, record);
    const hash = linkHash(end.hash, position, record, personal);
    ends.set(record.accountId, { position, hash });
    const { accountId, id: consentId, contactId } = record;
    return { accountId, position, consentId, contactId, salt, personal, hash };
  });
  await tx.run(sql`
    insert into consent_link (account_id, position, consent_id, contact_id, salt, personal, hash)
    select *
    from unnest(${links.map(({ accountId }) => accountId)}::int[], ${links.map(({ position }) => position)}::bigint[],
      ${links.map(({ consentId }) => consentId)}::bigint[], ${links.map(({ contactId }) => contactId)}::int[],
      ${links.map(({ salt }) => salt)}::bytea[], ${links.map(({ personal }) => personal)}::bytea[],
      ${links.map(({ hash }) => hash)}::bytea[])`);
}

/** The last link of each chain. */
async function endsOf(tx: Tx, accounts: readonly number[]): Promise<Map<number, { position: number; hash: Buffer }>> {
  const rows = await tx.rows<{ accountId: number; position: number; hash: Buffer }>(sql`
    select a.id as "accountId", l.position::int8 as position, l.hash
    from unnest(${accounts}::int[]) as a(id)
    cross join lateral (
      select position, hash
      from consent_link
      where account_id = a.id
      order by position desc
      limit 1
    ) l`);
  return new Map(rows.map(({ accountId, position, hash }) => [accountId, { position: Number(position), hash }]));
}
