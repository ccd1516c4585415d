// Leaving. GET asks and changes nothing; POST unsubscribes: by the button of the page, with a reason if the person gives
// one, or by a mail program with one click and no cookie (RFC 8058), as often as it likes.
import type { FastifyInstance } from 'fastify';
import { onBehalf } from '../accounts/system-context.ts';
import { autoMessagesOf, findSubscription } from '../audience/members/subscription.ts';
import { unsubscribe } from '../audience/members/unsubscribe.ts';
import { fillTags, textsOf } from '../audience/signup/texts.ts';
import type { App, Context } from '../base/context.ts';
import { html } from '../base/html.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { languageFor, text } from '../locales/text.ts';
import { tokensOf } from '../tracking/token-secret.ts';
import type { SubscriptionIds } from '../tracking/tokens.ts';
import { badLink, show } from './answers.ts';

/** What a person may choose as the reason; stored as it is named here, with what was typed behind it. */
const reasons = {
  'too many mails': 'unsubscribe.why-many',
  'not of interest': 'unsubscribe.why-content',
  'never subscribed': 'unsubscribe.why-never',
  other: 'unsubscribe.why-other',
} as const;

const maxReasonLength = 500;

export function addUnsubscribePages(server: FastifyInstance, app: App) {
  const tokenOf = (request: { params: unknown }) => (request.params as { token: string }).token;

  server.get('/u/:token', async (request, reply) => {
    const ids = tokensOf(app).readSubscription('unsubscribe', tokenOf(request));
    if (!ids) return badLink(reply);
    const known = await onBehalf(app, ids.account, request.ip, (context) => knownTo(context, ids));
    const language = known?.language ?? 'en';
    const title = text(language, 'unsubscribe.title');
    // Not the profile: the unsubscribe address is in a header that others read, such as those who handle complaints.
    const { choices } = tokensOf(app).tokens({ ...ids, seq: 0 });
    return show(
      reply,
      200,
      language,
      title,
      html`<h1>${title}</h1>
<p>${known ? text(language, 'unsubscribe.ask', known) : text(language, 'unsubscribe.ask-plain')}</p>
<form method="post"><fieldset><legend>${text(language, 'unsubscribe.reason')}</legend>
${Object.entries(reasons).map(([value, key]) => html`<label class="pick"><input type="radio" name="why" value="${value}"> ${text(language, key)}</label>`)}
<label>${text(language, 'unsubscribe.more')} <textarea name="reason" rows="2" maxlength="${maxReasonLength}"></textarea></label></fieldset>
<button>${text(language, 'unsubscribe.button')}</button></form>
${known ? html`<p class="after"><a href="/p/${choices}">${text(language, 'unsubscribe.rather')}</a></p>` : ''}`,
    );
  });

  server.post('/u/:token', async (request, reply) => {
    const ids = tokensOf(app).readSubscription('unsubscribe', tokenOf(request));
    if (!ids) return badLink(reply);
    const reason = reasonOf(request.body);
    const done = await onBehalf(app, ids.account, request.ip, async (context) => {
      const known = await knownTo(context, ids);
      for (const listId of ids.lists) {
        const subscription = await findSubscription(context, listId, formatId(ids.contact));
        if (!subscription) continue;
        await unsubscribe(context, subscription, {
          source: 'subscriber',
          ip: request.ip,
          ...(ids.campaign > 0 ? { campaignId: ids.campaign } : {}),
          ...(reason === '' ? {} : { reason }),
          sendGoodbye: (await autoMessagesOf(context, listId)).goodbye,
        });
      }
      if (!known) return undefined;
      const texts = await textsOf(context.tx, ids.account, known.listId, known.language);
      return { ...known, doneText: fillTags(texts('unsubscribe.done'), { 'LIST:NAME': known.list }, 'plain') };
    });
    const language = done?.language ?? 'en';
    const title = text(language, 'unsubscribe.done-title');
    return show(
      reply,
      200,
      language,
      title,
      html`<h1>${title}</h1>
<p>${done ? done.doneText : text(language, 'unsubscribe.done-plain')}</p>`,
    );
  });
}

/** The first list of the token that the contact is on. */
async function knownTo(context: Context, ids: SubscriptionIds) {
  for (const listId of ids.lists) {
    const subscription = await findSubscription(context, listId, formatId(ids.contact));
    if (!subscription) continue;
    const list = await context.tx.row<{ name: string; language: string }>(sql`
      select name, default_language as language from list where account_id = ${ids.account} and id = ${listId}`);
    return {
      listId,
      list: list!.name,
      email: subscription.email,
      language: languageFor(subscription.language, list!.language),
    };
  }
  return undefined;
}

function reasonOf(body: unknown): string {
  const { why, reason } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const chosen = typeof why === 'string' && Object.hasOwn(reasons, why) ? why : '';
  const typed = typeof reason === 'string' ? reason.replaceAll('\0', '').trim().slice(0, maxReasonLength) : '';
  return [chosen, typed].filter((part) => part !== '').join(': ');
}
