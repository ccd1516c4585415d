// Where a campaign opens: a draft in the composer, one that was started in its report.
import type { Target } from '../../parts/link.tsx';

type Campaign = { id: string; delivery_status: string };

export const isAhead = ({ delivery_status: state }: Campaign): boolean => state === 'draft' || state === 'scheduled';

export const placeOf = (campaign: Campaign): Target => ({
  to: isAhead(campaign) ? '/campaigns/$id/edit' : '/campaigns/$id',
  params: { id: campaign.id },
});
