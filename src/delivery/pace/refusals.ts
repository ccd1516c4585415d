// Pauses a campaign that is refused by policy, counting the outcomes of all workers. Healthy campaigns cost nothing: only
// those with a recent refusal have a row.

import { type Message, message } from '../../base/messages.ts';
import type { CampaignKey } from '../../campaigns/month.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { cut } from '../../db/jsonb.ts';
import { pauseAutomatically } from '../control/pause.ts';
import type { Verdict } from '../verdict/verdict.ts';
import { Breaker, breakerRules, type Trip } from './breaker.ts';

/** How an outcome counts for the breaker; undefined if it does not. */
export function judgement(verdict: Verdict): 'policy' | 'other' | undefined {
  if (verdict.kind === 'accepted') return 'other';
  if (verdict.kind === 'failed') return verdict.bounce === 'blocked' ? 'policy' : 'other';
  if (verdict.kind !== 'later' || verdict.code === null) return undefined;
  // A refusal of us is deferred for the recipient's sake, but is still a refusal. What a relay limits for a moment is none.
  const isUs = verdict.scope === 'relay' || verdict.scope === 'account';
  const isPassing = verdict.limit === 'session' || verdict.limit === 'rate';
  if (verdict.code >= 500) return (isUs && !isPassing) || verdict.bounce === 'blocked' ? 'policy' : 'other';
  return verdict.scope === 'relay' && verdict.bounce === 'blocked' ? 'policy' : undefined;
}

/**
 * Adds final outcomes to those of the campaign and pauses it if the last ones contain too many refusals.
 * @param hasRow whether the campaign already has a row
 * @param tripped the reason this worker's own breaker has already given
 */
export async function recordRefusals(
  tx: Tx,
  of: CampaignKey,
  outcomes: readonly Verdict[],
  hasRow: boolean,
  tripped?: Message,
): Promise<void> {
  const marks = outcomes.map(judgement).filter((mark) => mark !== undefined);
  if (!tripped && !hasRow && !marks.includes('policy')) return;
  const letters = marks
    .map((mark) => mark[0]!)
    .join('')
    .slice(-breakerRules.window);
  const row = await tx.row<{ last: string }>(sql`
    insert into refusals as r (account_id, campaign_id, last)
    values (${of.account}, ${of.campaign}, ${letters})
    on conflict (account_id, campaign_id) do update
    set last = right(r.last || excluded.last, ${breakerRules.window}::int)
    returning last`);
  const breaker = new Breaker();
  for (const letter of row!.last) breaker.add(letter === 'p' ? 'policy' : 'other');
  const reason = tripped ?? (breaker.tripped && reasonOf(breaker.tripped, outcomes));
  if (!reason && row!.last.includes('p')) return;
  // Paused, so it starts afresh when resumed; or healthy again.
  await tx.run(sql`delete from refusals where account_id = ${of.account} and campaign_id = ${of.campaign}`);
  if (reason) await pauseAutomatically(tx, of, reason);
}

/** Why a campaign is paused. @param outcomes contain the last refusal, with its SMTP code */
export function reasonOf(trip: Trip, outcomes: readonly Verdict[]): Message {
  const reply = cut(lastRefusal(outcomes), 300);
  return trip.because === 'row'
    ? message('pause.refusals_in_row', { count: trip.refused, reply })
    : message('pause.refusals', { count: trip.refused, total: trip.of, reply });
}

function lastRefusal(outcomes: readonly Verdict[]): string {
  const last = outcomes.findLast((outcome) => judgement(outcome) === 'policy');
  if (last?.kind !== 'failed' && last?.kind !== 'later') return '';
  return last.code === null ? last.text : `${last.code} ${last.text}`;
}
