// When a deferred recipient is attempted again: after longer and longer waits, until it is given up. One that is refused again and
// again in words that no rule knows is given up sooner.
import { giveUpHours } from '../../base/relay/give-up.ts';

const minuteMs = 60_000;
const waitsMs = [5, 15, 30, 60, 120, 240].map((minutes) => minutes * minuteMs);
const giveUpMs = giveUpHours * 60 * minuteMs;
/** Most mailboxes that refuse for a day do not exist, and most providers lift a suspension within it. */
const doubtMs = 24 * 60 * minuteMs;
/** A send window or a rest of the relay may leave a day with few attempts. */
const minAttemptsInDoubt = 4;

/**
 * @param attempts how often it was attempted, at least 1
 * @param spread from 0 to 1; moves the time by up to ±10 %, so that not all of them return at the same moment
 * @param isDoubtful the last two replies were permanent, and this one in words that no rule knows
 * @returns null when that would be after it is given up
 */
export function nextAttemptAt(facts: {
  attempts: number;
  firstAt: Date;
  now: Date;
  spread: number;
  isDoubtful?: boolean;
}): Date | null {
  const stepMs = waitsMs[Math.min(facts.attempts, waitsMs.length) - 1]!;
  const at = facts.now.getTime() + stepMs * (0.9 + 0.2 * facts.spread);
  const isDoubtOver = facts.isDoubtful === true && facts.attempts >= minAttemptsInDoubt;
  return at - facts.firstAt.getTime() > (isDoubtOver ? doubtMs : giveUpMs) ? null : new Date(at);
}
