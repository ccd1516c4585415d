// Confirming a subscription (double opt-in). GET shows, POST does.
import type { FastifyInstance } from 'fastify';
import { onBehalf } from '../../accounts/system-context.ts';
import { pendingLists } from '../../audience/members/pending.ts';
import { confirm } from '../../audience/members/subscribe.ts';
import { findSubscription, type Subscription } from '../../audience/members/subscription.ts';
import { fillTags, textsOf } from '../../audience/signup/texts.ts';
import type { App, Context } from '../../base/context.ts';
import { html } from '../../base/html.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { languageFor, listed, text } from '../../locales/text.ts';
import { isConfirmedFor } from '../../tracking/confirm-token.ts';
import { tokensOf } from '../../tracking/token-secret.ts';
import type { SubscriptionIds } from '../../tracking/tokens.ts';
import { badLink, browserLanguage, show } from '../answers.ts';
import type { Sender } from '../page.ts';
import { senderOf } from '../sender.ts';

export function addConfirmationPages(server: FastifyInstance, app: App) {
  const tokenOf = (request: { params: unknown }) => (request.params as { token: string }).token;

  server.get('/confirm/:token', async (request, reply) => {
    const ids = tokensOf(app).readSubscription('confirm', tokenOf(request));
    if (!ids) return badLink(reply);
    const known = await onBehalf(app, ids.account, request.ip, (context) => knownTo(context, ids));
    const language = known?.language ?? browserLanguage(reply);
    const pending = known?.subscription.status === 'pending' && isConfirmedFor(ids, known.subscription.email);
    return show(reply, {
      language,
      title: known?.textOf('confirm.title') ?? text(language, 'confirm.title'),
      sender: known?.sender,
      body:
        known && pending
          ? html`<p>${known.textOf('confirm.ask')}</p><form method="post"><button>${known.textOf('confirm.button')}</button></form>`
          : html`<p>${text(language, 'confirm.over')}</p>`,
    });
  });

  server.post('/confirm/:token', async (request, reply) => {
    const ids = tokensOf(app).readSubscription('confirm', tokenOf(request));
    if (!ids) return badLink(reply);
    const result = await onBehalf(app, ids.account, request.ip, async (context) => {
      const known = await knownTo(context, ids);
      if (!known) return undefined;
      const isTheirs = isConfirmedFor(ids, known.subscription.email);
      let done = false;
      for (const listId of isTheirs ? ids.lists : [])
        if (await confirm(context, listId, ids.contact, request.ip)) done = true;
      return { known, done };
    });
    const language = result?.known.language ?? browserLanguage(reply);
    return show(reply, {
      language,
      title: text(language, result?.done ? 'confirm.done-title' : 'confirm.title'),
      sender: result?.known.sender,
      body: html`<p>${result?.done ? result.known.textOf('confirm.done') : text(language, 'confirm.over')}</p>`,
    });
  });
}

type Known = {
  subscription: Subscription;
  language: string;
  sender: Sender | undefined;
  textOf(name: 'confirm.title' | 'confirm.ask' | 'confirm.button' | 'confirm.done'): string;
};

/** The first list of the token that waits for the confirmation, otherwise the first that the contact is on; texts name all that wait. */
async function knownTo(context: Context, ids: SubscriptionIds): Promise<Known | undefined> {
  const { account, contact } = ids;
  const waiting = await pendingLists(context.tx, { account, contact, lists: ids.lists });
  for (const listId of [...waiting.map(({ id }) => id), ...ids.lists]) {
    const list = await listOf(context, listId);
    const subscription = list && (await findSubscription(context, listId, formatId(contact)));
    if (!list || !subscription) continue;
    const language = languageFor(subscription.language, list.language, context.account.language);
    const texts = await textsOf(context.tx, context.account.id, listId, language);
    const names = waiting.length === 0 ? [list.name] : waiting.map(({ name }) => name);
    const values = { 'LIST:NAME': listed(names, language), EMAIL: subscription.email };
    const sender = await senderOf(context.tx, context.account.id, listId);
    return { subscription, language, sender, textOf: (name) => fillTags(texts(name), values, 'plain') };
  }
  return undefined;
}

async function listOf(context: Context, listId: number): Promise<{ name: string; language: string } | undefined> {
  return context.tx.row(sql`
    select name, default_language as language from list where account_id = ${context.account.id} and id = ${listId}`);
}
