// A campaign as the API returns it.
import type { ResultOf } from '../../api/types.ts';

export type Campaign = ResultOf<'campaigns'>[number];

/** A scheduled campaign can be changed, and a paused one that no one has received. */
export const isChangeable = ({ delivery_status: state, emails_sent }: Campaign): boolean =>
  state === 'scheduled' || (state === 'paused' && emails_sent === 0);
