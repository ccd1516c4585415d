// Another service sends a request to the URL of the automation (automation-webhook.ts).
import { z } from 'zod';
import { message } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { line } from '../../method/params.ts';
import { triggerKind } from './kind.ts';

export const webhook = triggerKind({
  type: 'webhook',
  about: '(a request to the URL of automationWebhookUrl)',
  members: { member: z.string() },
  settings: {
    member: line(
      'webhook: the member of a request that has the email address, such as customer.email; email when left out.',
      100,
    ).optional(),
  },
  read: ({ member = '' }) => ({ member: member.trim() }),
  async problem({ tx, account }, { automation }) {
    const webhook = await tx.row(sql`
      select
      from automation_webhook
      where account_id = ${account.id}
        and automation_id = ${automation}`);
    return webhook ? undefined : message('automation.webhook_missing');
  },
});
