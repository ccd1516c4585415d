// Templates of automations: a trigger and steps to begin with, and drafts of their emails in the language of the list.

import { fieldsOf } from '../audience/model/field.ts';
import type { Context } from '../base/context.ts';
import { escapeHtml } from '../base/html.ts';
import { languageOf, type MessageKey, type MessageLanguage, renderMessage } from '../base/messages.ts';
import { newDraft } from '../campaigns/draft/create.ts';
import type { AutoSettings } from '../campaigns/model/autoresponder.ts';
import { automatedEmail, type Beginning } from '../campaigns/starter/automated.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { languageFor, text } from '../locales/text.ts';
import type { Definition } from './model/definition.ts';
import type { Step } from './steps/steps.ts';

export const templateNames = ['welcome', 'reengagement', 'anniversary', 'abandoned_cart'] as const;
export type TemplateName = (typeof templateNames)[number];

type Words = Extract<MessageKey, `automation.template.${string}`>;
type Draft = 'welcome' | 'second' | 'stay' | 'anniversary' | 'cart' | 'cart-again';

/** @returns the definition, its emails created as drafts of the list */
export async function fillTemplate(context: Context, list: number, name: TemplateName): Promise<Definition> {
  const ofOwner: MessageLanguage = languageOf(context.account.language);
  const say = (key: Words) => renderMessage({ key, values: {} }, ofOwner);
  const language = await languageOfReaders(context, list);
  const email = async (key: string, draft: Draft): Promise<Step> => {
    const subject = text(language, `automation.${draft}-subject`);
    const ofCart = name === 'abandoned_cart' ? cartHtml(text(language, 'automation.cart-link')) : '';
    const written = { words: text(language, `automation.${draft}`), more: ofCart };
    return { key, type: 'send', campaign: await createEmail(context, list, { subject, written, language }) };
  };
  const wait = (key: string, amount: number, unit: 'hours' | 'days'): Step => ({ key, type: 'wait', amount, unit });
  const once = { again: false, days: 0 };
  switch (name) {
    case 'welcome':
      return {
        trigger: { type: 'subscribed', imports: false },
        reentry: once,
        goal: null,
        steps: [
          await email('s1', 'welcome'),
          wait('s2', 3, 'days'),
          { key: 's3', type: 'wait_until', weekdays: [1, 2, 3, 4, 5], hour: 9, minute: 0 },
          await email('s4', 'second'),
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
          await email('s1', 'stay'),
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
        steps: [await email('s1', 'anniversary')],
      };
    }
    // The events of incoming webhooks of shops, and their data.
    case 'abandoned_cart':
      return {
        trigger: { type: 'event', name: 'checkout.started' },
        reentry: { again: true, days: 1 },
        goal: { event: 'order.created', match: 'all', filter: [] },
        steps: [
          wait('s1', 1, 'hours'),
          await email('s2', 'cart'),
          wait('s3', 1, 'days'),
          await email('s4', 'cart-again'),
        ],
      };
  }
}

/** The items in the cart of an event, and the way back to it. */
const cartHtml = (link: string): string =>
  `<ul>*|EACH:EVENT:items|*<li>*|ITEM:name|**|IF:ITEM:quantity>1|* (*|ITEM:quantity|*)*|END:IF|*</li>*|END:EACH|*</ul>*|IF:EVENT:cart_url|*<p><a href="*|EVENT:cart_url|*">${escapeHtml(link)}</a></p>*|END:IF|*`;

type NewEmail = { subject: string; written: Beginning; language?: string };

/** Makes a draft of an email in the brand, from the sender of the list. @returns its public id */
export async function createEmail(
  context: Context,
  list: number,
  { subject, written, language }: NewEmail,
): Promise<string> {
  const { tx, account } = context;
  const html = await automatedEmail(tx, account.id, language ?? (await languageOfReaders(context, list)), written);
  const { name } = (await tx.row<{ name: string }>(sql`
    select name from list where account_id = ${account.id} and id = ${list}`))!;
  const cid = await newDraft(context, { list, subject, html, fallbackName: name, ...(language && { language }) });
  // From the start: it must not go to the whole list by mistake.
  await tx.run(sql`
    update campaign
    set type = 'auto', auto = ${JSON.stringify(emailSettings)}
    where account_id = ${account.id}
      and id = ${parseId(cid)}`);
  return cid;
}

/** The language that a list writes to its readers in, of those that there are texts in. */
async function languageOfReaders({ tx, account }: Context, list: number): Promise<string> {
  const row = await tx.row<{ language: string }>(sql`
    select default_language as language from list where account_id = ${account.id} and id = ${list}`);
  return languageFor(row?.language, account.language);
}

/** In place of the occasions of an autoresponder: the email of a step. */
export const emailSettings: AutoSettings = { units: 'day', time: 0, direction: 'after', event: 'automation', tag: '' };

/** The first date field of the list; '' if it has none. */
async function dateFieldOf(context: Context, list: number): Promise<string> {
  return (await fieldsOf(context, list)).find(({ type }) => type === 'date')?.tag ?? '';
}
