// The states of imports, their tones, and their steps in the wizard.
import type { ResultOf } from '../../../api/types.ts';
import type { Tone } from '../../../parts/status/status.tsx';

export type ImportState = ResultOf<'importGet'>['state'];

export const importTones: Record<ImportState, Tone> = {
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
};

export const isInProgress = (state: ImportState): state is 'checking' | 'running' | 'undoing' =>
  state === 'checking' || state === 'running' || state === 'undoing';

export const steps = ['file', 'columns', 'check', 'import'] as const;
export type Step = (typeof steps)[number];

export function stepOf(state: ImportState): Step {
  if (state === 'uploaded' || state === 'mapped') return 'columns';
  if (state === 'checking' || state === 'checked') return 'check';
  return 'import';
}
