// Notices a campaign that is refused by policy, or in words that no rule knows, counting the outcomes of all workers. Healthy
// campaigns cost nothing: only those with a recent refusal have a row. What follows is left to the caller.

import { type Message, message } from '../../base/messages.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { cut } from '../../db/jsonb.ts';
import type { CampaignKey } from '../../db/keys.ts';
import type { Verdict } from '../../relays/verdict/verdict.ts';
import { Breaker, breakerRules, type Mark, type Trip } from './breaker.ts';

/** How an outcome counts for the breaker; undefined if it does not. */
export function judgement(verdict: Verdict): Mark | undefined {
  if (verdict.kind === 'accepted') return 'other';
  if (verdict.kind === 'failed') return verdict.bounce === 'blocked' ? 'policy' : 'other';
  if (verdict.kind !== 'later' || verdict.code === null) return undefined;
  // A refusal of us is deferred for the recipient's sake, but is still a refusal. What a relay limits for a moment is none.
  const isUs = verdict.scope === 'relay' || verdict.scope === 'account';
  const isPassing = verdict.limit === 'session' || verdict.limit === 'rate';
  if (verdict.isOvertaken) return 'overtaken';
  if (verdict.code >= 500)
    return (isUs && !isPassing) || verdict.bounce === 'blocked' || verdict.isDoubtful ? 'policy' : 'other';
  return verdict.scope === 'relay' && verdict.bounce === 'blocked' ? 'policy' : undefined;
}

/**
 * Adds outcomes to those of the campaign.
 * @param marks how they count
 * @param more `hasRow`: the campaign already has a row. `messages`: of single messages only those in a row count, so an acceptance ends
 *   it. `tripped`: the reason this worker's own breaker has already given.
 * @returns why the campaign is to be paused, and the last refusal, if the last outcomes contain too many
 */
export async function recordRefusals(
  tx: Tx,
  of: CampaignKey,
  outcomes: readonly Verdict[],
  marks: readonly (Mark | undefined)[],
  { hasRow, messages, tripped }: { hasRow: boolean; messages: boolean; tripped: Message | undefined },
): Promise<{ reason: Message; reply: string } | undefined> {
  const counted = marks.filter((mark) => mark !== undefined);
  if (!tripped && !hasRow && counted.every((mark) => mark === 'other')) return undefined;
  const letters = counted
    .map((mark) => letterOf[mark])
    .join('')
    .slice(-breakerRules.window);
  const isBroken = messages && letters.includes('o');
  const row = await tx.row<{ last: string }>(sql`
    insert into refusals as r (account_id, campaign_id, last)
    values (${of.account}, ${of.campaign}, ${isBroken ? letters.slice(letters.lastIndexOf('o') + 1) : letters})
    on conflict (account_id, campaign_id) do update
    set last = right(case when ${isBroken} then '' else r.last end || excluded.last, ${breakerRules.window}::int)
    returning last`);
  const breaker = new Breaker();
  for (const letter of row!.last) breaker.add(letter === 'p' ? 'policy' : letter === 'v' ? 'overtaken' : 'other');
  const reason = tripped ?? (breaker.tripped && reasonOf(breaker.tripped, outcomes));
  if (!reason && /[pv]/.test(row!.last)) return undefined;
  // Paused, so it starts afresh when resumed; or healthy again.
  await tx.run(sql`delete from refusals where account_id = ${of.account} and campaign_id = ${of.campaign}`);
  return reason && { reason, reply: lastRefusal(outcomes) };
}

/** As they are stored. */
const letterOf: Record<Mark, string> = { policy: 'p', overtaken: 'v', other: 'o' };

/** Why a campaign is paused. @param outcomes contain the last refusal, with its SMTP code */
export function reasonOf(trip: Trip, outcomes: readonly Verdict[]): Message {
  const reply = lastRefusal(outcomes);
  return trip.because === 'row'
    ? message('pause.refusals_in_row', { count: trip.refused, reply })
    : message('pause.refusals', { count: trip.refused, total: trip.of, reply });
}

function lastRefusal(outcomes: readonly Verdict[]): string {
  const last = outcomes.findLast((outcome) => ['policy', 'overtaken'].includes(judgement(outcome) ?? ''));
  if (last?.kind !== 'failed' && last?.kind !== 'later') return '';
  return cut(last.code === null ? last.text : `${last.code} ${last.text}`, 300);
}
