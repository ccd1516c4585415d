// A campaign as the API returns it.
import type { ResultOf } from '../../api/types.ts';

export type Campaign = ResultOf<'campaigns'>[number];

/** A scheduled or paused campaign can be changed, and an autoresponder; when some have received it, only its texts. */
export const isChangeable = ({ delivery_status: state, type }: Campaign): boolean =>
  state === 'scheduled' || state === 'paused' || (state === 'sending' && type === 'auto');
