// The state of a webhook as a chip.
import type { ResultOf } from '../../api/types.ts';
import { Status } from '../../parts/status/status.tsx';
import { useText } from '../../text/use-text.tsx';
import { stateOf, stateTones } from './states.ts';

export type Webhook = ResultOf<'webhooks'>[number];

export function HookStatus({ hook }: { hook: Webhook }) {
  const t = useText('webhooks');
  const state = stateOf(hook);
  return <Status tone={stateTones[state]}>{t(`state.${state}`)}</Status>;
}
