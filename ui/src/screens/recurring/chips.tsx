// The states of a recurring campaign and of an issue as chips.
import { Status, type Tone } from '../../parts/status/status.tsx';
import { useText } from '../../text/use-text.tsx';

const issueTones: Record<string, Tone> = {
  sent: 'good',
  waiting: 'waiting',
  skipped: 'still',
  expired: 'still',
  failed: 'bad',
};

export function IssueStatus({ state }: { state: string }) {
  const t = useText('recurring');
  return <Status tone={issueTones[state] ?? 'still'}>{t.of('state', state)}</Status>;
}

export function RecurringStatus({ status }: { status: string }) {
  const t = useText('recurring');
  return <Status tone={status === 'active' ? 'busy' : 'waiting'}>{t.of('status', status)}</Status>;
}
