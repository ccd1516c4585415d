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

/** How a message came. */
const vias = ['api', 'smtp', 'system'] as const;
export const isVia = (text: string): text is (typeof vias)[number] => vias.includes(text as never);

/** What the program wrote a message for. */
const purposes = ['confirm', 'welcome', 'goodbye', 'notice', 'reset', 'invite', 'test'] as const;
export const isPurpose = (text: string): text is (typeof purposes)[number] => purposes.includes(text as never);
