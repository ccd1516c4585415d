// The status of a member as a chip.
import { Status } from '../../parts/status/status.tsx';
import { useText } from '../../text/use-text.tsx';
import { type MemberState, memberTones } from './states.ts';

export function MemberStatus({ state }: { state: MemberState }) {
  const t = useText('lists');
  return <Status tone={memberTones[state]}>{t(`state.${state}`)}</Status>;
}
