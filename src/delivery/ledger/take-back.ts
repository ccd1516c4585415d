// Makes failed recipients wait for another attempt: their refusals were about us. The tally moves in the same transaction.

import { monthOf } from '../../campaigns/model/month.ts';
import { sql, type Tx } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { states } from '../../db/states.ts';
import { countWatched } from './campaign-watch.ts';
import { countSendingDay } from './sending-day.ts';
import { maxRetrySize } from './write-group.ts';

/** @returns how many were failed */
export async function takeBack(tx: Tx, of: CampaignKey, seqs: readonly number[], waitSeconds: number): Promise<number> {
  if (seqs.length === 0) return 0;
  const rows = await tx.rows<{ seq: number; list: number; domain: string; reason: string | null }>(sql`
    with ended as (
      select seq, reason
      from delivery
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}
        and month = ${monthOf(of)}
        and seq = any (${[...seqs]}::int[])
        and state = ${states.failed}
      for update
    ), changed as (
      update delivery d
      -- The 72 hours start again.
      set state = ${states.later}, reason = null, done_at = null, first_at = null,
        next_at = now() + make_interval(secs => ${waitSeconds}::int)
      from ended e
      where d.account_id = ${of.account}
        and d.campaign_id = ${of.campaign}
        and d.month = ${monthOf(of)}
        and d.seq = e.seq
      returning d.seq, d.list_id as list, d.domain, e.reason
    ), counted as (
      insert into tally as t (account_id, campaign_id, shard, failed, later)
      select ${of.account}::int, ${of.campaign}::int, 0, -count(*), count(*)
      from changed
      having count(*) > 0
      on conflict (account_id, campaign_id, shard) do update
      set failed = t.failed + excluded.failed, later = t.later + excluded.later
    )
    select seq, list, domain, reason from changed order by seq`);
  for (let from = 0; from < rows.length; from += maxRetrySize) {
    const part = rows.slice(from, from + maxRetrySize).map(({ seq }) => seq);
    await tx.run(sql`
      insert into chunk (account_id, campaign_id, kind, seqs, zone, due_at)
      values (${of.account}::int, ${of.campaign}::int, 'retry', ${part}::int[], '',
        now() + make_interval(secs => ${waitSeconds}::int))`);
  }
  await uncountRefused(
    tx,
    of,
    rows.filter(({ reason }) => reason === 'hard'),
  );
  return rows.length;
}

/** Hard bounces that turned out to be none. */
async function uncountRefused(tx: Tx, of: CampaignKey, rows: readonly { seq: number; list: number; domain: string }[]) {
  if (rows.length === 0) return;
  await countWatched(tx, of, { refused: -rows.length });
  const type = await tx.row<{ messages: boolean }>(sql`
    select type = 'message' as messages from campaign where account_id = ${of.account} and id = ${of.campaign}`);
  const counted = rows.map((row) => ({ ...row, refused: -1 }));
  await countSendingDay(tx, of, counted, type?.messages === true);
}
