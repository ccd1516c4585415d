// The events about single attempts of a campaign: accepted, and deferred after a temporary refusal. As many as messages, so the
// caller asks first whether a webhook wants them. A contact that was erased while its message was in flight has none.
import { sql, type Tx } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { cut, jsonb } from '../../db/jsonb.ts';
import { emitSet } from '../../events/emit.ts';
import { attemptTypes, type EventData } from '../../events/types.ts';
import { formatDate } from '../../method/date.ts';
import type { Chunk } from '../ledger/chunk.ts';
import type { RecipientUpdate } from '../ledger/write-group.ts';
import type { Outcome } from './outcome.ts';

/** @param missing the recipients whose outcomes were not written */
export async function emitAttempts(
  tx: Tx,
  chunk: Chunk,
  now: Date,
  outcomes: readonly Outcome[],
  updates: readonly RecipientUpdate[],
  missing: ReadonlySet<number>,
): Promise<void> {
  const rows = outcomes.flatMap(({ marked, verdict }, i) => {
    const { state, nextAt } = updates[i]!;
    if (missing.has(marked.seq) || (verdict.kind !== 'accepted' && verdict.kind !== 'later')) return [];
    const data = {
      campaign: formatId(chunk.campaign),
      list: formatId(marked.list),
      contact: formatId(marked.contact),
      email: marked.email,
      code: verdict.code ?? 0,
      reply: cut(verdict.text, 500),
      ts: formatDate(now),
    } satisfies EventData<'email.accepted'>;
    const of = { contact: marked.contact, list: marked.list };
    if (state === 'accepted') return [{ ...of, type: 'email.accepted', data }];
    if (state !== 'later' || !nextAt) return [];
    const deferred: EventData<'email.deferred'> = { ...data, next_ts: formatDate(nextAt) };
    return [{ ...of, type: 'email.deferred', data: deferred }];
  });
  if (rows.length === 0) return;
  await emitSet(
    tx,
    chunk.account,
    attemptTypes,
    sql`
      select e.type, 'admin'::text as source, e.list as list_id, e.data
      from jsonb_to_recordset(${jsonb(rows)}::jsonb) as e(type text, contact int, list int, data jsonb)
      join contact c on c.account_id = ${chunk.account}::int and c.id = e.contact`,
  );
}
