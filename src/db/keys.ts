// How code names a row: by the ids that it has in its table, together, so that two numbers cannot be swapped.

export type CampaignKey = { account: number; campaign: number };
