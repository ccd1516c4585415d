// Pauses a campaign that is being refused by policy, by the outcomes of all workers together. Healthy campaigns cost
// nothing: a row exists only for those that have met such a refusal of late.
import { type Queries, sql } from '../../db/connect.ts';
import { cut } from '../../db/jsonb.ts';
import { pauseAutomatically } from '../control/pause.ts';
import type { Verdict } from '../verdict/verdict.ts';
import { Breaker, breakerRules, type Trip } from './breaker.ts';

/** How an outcome counts: undefined for those that are no judgement. */
export function judgement(verdict: Verdict): 'policy' | 'other' | undefined {
  if (verdict.kind === 'accepted') return 'other';
  // A permanent refusal that is about us is put off for the recipient's sake, and is a refusal nevertheless.
  if (verdict.kind === 'failed' || (verdict.kind === 'later' && (verdict.code ?? 0) >= 500))
    return verdict.bounce === 'blocked' ? 'policy' : 'other';
  return undefined;
}

/**
 * Adds final outcomes to those of the campaign and pauses it when there are too many refusals among the last.
 * @param known whether the campaign has a row already
 * @param tripped what this worker has found by itself already
 */
export async function tellRefusals(
  tx: Queries,
  of: { account: number; campaign: number },
  outcomes: readonly Verdict[],
  known: boolean,
  tripped?: string,
): Promise<void> {
  const marks = outcomes.map((one) => judgement(one)).filter((one) => one !== undefined);
  if (!tripped && !known && !marks.includes('policy')) return;
  const said = marks
    .map((one) => one[0]!)
    .join('')
    .slice(-breakerRules.window);
  const row = await tx.row<{ last: string }>(sql`
    insert into refusals as r (account_id, campaign_id, last)
    values (${of.account}, ${of.campaign}, ${said})
    on conflict (account_id, campaign_id) do update
    set last = right(r.last || excluded.last, ${breakerRules.window}::int)
    returning last`);
  const breaker = new Breaker();
  for (const one of row!.last) breaker.tell(one === 'p' ? 'policy' : 'other');
  const reason = tripped ?? (breaker.tripped && reasonOf(breaker.tripped, lastRefusal(outcomes)));
  if (!reason && row!.last.includes('p')) return;
  // Over: paused and to begin anew after it is resumed, or healthy again.
  await tx.run(sql`delete from refusals where account_id = ${of.account} and campaign_id = ${of.campaign}`);
  if (reason) await pauseAutomatically(tx, of, reason);
}

export function reasonOf(trip: Trip, said: string): string {
  const count =
    trip.because === 'row'
      ? `the last ${trip.refused} answers were`
      : `${trip.refused} of the last ${trip.of} answers were`;
  return `${count} refusals by policy${said ? `, last: ${cut(said, 300)}` : ''}`;
}

function lastRefusal(outcomes: readonly Verdict[]): string {
  const last = outcomes.findLast((one) => judgement(one) === 'policy');
  return last && last.kind !== 'withheld' ? `${'code' in last ? `${last.code} ` : ''}${last.text}` : '';
}
