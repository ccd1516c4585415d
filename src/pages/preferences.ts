// Pages about a person's own subscription: confirming it (double opt-in) and changing one's data. GET shows, POST does.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { onBehalf } from '../accounts/on-behalf.ts';
import { type Field, fieldsOf, readMergeVars } from '../audience/field.ts';
import { confirm, findSubscription, type Subscription, unsubscribe, update } from '../audience/subscription.ts';
import type { App, Context } from '../context.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { Fault } from '../faults.ts';
import { languageFor, text } from '../locales/text.ts';
import type { SubscriptionIds } from '../tracking/links.ts';
import { tokensOf } from '../tracking/token-secret.ts';
import { badLink, show } from './answers.ts';
import { Html, html } from './page.ts';

export function addPreferencePages(server: FastifyInstance, app: App) {
  const tokens = tokensOf(app);
  const tokenOf = (request: { params: unknown }) => (request.params as { token: string }).token;

  server.get('/confirm/:token', async (request, reply) => {
    const ids = tokens.readSubscription('confirm', tokenOf(request));
    if (!ids) return badLink(reply);
    const known = await onBehalf(app, ids.account, request.ip, (context) => knownTo(context, ids));
    const language = known?.language ?? 'en';
    const pending = known?.one.status === 'pending';
    return show(
      reply,
      200,
      language,
      text(language, 'confirm.title'),
      html`<h1>${text(language, 'confirm.title')}</h1>
${known && pending ? html`<p>${text(language, 'confirm.ask', { list: known.list, email: known.one.email })}</p><form method="post"><button>${text(language, 'confirm.button')}</button></form>` : html`<p>${text(language, 'confirm.over')}</p>`}`,
    );
  });

  server.post('/confirm/:token', async (request, reply) => {
    const ids = tokens.readSubscription('confirm', tokenOf(request));
    if (!ids) return badLink(reply);
    const result = await onBehalf(app, ids.account, request.ip, async (context) => {
      const known = await knownTo(context, ids);
      return known && { known, done: await confirm(context, ids.lists[0]!, ids.contact, request.ip) };
    });
    const language = result?.known.language ?? 'en';
    const title = text(language, result?.done ? 'confirm.done-title' : 'confirm.title');
    const said = result?.done
      ? text(language, 'confirm.done', { list: result.known.list, email: result.known.one.email })
      : text(language, 'confirm.over');
    return show(reply, 200, language, title, html`<h1>${title}</h1><p>${said}</p>`);
  });

  server.get('/p/:token', async (request, reply) => {
    const ids = tokens.readSubscription('profile', tokenOf(request));
    if (!ids) return badLink(reply);
    const known = await onBehalf(app, ids.account, request.ip, (context) => profileOf(context, ids));
    return known ? showProfile(reply, 200, known, '') : noData(reply);
  });

  server.post('/p/:token', async (request, reply) => {
    const ids = tokens.readSubscription('profile', tokenOf(request));
    if (!ids) return badLink(reply);
    const given = (request.body ?? {}) as Record<string, string>;
    try {
      const known = await onBehalf(app, ids.account, request.ip, async (context) => {
        const before = await profileOf(context, ids);
        if (!before) return undefined;
        await save(context, before, given, request.ip);
        return profileOf(context, ids);
      });
      return known ? showProfile(reply, 200, known, text(known.language, 'profile.done')) : noData(reply);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const known = await onBehalf(app, ids.account, request.ip, (context) => profileOf(context, ids));
      if (!known) return noData(reply);
      // What was typed stays in the form; only what is wrong with it is told.
      for (const entry of known.entries) entry.one.fields = { ...entry.one.fields, ...typed(entry.fields, given) };
      return showProfile(
        reply,
        400,
        known,
        text(known.language, 'profile.wrong', { reason: error.message.replace(/^merge_vars\./, '') }),
      );
    }
  });
}

type Known = { one: Subscription; list: string; language: string };

async function knownTo(context: Context, ids: SubscriptionIds): Promise<Known | undefined> {
  const [listId] = ids.lists;
  const list = listId === undefined ? undefined : await listOf(context, listId);
  const one = list && (await findSubscription(context, listId!, formatId(ids.contact)));
  return list && one
    ? { one, list: list.name, language: languageFor(one.language, list.language, context.account.language) }
    : undefined;
}

