// The states of a recurring campaign and of an issue as chips.
import { Status, type Tone } from '../../parts/status/status.tsx';
import { useText } from '../../text/use-text.tsx';
import type { Issue, Listed } from './types.ts';

const issueTones: Record<Issue['state'], Tone> = {
  sent: 'good',
  waiting: 'waiting',
  skipped: 'still',
  expired: 'still',
  failed: 'bad',
};

export function IssueStatus({ state }: { state: Issue['state'] }) {
  const t = useText('recurring');
  return <Status tone={issueTones[state]}>{t(`state.${state}`)}</Status>;
}

export function RecurringStatus({ status }: { status: Listed['status'] }) {
  const t = useText('recurring');
  return <Status tone={status === 'active' ? 'busy' : 'waiting'}>{t(`status.${status}`)}</Status>;
}
