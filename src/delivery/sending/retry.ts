// When a recipient that was deferred is tried again: 5 min, 15 min, 30 min, 1 h, 2 h, then every 4 h, for 72 h in all.

const minuteMs = 60_000;
const ladderMs = [5, 15, 30, 60, 120, 240].map((minutes) => minutes * minuteMs);
const giveUpMs = 72 * 60 * minuteMs;

/**
 * @param attempts how often it was tried, at least 1
 * @param spread from 0 to 1; moves the time by up to ±10 %, so that a crowd does not come back at once
 * @returns null when 72 h since the first attempt would be over by then
 */
export function nextAttemptAt(facts: { attempts: number; firstAt: Date; now: Date; spread: number }): Date | null {
  const stepMs = ladderMs[Math.min(facts.attempts, ladderMs.length) - 1]!;
  const at = facts.now.getTime() + stepMs * (0.9 + 0.2 * facts.spread);
  return at - facts.firstAt.getTime() > giveUpMs ? null : new Date(at);
}
