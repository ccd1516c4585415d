// The tones of the states of relays.
import type { ResultOf } from '../../../api/types.ts';
import type { Tone } from '../../../parts/status/status.tsx';

export const relayTones: Record<ResultOf<'relays'>[number]['state'], Tone> = {
  working: 'good',
  ready: 'good',
  failing: 'bad',
  resting: 'bad',
  not_answering: 'bad',
  unusable: 'bad',
  paused: 'waiting',
  idle: 'still',
};
