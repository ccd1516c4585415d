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

export function RecurringStatus({ recurring }: { recurring: Pick<Listed, 'status' | 'started' | 'latest'> }) {
  const t = useText('recurring');
  if (isUnstarted(recurring)) return <Status tone="still">{t('notStarted')}</Status>;
  return <Status tone={recurring.status === 'active' ? 'good' : 'waiting'}>{t(`status.${recurring.status}`)}</Status>;
}

/** It is created paused, and has no issue made by hand yet. */
export const isUnstarted = ({ status, started, latest }: Pick<Listed, 'status' | 'started' | 'latest'>): boolean =>
  status === 'paused' && !started && latest.length === 0;
