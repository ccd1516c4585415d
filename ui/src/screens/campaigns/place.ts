// Where a campaign opens: a draft in the composer, one that was started in its report.
type Campaign = { id: string; delivery_status: string };

export const isAhead = ({ delivery_status: state }: Campaign): boolean => state === 'draft' || state === 'scheduled';

export const placeOf = (campaign: Campaign): string =>
  isAhead(campaign) ? `/campaigns/${campaign.id}/edit` : `/campaigns/${campaign.id}`;
