// Leaving. GET asks and changes nothing; POST unsubscribes: by the button of the page, with a reason if the person gives
// one, or by a mail program with one click and no cookie (RFC 8058), as often as it likes. Who leaves which lists is up to
// delivery/leaving; the page says what was done.
import type { FastifyInstance } from 'fastify';
import { onBehalf } from '../accounts/account/system-context.ts';
import type { Subscription } from '../audience/members/subscription.ts';
import { readerName } from '../audience/model/reader-name.ts';
import { type Form, formOfList } from '../audience/signup/form.ts';
import { fillTags, textsOf } from '../audience/signup/texts.ts';
import type { App, Context } from '../base/context.ts';
import { html } from '../base/html.ts';
import { publicPath } from '../base/public-paths.ts';
import { sql } from '../db/connect.ts';
import { concernedByLink, leaveByLink, subscriptionsOf } from '../delivery/leaving/leave.ts';
import { languageFor, text } from '../locales/text.ts';
import { tokensOf } from '../tracking/token-secret.ts';
import type { SubscriptionIds } from '../tracking/tokens.ts';
import { badLink, browserLanguage, show } from './page/answers.ts';
import { senderOf } from './page/sender.ts';
import { comeBack, readReturn, returnToken } from './return.ts';

/** What a person may choose as the reason; stored as it is named here, with what was typed behind it. */
const reasons = {
  'too many mails': 'unsubscribe.why-many',
  'not of interest': 'unsubscribe.why-content',
  'never subscribed': 'unsubscribe.why-never',
  other: 'unsubscribe.why-other',
} as const;

const maxReasonLength = 500;

const tokenOf = (request: { params: unknown }) => (request.params as { token: string }).token;

export function addUnsubscribePages(server: FastifyInstance, app: App) {
  server.get('/u/:token', async (request, reply) => {
    const ids = tokensOf(app).readSubscription('unsubscribe', tokenOf(request));
    if (!ids) return badLink(reply);
    const found = await onBehalf(app, ids.account, request.ip, async (context) => {
      const looked = await lookUp(context, ids);
      return { ...looked, left: looked.hasLeft && looked.known ? await farewell(context, looked.known) : undefined };
    });
    const known = found?.known;
    const language = known?.language ?? found?.language ?? browserLanguage(reply);
    if (found?.left)
      return show(reply, {
        language,
        title: text(language, 'unsubscribe.done-title'),
        sender: found.sender,
        body: leftBody(app, language, found.left.text, { form: found.left.form }),
      });
    // Not the profile: the unsubscribe address is in a header that others read, such as those who handle complaints.
    const { choices } = tokensOf(app).tokens({ ...ids, seq: 0 });
    return show(reply, {
      language,
      title: text(language, 'unsubscribe.title'),
      sender: found?.sender,
      body: html`<p>${known ? text(language, 'unsubscribe.ask', known) : text(language, 'unsubscribe.ask-plain')}</p>
<form method="post"><fieldset><legend>${text(language, 'unsubscribe.reason')}</legend>
${Object.entries(reasons).map(([value, key]) => html`<label class="pick"><input type="radio" name="why" value="${value}"> ${text(language, key)}</label>`)}
<label>${text(language, 'unsubscribe.more')} <textarea name="reason" rows="2" maxlength="${maxReasonLength}"></textarea></label></fieldset>
<button>${text(language, 'unsubscribe.button')}</button></form>
${found?.hasContact ? html`<p class="after"><a href="${publicPath(app, `/p/${choices}`)}">${text(language, 'unsubscribe.rather')}</a></p>` : ''}`,
    });
  });

  server.post('/u/:token', async (request, reply) => {
    const ids = tokensOf(app).readSubscription('unsubscribe', tokenOf(request));
    if (!ids) return badLink(reply);
    const reason = reasonOf(request.body);
    const done = await onBehalf(app, ids.account, request.ip, async (context) => {
      const how = {
        ip: request.ip,
        ...(ids.campaign > 0 ? { campaignId: ids.campaign } : {}),
        ...(reason === '' ? {} : { reason }),
      };
      const { known: isKnown, ended } = await leaveByLink(context, ids, how, true);
      const found = await lookUp(context, ids);
      const back = ended.length > 0 ? returnToken(app, ids.account, ended, Date.now()) : undefined;
      return { ...found, isKnown, back, ...(found.known && (await farewell(context, found.known))) };
    });
    const language = done?.known?.language ?? done?.language ?? browserLanguage(reply);
    // Nothing was changed, so the page does not claim it.
    if (done?.isKnown === false)
      return show(reply, {
        status: 410,
        language,
        title: text(language, 'unsubscribe.title'),
        sender: done.sender,
        body: html`<p>${text(language, 'unsubscribe.unknown')}</p>`,
      });
    return show(reply, {
      language,
      title: text(language, 'unsubscribe.done-title'),
      sender: done?.sender,
      body: leftBody(app, language, done?.text ?? text(language, 'unsubscribe.done-plain'), {
        form: done?.form,
        ...(done?.known &&
          done.back && { back: { list: done.known.list, path: backPath(app, ids), token: done.back } }),
      }),
    });
  });
  addWayBack(server, app);
}

