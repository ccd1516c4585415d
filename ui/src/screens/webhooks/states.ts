// The tones in which the states of webhooks and the outcomes of attempts are shown.
import type { Tone } from '../../parts/status.tsx';

export const stateTones: Record<string, Tone> = { active: 'good', unverified: 'waiting', paused: 'still', off: 'bad' };

export const outcomes = ['under way', 'delivered', 'failed', 'given up', 'gone', 'unclear'] as const;
export type AttemptOutcome = (typeof outcomes)[number];

export const outcomeTones: Record<AttemptOutcome, Tone> = {
  'under way': 'busy',
  delivered: 'good',
  failed: 'waiting',
  'given up': 'bad',
  gone: 'bad',
  unclear: 'waiting',
};
