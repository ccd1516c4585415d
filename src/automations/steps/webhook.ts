// Reports the event automation.step to webhooks, with the fields of the contact.
import { z } from 'zod';
import { message } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { emit } from '../../events/emit.ts';
import { formatDate } from '../../method/date.ts';
import { line } from '../../method/params.ts';
import { done, stepKind } from './kind.ts';

export const webhook = stepKind({
  type: 'webhook',
  about: '(the event automation.step)',
  members: { name: z.string() },
  settings: { name: line('webhook: a name that the receiver gets.', 100).optional() },
  read: ({ name = '' }) => ({ name: name.trim() }),
  problem: (_context, _draft, { name }) => (name === '' ? message('automation.name_missing') : undefined),
  async carryOut(context, of, step, due) {
    const fields = await context.tx.rows<{ contact: number; fields: Record<string, string> }>(sql`
      select contact_id as contact, fields
      from subscription
      where account_id = ${context.account.id}
        and list_id = ${of.list}
        and contact_id = any (${due.map(({ contact }) => contact)}::int[])`);
    const fieldsOf = new Map(fields.map((row) => [row.contact, row.fields]));
    await emit(
      context.tx,
      context.account.id,
      due.map(({ contact, email }) => ({
        type: 'automation.step',
        source: 'admin',
        listId: of.list,
        data: {
          automation: formatId(of.automation),
          title: of.title,
          step: step.key,
          name: step.name,
          contact: formatId(contact),
          list: formatId(of.list),
          email,
          fields: { EMAIL: email, ...fieldsOf.get(contact) },
          ts: formatDate(context.now),
        },
      })),
    );
    return done;
  },
});
