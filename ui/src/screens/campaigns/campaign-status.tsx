// The state of a campaign, as a status.
import { Status } from '../../parts/status/status.tsx';
import { useText } from '../../text/use-text.tsx';
import { type CampaignState, toneOf } from './states.ts';
import { UndoSend } from './undo-send.tsx';

type Props = {
  campaign: { id: string; delivery_status: CampaignState; type: string; undo_seconds_left: number };
  /** Without the button that undoes a start. */
  timeOnly?: boolean | undefined;
  /** The other recipients wait for the result of its A/B test. */
  inTest?: boolean | undefined;
};

/** The state of a campaign; an autoresponder that is running is active, not being sent. A start that can be undone has the button. */
export function CampaignStatus({
  campaign: { id, type, delivery_status: state, undo_seconds_left },
  timeOnly,
  inTest,
}: Props) {
  const t = useText('campaigns');
  const isActive = type === 'auto' && state === 'sending';
  const word = isActive ? 'active' : inTest && state === 'sending' ? 'inTest' : (`state.${state}` as const);
  const status = <Status tone={isActive ? 'good' : toneOf[state]}>{t(word)}</Status>;
  if (state !== 'launching' || undo_seconds_left === 0) return status;
  return (
    <UndoSend id={id} type={type} seconds={undo_seconds_left} timeOnly={timeOnly}>
      {status}
    </UndoSend>
  );
}
