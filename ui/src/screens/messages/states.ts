// The states of a recipient of a single message, and how they look. Pure.
import type { Tone } from '../../parts/status/status.tsx';

export const states = ['queued', 'trying', 'later', 'accepted', 'failed', 'skipped', 'unclear'] as const;
export type State = (typeof states)[number];

export const isState = (text: string | undefined): text is State => states.includes(text as State);

export const toneOf: Record<State, Tone> = {
  queued: 'busy',
  trying: 'busy',
  later: 'waiting',
  accepted: 'good',
  failed: 'bad',
  skipped: 'still',
  unclear: 'waiting',
};
