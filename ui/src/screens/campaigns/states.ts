// The states of a campaign in display order, and their tones.
import type { Tone } from '../../parts/status/status.tsx';

export const campaignStates = ['draft', 'scheduled', 'launching', 'sending', 'paused', 'sent'] as const;
export type CampaignState = (typeof campaignStates)[number];

export const toneOf: Record<CampaignState, Tone> = {
  draft: 'still',
  scheduled: 'waiting',
  launching: 'busy',
  sending: 'busy',
  paused: 'waiting',
  sent: 'good',
};

export const isCampaignState = (text: string | undefined): text is CampaignState =>
  campaignStates.includes(text as CampaignState);
