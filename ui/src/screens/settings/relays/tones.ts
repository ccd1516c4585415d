// The tones of the states of relays.
import type { Tone } from '../../../parts/status/status.tsx';

export const relayTones: Record<string, Tone> = {
  working: 'good',
  ready: 'good',
  failing: 'bad',
  resting: 'bad',
  not_answering: 'bad',
  unusable: 'bad',
  paused: 'waiting',
  idle: 'still',
};
