// The states of a recipient of a single message, and how they look. Pure.
import type { ResultOf } from '../../api/types.ts';
import type { Tone } from '../../parts/status/status.tsx';

export type State = ResultOf<'messageGet'>['recipients'][number]['state'];

export const toneOf: Record<State, Tone> = {
  queued: 'busy',
  trying: 'busy',
  later: 'waiting',
  accepted: 'good',
  failed: 'bad',
  skipped: 'still',
  unclear: 'waiting',
};

export const states = Object.keys(toneOf) as State[];

/** A state in a URL. */
export const isState = (text: string | undefined): text is State => text !== undefined && Object.hasOwn(toneOf, text);
