// What follows from an attempt: delivered, retried after a pause, given up, or the webhook switched off. When the answer may
// be about an event rather than the receiver, each request has half as many events, until the rejected event is alone. From
// then on that event is retried alone, and the others continue.
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
/** Attempts with an event alone that the receiver calls invalid (400, 413, 422): over some 35 minutes. */
export const maxInvalidAttempts = 4;
/** Pauses vary by up to this share, so that requests do not all arrive at the same time. */
const jitter = 0.2;

export type Answer = { status: number; retryAfter?: string | undefined } | { unreached: true };

/** The request that was answered. */
export type Request = {
  events: number;
  /** Failed requests in a row before this one. */
  failures: number;
  /** Attempts with its only event that failed before. */
  failedAlone: number;
  /** Whether requests are shorter than usual, to isolate events. */
  narrowed: boolean;
  /** How long every attempt has failed, 0 when the last one succeeded. */
  failingMs: number;
};

export type Step =
  | { kind: 'delivered' }
  /** The same request. */
  | { kind: 'again'; afterMs: number }
  /** A request with fewer events. */
  | { kind: 'split'; maxEvents: number; afterMs: number }
  /** The other events, and this one after a pause of its own. */
  | { kind: 'aside'; eventAfterMs: number; afterMs: number }
  | { kind: 'given_up' }
  /** 410, or failures only for too long. */
  | { kind: 'off'; because: 'gone' | 'failing' };

/** @param chance from 0 to 1 */
export function nextStep(answer: Answer, request: Request, chance: number, now: Date): Step {
  const status = 'status' in answer ? answer.status : 0;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'off', because: 'gone' };
  if (request.failingMs >= switchOffAfterMs) return { kind: 'off', because: 'failing' };
  const requestedMs = 'status' in answer ? retryAfterMs(answer.retryAfter, now) : 0;
  const after = (failures: number): number | null => {
    const pause = pauseMs(failures + 1);
    if (pause === null) return null;
    const jittered = pause * (1 + jitter * (2 * chance - 1));
    // A receiver may ask for more time, but not for more than the pause after the next attempt.
    const maxMs = pauseMs(failures + 2) ?? pause;
    return Math.round(Math.max(jittered, Math.min(requestedMs, maxMs)));
  };
  const { events, failures, failedAlone, narrowed } = request;
  if (mayConcernEvents(status)) {
    if (events === 1) return stepAlone(status, failedAlone, after(failedAlone), failedAlone > 0 ? 0 : after(failures));
    if (narrowed || failures > 0 || status === 413)
      return { kind: 'split', maxEvents: Math.floor(events / 2), afterMs: after(0)! };
  }
  const afterMs = after(failures);
  return afterMs === null ? { kind: 'given_up' } : { kind: 'again', afterMs };
}

/** After a request with one event. The receiver need not be the reason when it rejects an event repeatedly. */
function stepAlone(status: number, failedAlone: number, eventAfterMs: number | null, afterMs: number | null): Step {
  const invalid = [400, 413, 422].includes(status);
  if (eventAfterMs === null || (invalid && failedAlone + 1 >= maxInvalidAttempts)) return { kind: 'given_up' };
  return { kind: 'aside', eventAfterMs, afterMs: afterMs ?? pauseMs(attemptOffsetsMs.length - 1)! };
}

/** Whether another event might get another answer. These statuses are about the receiver, its address or the secret. */
function mayConcernEvents(status: number): boolean {
  return status >= 400 && ![401, 403, 404, 405, 408, 429, 502, 503, 504].includes(status);
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
