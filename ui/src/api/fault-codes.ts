// The numbers of the faults that a screen treats in its own way. A wrong one does not compile.
import type { faults } from '../../../src/base/faults.ts';

type Name = 'ADDRESS_UNKNOWN' | 'CAMPAIGN_CHANGED' | 'CAMPAIGN_STATE_CONFLICT' | 'CONFIRMATION_NEEDED' | 'LIST_UNKNOWN';

export const faultCodes: { readonly [N in Name]: (typeof faults)[N][0] } = {
  ADDRESS_UNKNOWN: 232,
  CAMPAIGN_CHANGED: 322,
  CAMPAIGN_STATE_CONFLICT: 313,
  CONFIRMATION_NEEDED: 137,
  LIST_UNKNOWN: 200,
};
