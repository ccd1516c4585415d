// The data of the event that let a recipient of an automation's email in. It belongs to the run, which the recipient's occasion
// names, and never changes: whenever a message is made again, it is the same.
import type { Json } from '../../campaigns/markup/data.ts';
import { prepared, type Sql, sql, type Tx } from '../../db/connect.ts';
import type { Marked } from './chunk.ts';

/** SQL: the data, for a row `d` of delivery; null where there is none. A contact is in few runs, so their index is read. */
export const eventOf = (d: Sql): Sql => sql`(
  select r.event -> 'data'
  from automation_run r
  where r.account_id = ${d}.account_id
    and r.contact_id = ${d}.contact_id
    and r.no = case when ${d}.occasion like 'run %' then substr(${d}.occasion, 5)::bigint end
)`;

const runOf = ({ occasion = '' }: Marked): number | undefined =>
  occasion.startsWith('run ') ? Number(occasion.slice(4)) : undefined;

/** Adds the events of runs to recipients that are marked. Reads nothing for other recipients. */
export async function addEvents<R extends Marked>(
  tx: Tx,
  account: number,
  marked: readonly R[],
): Promise<readonly R[]> {
  const ofRuns = marked.filter((recipient) => runOf(recipient) !== undefined);
  if (ofRuns.length === 0) return marked;
  const rows = await tx.rows<{ no: number; data: Json }>(
    prepared(sql`
      select no, event -> 'data' as data
      from automation_run
      where account_id = ${account}
        and contact_id = any (${ofRuns.map(({ contact }) => contact)}::int[])
        and no = any (${ofRuns.map((recipient) => runOf(recipient)!)}::bigint[])
        and event is not null`),
  );
  const events = new Map(rows.map(({ no, data }) => [Number(no), data]));
  return marked.map((recipient) => ({ ...recipient, event: events.get(runOf(recipient) ?? Number.NaN) ?? null }));
}
