// The status of a member as a chip.
import { Status } from '../../parts/status/status.tsx';
import { useText } from '../../text/use-text.tsx';
import { type MemberState, toneOfMember } from './states.ts';

export function MemberStatus({ state }: { state: string }) {
  const t = useText('lists');
  return <Status tone={toneOfMember(state)}>{t(`state.${state as MemberState}`)}</Status>;
}
