// The state of an automation as a chip.
import { Status, type Tone } from '../../parts/status/status.tsx';
import { useText } from '../../text/use-text.tsx';
import type { Found, Info } from './types.ts';

type State = Info['status'] | Found['status'];

const tones: Record<State, Tone> = {
  draft: 'still',
  active: 'good',
  paused: 'waiting',
  ended: 'still',
};

export function AutomationStatus({ status }: { status: State }) {
  const t = useText('automations');
  return <Status tone={tones[status]}>{t.of('status', status)}</Status>;
}
