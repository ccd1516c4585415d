// What follows from an attempt: delivered, retried after a pause, given up, or the webhook switched off.
// Pure: returns pauses in milliseconds; the caller adds them to the database's clock.

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** When the attempts of one request are made, counted from the first. */
export const attemptOffsetsMs: readonly number[] = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  hour,
  2 * hour,
  ...Array.from({ length: 24 }, (_, i) => (i + 1) * 3 * hour),
];
/** A webhook that has only failed for this long is switched off. */
export const switchOffAfterMs = 5 * 24 * hour;
/** Pauses vary by up to this share, so that requests do not arrive all at once. */
const jitter = 0.2;

export type Answer = { status: number; retryAfter?: string | undefined } | { unreached: true };

export type Step =
  | { kind: 'delivered' }
  | { kind: 'again'; afterMs: number }
  | { kind: 'given_up' }
  /** 410, or failures only for too long. */
  | { kind: 'off'; because: 'gone' | 'failing' };

/**
 * @param failures failed attempts with this request before this one
 * @param failingMs how long every attempt has failed, 0 when the last one succeeded
 * @param chance from 0 to 1
 */
export function nextStep(answer: Answer, failures: number, failingMs: number, chance: number, now: Date): Step {
  const status = 'status' in answer ? answer.status : 0;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'off', because: 'gone' };
  if (failingMs >= switchOffAfterMs) return { kind: 'off', because: 'failing' };
  const pause = pauseMs(failures + 1);
  if (pause === null) return { kind: 'given_up' };
  const jittered = pause * (1 + jitter * (2 * chance - 1));
  const requested = 'status' in answer ? retryAfterMs(answer.retryAfter, now) : 0;
  // A receiver may ask for more time, but not for more than the pause after the next attempt.
  const maxMs = pauseMs(failures + 2) ?? pause;
  return { kind: 'again', afterMs: Math.round(Math.max(jittered, Math.min(requested, maxMs))) };
}

/** The pause before an attempt, counting from 0; null when there is none. */
function pauseMs(attempt: number): number | null {
  const offset = attemptOffsetsMs[attempt];
  return offset === undefined ? null : offset - attemptOffsetsMs[attempt - 1]!;
}

/** RFC 9110 10.2.3: seconds or a date; 0 for anything else. */
function retryAfterMs(text: string | undefined, now: Date): number {
  if (text === undefined) return 0;
  if (/^\s*\d{1,9}\s*$/.test(text)) return Number(text) * second;
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : Math.max(0, at - now.getTime());
}
