// Confirming a subscription (double opt-in). GET shows, POST does: a program that follows links confirms nothing. A script posts the form
// once a person looks at the page (confirming.js), so that the click in the email is enough.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { onBehalf } from '../accounts/account/system-context.ts';
import { parseAddress } from '../audience/address.ts';
import { pendingLists } from '../audience/members/pending.ts';
import { confirm } from '../audience/members/subscribe.ts';
import { findSubscription, type Subscription } from '../audience/members/subscription.ts';
import { readerName } from '../audience/model/reader-name.ts';
import { suppressionFor } from '../audience/model/suppression.ts';
import { openedToken, readOpenedToken } from '../audience/signup/form.ts';
import { fillTags, textsOf } from '../audience/signup/texts.ts';
import type { App, Context } from '../base/context.ts';
import { html } from '../base/html.ts';
import { archiveIndexUrl } from '../campaigns/model/archive-address.ts';
import { readArchive } from '../campaigns/public-archive/archive.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { languageFor, listed, text } from '../locales/text.ts';
import { isConfirmedFor } from '../tracking/confirm-token.ts';
import { tokensOf } from '../tracking/token-secret.ts';
import type { SubscriptionIds } from '../tracking/tokens.ts';
import { archiveTitle } from './archives.ts';
import { badLink, browserLanguage, pageScript, show } from './page/answers.ts';
import type { Sender } from './page/page.ts';
import { senderOf } from './page/sender.ts';

export function addConfirmationPages(server: FastifyInstance, app: App) {
  const tokenOf = (request: { params: unknown }) => (request.params as { token: string }).token;

  server.get('/confirm/:token', async (request, reply) => {
    const ids = tokensOf(app).readSubscription('confirm', tokenOf(request));
    if (!ids) return badLink(reply);
    const known = await onBehalf(app, ids.account, request.ip, (context) => knownTo(context, ids));
    return isPending(known, ids) ? ask(reply, known, ids) : over(reply, known);
  });

  server.post('/confirm/:token', async (request, reply) => {
    const ids = tokensOf(app).readSubscription('confirm', tokenOf(request));
    if (!ids) return badLink(reply);
    const given = (request.body ?? {}) as Record<string, string>;
    const how = given.how === 'automatic' || given.how === 'button' ? given.how : 'one_click';
    const wasSeen = readOpenedToken(app, keyOf(ids), given.LOOK ?? '', Date.now()).kind === 'fine';
    const result = await onBehalf(app, ids.account, request.ip, async (context) => {
      const known = await knownTo(context, ids);
      // What claims to be the page, and was never shown long enough to be, asks again.
      if (!isPending(known, ids) || (how === 'automatic' && !wasSeen)) return { known, done: false };
      let done = false;
      for (const listId of ids.lists)
        if (await confirm(context, listId, ids.contact, { ip: request.ip, how })) done = true;
      return { known, done, isBlocked: done && (await isBlocked(context, known)) };
    });
    const known = result?.known;
    if (!result?.done) return isPending(known, ids) ? ask(reply, known, ids) : over(reply, known);
    return result.isBlocked ? blocked(reply, known!) : thank(reply, known!, ids);
  });

  function ask(reply: FastifyReply, known: Known, ids: SubscriptionIds) {
    const { language, textOf, sender } = known;
    return show(reply, {
      language,
      title: textOf('confirm.title'),
      sender,
      body: html`${askBody(textOf, openedToken(app, keyOf(ids), Date.now()))}
<p id="confirming" class="soft" role="status" hidden>${text(language, 'confirm.soon')}</p>`,
      script,
    });
  }

  async function thank(reply: FastifyReply, { language, textOf, sender }: Known, ids: SubscriptionIds) {
    const { unsubscribe, choices } = tokensOf(app).tokens({ ...ids, campaign: 0, seq: 0 });
    const archive = await readArchive(app, { id: ids.account }, 0);
    const isWorthReading = archive !== undefined && archive.campaigns.length > 0;
    return show(reply, {
      language,
      title: text(language, 'confirm.done-title'),
      sender,
      body: doneBody(language, textOf, {
        unsubscribe: reply.server.publicPath(`/u/${unsubscribe}`),
        preferences: reply.server.publicPath(`/p/${choices}`),
        ...(isWorthReading && {
          archive: { url: archiveIndexUrl(app, ids.account, archive.slug), title: archiveTitle(archive, language) },
        }),
      }),
    });
  }
}

type TextOf = (name: 'confirm.title' | 'confirm.ask' | 'confirm.button' | 'confirm.done') => string;

export const askBody = (textOf: TextOf, token: string) =>
  html`<p>${textOf('confirm.ask')}</p><form method="post"><input type="hidden" name="how" value="button"><input type="hidden" name="LOOK" value="${token}"><button>${textOf('confirm.button')}</button></form>`;

/** Where one may go from there. The archive is offered if it has something to read until the first email comes. */
type Onward = { unsubscribe: string; preferences: string; archive?: { url: string; title: string } };

export const doneBody = (language: string, textOf: TextOf, { unsubscribe, preferences, archive }: Onward) =>
  html`<p>${textOf('confirm.done')}</p>${archive && html`<p class="after"><a href="${archive.url}">${archive.title}</a></p>`}<p class="soft"><a href="${preferences}">${text(language, 'profile.title')}</a> · <a href="${unsubscribe}">${text(language, 'unsubscribe.button')}</a></p>`;

const script = pageScript(readFileSync(join(import.meta.dirname, 'confirming.js'), 'utf8'));

/** What the time at which the page was shown is signed for. */
const keyOf = ({ account, contact, lists }: SubscriptionIds) => `confirm ${[account, contact, ...lists].join('.')}`;

const isPending = (known: Known | undefined, ids: SubscriptionIds): known is Known =>
  known?.subscription.status === 'pending' && isConfirmedFor(ids, known.subscription.email);

function over(reply: FastifyReply, known: Known | undefined) {
  const language = known?.language ?? browserLanguage(reply);
  return show(reply, {
    language,
    title: known?.textOf('confirm.title') ?? text(language, 'confirm.title'),
    sender: known?.sender,
    body: html`<p>${text(language, 'confirm.over')}</p>`,
  });
}

/** Confirming lifts an earlier unsubscribe, and nothing else: an address that bounced or complained still gets no email. */
async function isBlocked(context: Context, { subscription }: Known): Promise<boolean> {
  const address = parseAddress(subscription.email);
  return address.ok && (await suppressionFor(context, address)) !== undefined;
}

function blocked(reply: FastifyReply, { language, sender, subscription }: Known) {
  return show(reply, {
    language,
    title: text(language, 'confirm.blocked-title'),
    sender,
    body: html`<p>${text(language, 'confirm.blocked', { email: subscription.email })}</p>`,
  });
}

type Known = {
  subscription: Subscription;
  language: string;
  sender: Sender | undefined;
  textOf: TextOf;
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
    select ${readerName(sql`l`)} as name, default_language as language from list l where account_id = ${context.account.id} and id = ${listId}`);
}
