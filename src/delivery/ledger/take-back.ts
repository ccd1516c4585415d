// Makes failed recipients wait for another attempt: their refusals were about us. The tally moves in the same transaction.

import { monthOf } from '../../campaigns/model/month.ts';
import { sql, type Tx } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { states } from '../../db/states.ts';
import { maxRetrySize } from './write-group.ts';

/** @returns how many were failed */
export async function takeBack(tx: Tx, of: CampaignKey, seqs: readonly number[], waitSeconds: number): Promise<number> {
  if (seqs.length === 0) return 0;
  const rows = await tx.rows<{ seq: number }>(sql`
    with changed as (
      update delivery
      -- The 72 hours start again.
      set state = ${states.later}, reason = null, done_at = null, first_at = null,
        next_at = now() + make_interval(secs => ${waitSeconds}::int)
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}
        and month = ${monthOf(of)}
        and seq = any (${[...seqs]}::int[])
        and state = ${states.failed}
      returning seq
    ), counted as (
      insert into tally as t (account_id, campaign_id, shard, failed, later)
      select ${of.account}::int, ${of.campaign}::int, 0, -count(*), count(*)
      from changed
      having count(*) > 0
      on conflict (account_id, campaign_id, shard) do update
      set failed = t.failed + excluded.failed, later = t.later + excluded.later
    )
    select seq from changed order by seq`);
  for (let from = 0; from < rows.length; from += maxRetrySize) {
    const part = rows.slice(from, from + maxRetrySize).map(({ seq }) => seq);
    await tx.run(sql`
      insert into chunk (account_id, campaign_id, kind, seqs, zone, due_at)
      values (${of.account}::int, ${of.campaign}::int, 'retry', ${part}::int[], '',
        now() + make_interval(secs => ${waitSeconds}::int))`);
  }
  return rows.length;
}