/** The button that takes it back at once. */
function addWayBack(server: FastifyInstance, app: App) {
  server.post('/u/:token/back', async (request, reply) => {
    const ids = tokensOf(app).readSubscription('unsubscribe', tokenOf(request));
    if (!ids) return badLink(reply);
    const { BACK } = (request.body ?? {}) as Record<string, unknown>;
    const ended = readReturn(app, ids.account, typeof BACK === 'string' ? BACK : '', Date.now());
    const isBack = await comeBack(app, ids.account, ended, request.ip);
    const found = await onBehalf(app, ids.account, request.ip, async (context) => {
      const { known, sender, language } = await lookUp(context, ids);
      return { known, sender, language, ...(known && (await farewell(context, known))) };
    });
    const language = found?.known?.language ?? found?.language ?? browserLanguage(reply);
    if (!found?.known || !isBack)
      return show(reply, {
        status: 410,
        language,
        title: text(language, 'link.gone-title'),
        sender: found?.sender,
        body: leftBody(app, language, text(language, 'link.gone'), { form: found?.form }),
      });
    const { list, email } = found.known;
    const { choices } = tokensOf(app).tokens({ ...ids, campaign: 0, seq: 0 });
    return show(reply, {
      language,
      title: text(language, 'confirm.done-title'),
      sender: found.sender,
      body: html`<p>${text(language, 'confirm.done', { list, email })}</p><p class="soft"><a href="${publicPath(app, `/p/${choices}`)}">${text(language, 'profile.title')}</a></p>`,
    });
  });
}

const backPath = (app: App, ids: SubscriptionIds) =>
  publicPath(app, `/u/${tokensOf(app).tokens({ ...ids, seq: 0 }).unsubscribe}/back`);

type Ways = {
  /** The form that subscribes again, if there is one. */
  form: Form | undefined;
  /** The button that takes it back at once. */
  back?: { list: string; path: string; token: string };
};

export const leftBody = (app: App, language: string, said: string, { form, back }: Ways) => {
  if (back)
    return html`<p>${said}</p>
<form method="post" action="${back.path}"><input type="hidden" name="BACK" value="${back.token}"><button class="quiet">${text(language, 'form.title', { list: back.list })}</button></form>`;
  return html`<p>${said}</p>
${form ? html`<p class="after"><a href="${publicPath(app, `/subscribe/${form.key}`)}?ln=${language}">${form.text('form.title')}</a></p>` : ''}`;
};

/**
 * Who sends; the list and contact of a link while there are both; else the language of a contact that it concerns, and whether
 * there is one.
 */
async function lookUp(context: Context, ids: SubscriptionIds) {
  const concerned = await concernedByLink(context, ids);
  const subscriptions = await subscriptionsOf(context, concerned, ids.lists);
  const [first] = subscriptions;
  const known = first && (await knownOf(context, first));
  const contact = concerned.contacts[0]?.id;
  return {
    known,
    hasContact: contact !== undefined,
    hasLeft: first !== undefined && (await haveLeft(context, subscriptions)),
    language: known || contact === undefined ? undefined : await languageOf(context, contact),
    sender: await senderOf(context.tx, ids.account, known?.listId),
  };
}

/** Whether the contacts have left these lists and get nothing of any other: asking again whether they want to leave would worry them. */
async function haveLeft({ tx, account }: Context, subscriptions: readonly Subscription[]): Promise<boolean> {
  if (subscriptions.some(({ status }) => status !== 'unsubscribed')) return false;
  const others = await tx.row(sql`
    select
    from subscription
    where account_id = ${account.id}
      and contact_id = any (${subscriptions.map(({ contactId }) => contactId)}::int[])
      and status <> 'unsubscribed'`);
  return others === undefined;
}

type Known = Awaited<ReturnType<typeof knownOf>>;

/** The text of the page afterwards, and the sign-up form, if it is open, for those who left by mistake. */
async function farewell({ tx, account }: Context, { listId, list, language }: Known) {
  const texts = await textsOf(tx, account.id, listId, language);
  const form = await formOfList(tx, account.id, listId, language);
  return {
    text: fillTags(texts('unsubscribe.done'), { 'LIST:NAME': list }, 'plain'),
    form: form?.settings.enabled ? form : undefined,
  };
}

async function knownOf(context: Context, { listId, email, language }: Subscription) {
  const list = await context.tx.row<{ name: string; language: string }>(sql`
    select ${readerName(sql`l`)} as name, default_language as language from list l where account_id = ${context.account.id} and id = ${listId}`);
  return { listId, list: list!.name, email, language: languageFor(language, list!.language) };
}

/** Of a contact that is on no list of the link: its own, else that of a list that it is on. */
async function languageOf({ tx, account }: Context, contact: number): Promise<string> {
  const row = await tx.row<{ own: string; list: string | null }>(sql`
    select language as own, (
        select l.default_language
        from subscription s
        join list l on l.account_id = s.account_id and l.id = s.list_id
        where s.account_id = c.account_id and s.contact_id = c.id
        order by s.signup_at
        limit 1
      ) as list
    from contact c
    where account_id = ${account.id}
      and id = ${contact}`);
  return languageFor(row?.own ?? '', row?.list ?? '', account.language);
}

function reasonOf(body: unknown): string {
  const { why, reason } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const chosen = typeof why === 'string' && Object.hasOwn(reasons, why) ? why : '';
  const typed = typeof reason === 'string' ? reason.replaceAll('\0', '').trim().slice(0, maxReasonLength) : '';
  return [chosen, typed].filter((part) => part !== '').join(': ');
}