type Profile = { email: string; language: string; entries: { one: Subscription; list: string; fields: Field[] }[] };

/** The contact's subscriptions to the lists of the token that are not pending. */
async function profileOf(context: Context, ids: SubscriptionIds): Promise<Profile | undefined> {
  const entries: Profile['entries'] = [];
  let language = '';
  for (const listId of ids.lists) {
    const list = await listOf(context, listId);
    const one = list && (await findSubscription(context, listId, formatId(ids.contact)));
    if (!list || !one || one.status === 'pending') continue;
    language ||= languageFor(one.language, list.language, context.account.language);
    entries.push({
      one,
      list: list.name,
      fields: (await fieldsOf(context, listId)).filter((field) => field.shown && field.tag !== 'EMAIL'),
    });
  }
  const [first] = entries;
  return first && { email: first.one.email, language, entries };
}

async function save(context: Context, profile: Profile, given: Record<string, string>, ip: string): Promise<void> {
  for (const { one, fields } of profile.entries) {
    if (one.status === 'subscribed' && given[`list.${formatId(one.listId)}`] === undefined) {
      await unsubscribe(context, one, { source: 'subscriber', ip });
      continue;
    }
    if (one.status !== 'subscribed') continue;
    const all = await fieldsOf(context, one.listId);
    const emailType = given.email_type === 'text' ? 'text' : 'html';
    await update(context, one, all, readMergeVars(all, typed(fields, given)), emailType, 'subscriber');
  }
}

/** The values of the form that belong to these fields. */
const typed = (fields: readonly Field[], given: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    fields
      .filter((field) => typeof given[`field.${field.tag}`] === 'string')
      .map((field) => [field.tag, given[`field.${field.tag}`]!]),
  );

function showProfile(reply: FastifyReply, status: number, { email, language, entries }: Profile, message: string) {
  const fields = new Map(
    entries.flatMap(({ fields: own, one }) =>
      own.map((field) => [field.tag, { field, value: one.fields[field.tag] ?? '' }] as const),
    ),
  );
  const format = entries[0]!.one.emailType;
  return show(
    reply,
    status,
    language,
    text(language, 'profile.title'),
    html`<h1>${text(language, 'profile.title')}</h1>
<p>${text(language, 'profile.intro', { email })}</p>${message ? html`<p role="status" class="problem">${message}</p>` : ''}
<form method="post"><h2>${text(language, 'profile.lists')}</h2>
${entries.map(({ one, list }) => html`<label><input type="checkbox" name="list.${formatId(one.listId)}"${new Html(one.status === 'subscribed' ? ' checked' : ' disabled')}> ${list}</label>`)}
${[...fields.values()].map(({ field, value }) => html`<label>${field.name}${inputOf(field, value)}</label>`)}
<label>${text(language, 'profile.format')}<select name="email_type">
<option value="html"${new Html(format === 'html' ? ' selected' : '')}>${text(language, 'profile.format-html')}</option>
<option value="text"${new Html(format === 'text' ? ' selected' : '')}>${text(language, 'profile.format-text')}</option></select></label>
<button>${text(language, 'profile.button')}</button></form>`,
  );
}

function inputOf(field: Field, value: string): Html {
  const name = `field.${field.tag}`;
  if (field.type === 'dropdown') {
    return html` <select name="${name}"><option value=""></option>${field.choices.map((choice) => html`<option${new Html(choice === value ? ' selected' : '')}>${choice}</option>`)}</select>`;
  }
  const type = {
    number: 'text',
    email: 'email',
    date: 'date',
    phone: 'tel',
    website: 'url',
    image: 'url',
    text: 'text',
    address: 'text',
    dropdown: 'text',
  }[field.type];
  return html` <input name="${name}" type="${type}" value="${value}"${new Html(field.required ? ' required' : '')}>`;
}

async function listOf(context: Context, listId: number): Promise<{ name: string; language: string } | undefined> {
  return context.tx.row(sql`
    select name, default_language as language from list where account_id = ${context.account.id} and id = ${listId}`);
}

const noData = (reply: FastifyReply) =>
  show(
    reply,
    410,
    'en',
    text('en', 'profile.title'),
    html`<h1>${text('en', 'profile.title')}</h1><p>${text('en', 'profile.gone')}</p>`,
  );
