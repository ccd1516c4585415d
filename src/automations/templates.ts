// Templates of automations: a trigger and steps to begin with, and drafts of their emails in the account's language.

import { fieldsOf } from '../audience/model/field.ts';
import type { Context } from '../base/context.ts';
import { escapeHtml } from '../base/html.ts';
import { type MessageKey, type MessageLanguage, renderMessage } from '../base/messages.ts';
import { newDraft } from '../campaigns/draft/create.ts';
import type { AutoSettings } from '../campaigns/model/autoresponder.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import type { Definition } from './model/definition.ts';
import type { Step } from './steps/steps.ts';

export const templateNames = ['welcome', 'reengagement', 'anniversary', 'abandoned_cart'] as const;
export type TemplateName = (typeof templateNames)[number];

type Words = Extract<MessageKey, `automation.template.${string}`>;

/** @returns the definition, its emails created as drafts of the list */
export async function fillTemplate(context: Context, list: number, name: TemplateName): Promise<Definition> {
  const language: MessageLanguage = context.account.language.toLowerCase().startsWith('de') ? 'de' : 'en';
  const say = (key: Words) => renderMessage({ key, values: {} }, language);
  const email = async (key: string, subject: Words, body: Words): Promise<Step> => ({
    key,
    type: 'send',
    campaign: await createEmail(context, list, say(subject), say(body)),
  });
  const wait = (key: string, amount: number, unit: 'hours' | 'days'): Step => ({ key, type: 'wait', amount, unit });
  const once = { again: false, days: 0 };
  switch (name) {
    case 'welcome':
      return {
        trigger: { type: 'subscribed', imports: false },
        reentry: once,
        goal: null,
        steps: [
          await email('s1', 'automation.template.welcome.subject', 'automation.template.welcome.body'),
          wait('s2', 3, 'days'),
          { key: 's3', type: 'wait_until', weekdays: [1, 2, 3, 4, 5], hour: 9, minute: 0 },
          await email('s4', 'automation.template.welcome.second_subject', 'automation.template.welcome.second_body'),
        ],
      };
    case 'reengagement': {
      // Members of some time who have opened nothing for long: the segment is the account's own.
      const reacted = [{ field: 'opened', condition: 'is' as const, value: '14 days' }];
      return {
        trigger: { type: 'segment', segment: '', change: 'joined' },
        reentry: { again: true, days: 180 },
        goal: null,
        steps: [
          await email('s1', 'automation.template.reengagement.subject', 'automation.template.reengagement.body'),
          wait('s2', 14, 'days'),
          {
            key: 's3',
            type: 'condition',
            match: 'all',
            filter: reacted,
            yes: [],
            no: [
              {
                key: 's4',
                type: 'notify',
                subject: say('automation.template.reengagement.notice'),
                text: say('automation.template.reengagement.notice_text'),
              },
            ],
          },
        ],
      };
    }
    case 'anniversary': {
      const field = await dateFieldOf(context, list);
      return {
        trigger: { type: 'date', field, repeat: 'yearly', amount: 0, unit: 'days', direction: 'after', hour: 9 },
        reentry: { again: true, days: 300 },
        goal: null,
        steps: [await email('s1', 'automation.template.anniversary.subject', 'automation.template.anniversary.body')],
      };
    }
    case 'abandoned_cart':
      return {
        trigger: { type: 'event', name: 'cart.abandoned' },
        reentry: { again: true, days: 1 },
        goal: { event: 'order.placed', match: 'all', filter: [] },
        steps: [
          wait('s1', 1, 'hours'),
          await email('s2', 'automation.template.cart.subject', 'automation.template.cart.body'),
          wait('s3', 1, 'days'),
          await email('s4', 'automation.template.cart.second_subject', 'automation.template.cart.second_body'),
        ],
      };
  }
}

/** Makes a draft of an email, from the sender of the list. @returns its public id */
export async function createEmail(context: Context, list: number, subject: string, body: string): Promise<string> {
  const { tx, account } = context;
  const { name } = (await tx.row<{ name: string }>(sql`
    select name from list where account_id = ${account.id} and id = ${list}`))!;
  const cid = await newDraft(context, { list, subject, html: `<p>${escapeHtml(body)}</p>`, fallbackName: name });
  // From the start: it must not go to the whole list by mistake.
  await tx.run(sql`
    update campaign
    set type = 'auto', auto = ${JSON.stringify(emailSettings)}
    where account_id = ${account.id}
      and id = ${parseId(cid)}`);
  return cid;
}

/** In place of the occasions of an autoresponder: the email of a step. */
export const emailSettings: AutoSettings = { units: 'day', time: 0, direction: 'after', event: 'automation', tag: '' };

/** The first date field of the list; '' if it has none. */
async function dateFieldOf(context: Context, list: number): Promise<string> {
  return (await fieldsOf(context, list)).find(({ type }) => type === 'date')?.tag ?? '';
}
