// The states of a recipient of a single message, and how they look. Pure.
import type { ResultOf } from '../../api/types.ts';
import type { Tone } from '../../parts/status/status.tsx';

export type State = ResultOf<'messageGet'>['recipients'][number]['state'];

export const toneOf: Record<State | 'scheduled', Tone> = {
  scheduled: 'planned',
  queued: 'busy',
  trying: 'busy',
  later: 'waiting',
  accepted: 'good',
  failed: 'bad',
  skipped: 'still',
  unclear: 'waiting',
};

/** As they can be chosen in the log. */
export const states = Object.keys(toneOf) as (State | 'scheduled')[];

/** What is shown of a recipient: its state, or scheduled while it waits for the time of its message. */
export function shownState(
  { state, next_at }: { state: State; next_at: string },
  { send_at }: { send_at: string },
): State | 'scheduled' {
  return state === 'queued' && send_at !== '' && next_at === send_at ? 'scheduled' : state;
}

/** A state in a URL. */
export const isState = (text: string | undefined): text is State | 'scheduled' =>
  text !== undefined && Object.hasOwn(toneOf, text);
