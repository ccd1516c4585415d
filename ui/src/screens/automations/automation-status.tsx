// The state of an automation as a chip.
import { Status, type Tone } from '../../parts/status/status.tsx';
import { useText } from '../../text/use-text.tsx';

const tones: Record<string, Tone> = { draft: 'still', active: 'busy', paused: 'waiting', sent: 'good' };

export function AutomationStatus({ status }: { status: string }) {
  const t = useText('automations');
  return <Status tone={tones[status] ?? 'still'}>{t.of('status', status)}</Status>;
}
