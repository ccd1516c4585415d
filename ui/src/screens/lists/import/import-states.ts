// The states of imports, their tones, and their steps in the wizard.
import type { Tone } from '../../../parts/status/status.tsx';

export const importTones = {
  uploaded: 'still',
  mapped: 'still',
  checking: 'busy',
  checked: 'waiting',
  running: 'busy',
  stopped: 'waiting',
  failed: 'bad',
  done: 'good',
  undoing: 'busy',
  undone: 'still',
} as const satisfies Record<string, Tone>;
export type ImportState = keyof typeof importTones;

export const isInProgress = (state: string) => state === 'checking' || state === 'running' || state === 'undoing';

export const steps = ['file', 'columns', 'check', 'import'] as const;
export type Step = (typeof steps)[number];

export function stepOf(state: ImportState): Step {
  if (state === 'uploaded' || state === 'mapped') return 'columns';
  if (state === 'checking' || state === 'checked') return 'check';
  return 'import';
}
