// The tones of webhook states and attempt outcomes.
import type { Tone } from '../../parts/status/status.tsx';

export const stateTones: Record<string, Tone> = {
  active: 'good',
  failing: 'bad',
  unverified: 'waiting',
  paused: 'still',
  off: 'bad',
};

/** The state shown: an active webhook whose last attempt failed is failing. */
export function stateOf({ status, failing_since }: { status: string; failing_since: string }): string {
  return status === 'active' && failing_since !== '' ? 'failing' : status;
}

export const outcomes = ['in_progress', 'delivered', 'failed', 'given_up', 'gone', 'unclear'] as const;
export type AttemptOutcome = (typeof outcomes)[number];

/** The key of the text of an attempt's state: a test event is never retried. */
export const outcomeKey = ({ kind, outcome }: { kind: string; outcome: string }) =>
  `outcome.${kind === 'test' && outcome === 'failed' ? 'test_failed' : (outcome as AttemptOutcome)}` as const;

export const toneOfAttempt = ({ kind, outcome }: { kind: string; outcome: string }): Tone =>
  kind === 'test' && outcome === 'failed' ? 'bad' : (outcomeTones[outcome as AttemptOutcome] ?? 'still');

const outcomeTones: Record<AttemptOutcome, Tone> = {
  in_progress: 'busy',
  delivered: 'good',
  failed: 'waiting',
  given_up: 'bad',
  gone: 'bad',
  unclear: 'waiting',
};
