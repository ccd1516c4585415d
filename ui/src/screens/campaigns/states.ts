// The states of a campaign in display order, and their tones.
import type { ResultOf } from '../../api/types.ts';
import type { Tone } from '../../parts/status/status.tsx';

export type CampaignState = ResultOf<'campaignGet'>['delivery_status'];

export const toneOf: Record<CampaignState, Tone> = {
  draft: 'still',
  scheduled: 'planned',
  launching: 'busy',
  sending: 'busy',
  paused: 'waiting',
  sent: 'good',
};

export const campaignStates = Object.keys(toneOf) as CampaignState[];

/** A state in a URL. */
export const isCampaignState = (text: string | undefined): text is CampaignState =>
  text !== undefined && Object.hasOwn(toneOf, text);
