// The state of a campaign, as a status.
import { Status } from '../../parts/status/status.tsx';
import { useText } from '../../text/use-text.tsx';
import { type CampaignState, toneOf } from './states.ts';

/** The state of a campaign; an autoresponder that is running is active, not being sent. */
export function CampaignStatus({ campaign }: { campaign: { delivery_status: string; type: string } }) {
  const t = useText('campaigns');
  const state = campaign.delivery_status as CampaignState;
  const isActive = campaign.type === 'auto' && state === 'sending';
  return <Status tone={toneOf[state]}>{t(isActive ? 'active' : `state.${state}`)}</Status>;
}
