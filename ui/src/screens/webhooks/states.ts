// The tones of webhook states and attempt outcomes.
import type { ResultOf } from '../../api/types.ts';
import type { Tone } from '../../parts/status/status.tsx';

type Webhook = Pick<ResultOf<'webhooks'>[number], 'status' | 'failing_since'>;
type Attempt = Pick<ResultOf<'webhookAttempts'>[number], 'kind' | 'outcome'>;
type HookState = Webhook['status'] | 'failing';

export const stateTones: Record<HookState, Tone> = {
  active: 'good',
  failing: 'bad',
  unverified: 'waiting',
  paused: 'still',
  off: 'bad',
};

/** The state shown: an active webhook whose last attempt failed is failing. */
export function stateOf({ status, failing_since }: Webhook): HookState {
  return status === 'active' && failing_since !== '' ? 'failing' : status;
}

/** The key of the text of an attempt's state: a test event is never retried. */
export const outcomeKey = ({ kind, outcome }: Attempt) =>
  `outcome.${kind === 'test' && outcome === 'failed' ? 'test_failed' : outcome}` as const;

export const toneOfAttempt = ({ kind, outcome }: Attempt): Tone =>
  kind === 'test' && outcome === 'failed' ? 'bad' : outcomeTones[outcome];

const outcomeTones: Record<Attempt['outcome'], Tone> = {
  in_progress: 'busy',
  delivered: 'good',
  failed: 'waiting',
  given_up: 'bad',
  gone: 'bad',
  unclear: 'waiting',
};

export const outcomes = Object.keys(outcomeTones) as Attempt['outcome'][];
