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

/** Whether nothing is sent until a person turns it on. */
export const isAtRest = ({ status }: Pick<Webhook, 'status'>): boolean => status === 'paused' || status === 'off';

/** The state shown: a webhook whose last attempt failed is failing, as on the start page. */
export function stateOf(hook: Webhook): HookState {
  return !isAtRest(hook) && hook.failing_since !== '' ? 'failing' : hook.status;
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
