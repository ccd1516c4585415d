// When a deferred recipient is attempted again: 5 min, 15 min, 30 min, 1 h, 2 h, then every 4 h, for 72 h in all.

const minuteMs = 60_000;
const waitsMs = [5, 15, 30, 60, 120, 240].map((minutes) => minutes * minuteMs);
const giveUpMs = 72 * 60 * minuteMs;

/**
 * @param attempts how often it was attempted, at least 1
 * @param spread from 0 to 1; moves the time by up to ±10 %, so that not all of them return at the same moment
 * @returns null when that would be more than 72 h after the first attempt
 */
export function nextAttemptAt(facts: { attempts: number; firstAt: Date; now: Date; spread: number }): Date | null {
  const stepMs = waitsMs[Math.min(facts.attempts, waitsMs.length) - 1]!;
  const at = facts.now.getTime() + stepMs * (0.9 + 0.2 * facts.spread);
  return at - facts.firstAt.getTime() > giveUpMs ? null : new Date(at);
}
