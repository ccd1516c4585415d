// THE list of what each slice does when a contact is erased, in the order of a worker that writes a bounce: the recipient, then
// what follows from it. The audience's own tables are in audience/erase.
import { auditErasure } from './accounts/audit/erase.ts';
import { automationErasure } from './automations/erase.ts';
import type { ErasurePart } from './base/erasure.ts';
import { campaignErasure } from './campaigns/erase.ts';
import { deliveryErasure } from './delivery/erase.ts';
import { inboxErasure } from './inbox/erase.ts';
import { messageErasure } from './messages/erase.ts';
import { migrationErasure } from './migration/erase.ts';
import { returnedErasure } from './returned/erase.ts';
import { trackingErasure } from './tracking/erase.ts';
import { webhookErasure } from './webhooks/erase.ts';

export const erasureParts: readonly ErasurePart[] = [
  trackingErasure,
  returnedErasure,
  deliveryErasure,
  messageErasure,
  campaignErasure,
  automationErasure,
  webhookErasure,
  migrationErasure,
  inboxErasure,
  auditErasure,
];
