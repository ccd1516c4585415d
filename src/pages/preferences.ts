// Pages about a person's own subscription: confirming it (double opt-in) and changing one's data. GET shows, POST does.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { onBehalf } from '../accounts/system-context.ts';
import { logChange } from '../audience/contacts/consent-log.ts';
import { pause, resume } from '../audience/contacts/pause.ts';
import { setTracked } from '../audience/contacts/tracking.ts';
import { type Field, fieldsOf, readMergeVars } from '../audience/fields/field.ts';
import { pendingLists } from '../audience/members/pending.ts';
import { confirm, subscribe } from '../audience/members/subscribe.ts';
import { autoMessagesOf, findSubscription, type Subscription } from '../audience/members/subscription.ts';
import { unsubscribe } from '../audience/members/unsubscribe.ts';
import { updateSubscription } from '../audience/members/update.ts';
import { localized } from '../audience/signup/form.ts';
import { fillTags, textsOf } from '../audience/signup/texts.ts';
import type { App, Context } from '../base/context.ts';
import { Fault } from '../base/faults.ts';
import { Html, html } from '../base/html.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { concernedByLink, leaveByLink, subscriptionsOf } from '../delivery/leaving/leave.ts';
import { languageFor, languages, listed, text } from '../locales/text.ts';
import { isConfirmedFor } from '../tracking/confirm-token.ts';
import { tokensOf } from '../tracking/token-secret.ts';
import type { SubscriptionIds } from '../tracking/tokens.ts';
import { badLink, browserLanguage, show } from './answers.ts';
import type { Sender } from './page.ts';
import { senderOf } from './sender.ts';

export function addPreferencePages(server: FastifyInstance, app: App) {
  const tokenOf = (request: { params: unknown }) => (request.params as { token: string }).token;
  const readToken = (token: string): ProfileIds | undefined => {
    const whole = tokensOf(app).readSubscription('profile', token);
    if (whole) return { ...whole, whole: true };
    const choices = tokensOf(app).readSubscription('choices', token);
    return choices ? { ...choices, whole: false } : undefined;
  };

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

  server.get('/p/:token', async (request, reply) => {
    const ids = readToken(tokenOf(request));
    if (!ids) return badLink(reply);
    const known = await onBehalf(app, ids.account, request.ip, (context) => profileOf(context, ids));
    return known ? showProfile(reply, 200, known, '') : noData(reply);
  });

  server.post('/p/:token', async (request, reply) => {
    const ids = readToken(tokenOf(request));
    if (!ids) return badLink(reply);
    const given = (request.body ?? {}) as Record<string, string>;
    try {
      const known = await onBehalf(app, ids.account, request.ip, async (context) => {
        const before = await profileOf(context, ids);
        if (!before) return (await leaveWithout(context, ids, given)) ? 'left' : undefined;
        await save(context, before, given, request.ip);
        return profileOf(context, ids);
      });
      if (known === 'left') return leftForGood(reply);
      return known ? showProfile(reply, 200, known, text(known.language, 'profile.done')) : noData(reply);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const known = await onBehalf(app, ids.account, request.ip, (context) => profileOf(context, ids));
      if (!known) return noData(reply);
      // The form keeps what was typed and shows what is wrong with it.
      for (const entry of known.entries)
        entry.subscription.fields = { ...entry.subscription.fields, ...typed(entry.fields, given) };
      return showProfile(
        reply,
        400,
        known,
        text(known.language, 'profile.wrong', { reason: error.message.replace(/^merge_vars\./, '') }),
      );
    }
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

/**
 * With `whole`, the page shows and changes everything. Otherwise it shows the lists of the token and no field values; the
 * contact can leave these lists and change language, format, pause and tracking, but not rejoin.
 */
type ProfileIds = SubscriptionIds & { whole: boolean };

type Entry = { subscription: Subscription; list: string; fields: Field[] };
type Profile = {
  email: string;
  contactId: number;
  /** The language the page speaks. */
  language: string;
  pausedUntil: Date | null;
  tracked: boolean;
  /** Whether a list that the contact has left can be ticked. */
  mayRejoin: boolean;
  sender: Sender | undefined;
  entries: Entry[];
};

/** What the contact is on of all lists of the account, or of the token; lists that wait for a confirmation are not shown. */
async function profileOf(context: Context, given: ProfileIds): Promise<Profile | undefined> {
  const { tx, account } = context;
  const ids = await presentIds(context, given);
  const rows = await tx.rows<{
    listId: number;
    list: string;
    language: string;
    pausedUntil: Date | null;
    tracked: boolean;
  }>(sql`
    select l.id as "listId", l.name as list, l.default_language as language, not c.untracked as tracked,
      case when c.paused_until > now() then c.paused_until end as "pausedUntil"
    from contact c
    join subscription s on s.account_id = c.account_id and s.contact_id = c.id and s.status <> 'pending'
    join list l on l.account_id = s.account_id and l.id = s.list_id
    where c.account_id = ${account.id}
      and c.id = ${ids.contact}
      and (${ids.allLists} or l.id = any (${[...ids.lists]}::int[]))
    order by l.id <> ${ids.lists[0] ?? 0}, l.name, l.id
    limit ${maxLists}`);
  const entries: Entry[] = [];
  for (const { listId, list } of rows) {
    const subscription = await findSubscription(context, listId, formatId(ids.contact));
    if (!subscription) continue;
    const all = ids.whole ? await fieldsOf(context, listId) : [];
    const fields = all.filter((field) => field.shown && field.tag !== 'EMAIL');
    entries.push({ subscription, list, fields });
  }
  const [first] = entries;
  return (
    first && {
      email: first.subscription.email,
      contactId: ids.contact,
      language: languageFor(first.subscription.language, rows[0]!.language, account.language),
      pausedUntil: rows[0]!.pausedUntil,
      tracked: rows[0]!.tracked,
      mayRejoin: ids.whole,
      sender: await senderOf(tx, account.id, rows[0]!.listId),
      entries,
    }
  );
}

/**
 * The contact that a link concerns now, which has another number if it was deleted and added again. If it is on no list of the
 * link, the page is about all its lists, as unsubscribing is.
 */
async function presentIds(context: Context, ids: ProfileIds): Promise<ProfileIds & { allLists: boolean }> {
  const concerned = await concernedByLink(context, ids);
  const contact = concerned.contacts[0];
  if (!contact) return { ...ids, allLists: ids.whole };
  const named = await subscriptionsOf(context, { ...concerned, contacts: [contact] }, ids.lists);
  return { ...ids, contact: contact.id, allLists: ids.whole || named.length === 0 };
}

/** Leaving everything when there is no contact any more: the address is remembered. @returns whether it was */
async function leaveWithout(context: Context, ids: ProfileIds, given: Record<string, string>): Promise<boolean> {
  if (given.form !== formName || Object.keys(given).some((name) => name.startsWith('list.'))) return false;
  const how = { ip: context.caller.ip, ...(ids.campaign > 0 ? { campaignId: ids.campaign } : {}) };
  const { known } = await leaveByLink(context, ids, how, false);
  return known;
}

async function save(context: Context, profile: Profile, given: Record<string, string>, ip: string): Promise<void> {
  for (const entry of profile.entries) await saveEntry(context, profile, entry, given, ip);
  const { LANGUAGE: language = '', PAUSE: wish = '' } = given;
  const change = { contactId: profile.contactId, source: 'subscriber', ip, detail: byPage };
  if (languages.includes(language)) {
    const changed = await context.tx.run(sql`
      update contact
      set language = ${language}, changed_at = now()
      where account_id = ${context.account.id}
        and id = ${profile.contactId}
        and language <> ${language}`);
    await logChange(context, changed > 0 ? ['LANGUAGE'] : [], { ...change, listId: null });
  }
  // A box that is not ticked is not in the form.
  if (given.form === formName) await setTracked(context, given.UNTRACKED === undefined, change);
  if (wish === 'end') await resume(context, change);
  else if (pauseWeeks.includes(Number(wish)))
    await pause(context, new Date(context.now.getTime() + Number(wish) * 7 * 86_400_000), change);
}

/** The hidden field of the form. */
const formName = 'preferences';

/** By what door: kept with each change made here. */
const byPage = { form: formName };

async function saveEntry(
  context: Context,
  { mayRejoin }: Profile,
  { subscription, fields }: Entry,
  given: Record<string, string>,
  ip: string,
) {
  const wanted = given[`list.${formatId(subscription.listId)}`] !== undefined;
  const all = await fieldsOf(context, subscription.listId);
  const vars = readMergeVars(all, typed(fields, given));
  const emailType = given.email_type === 'text' ? 'text' : 'html';
  // A list that is not in the form counts as unticked only when the form is ours and arrived: an empty body takes no one off.
  if (subscription.status === 'subscribed' && !wanted) {
    if (given.form !== formName) return;
    const { goodbye } = await autoMessagesOf(context, subscription.listId);
    await unsubscribe(context, subscription, { source: 'subscriber', ip, sendGoodbye: goodbye });
  } else if (subscription.status === 'subscribed')
    await updateSubscription(context, subscription, all, vars, emailType, 'subscriber', { ip, detail: byPage });
  else if (subscription.status === 'unsubscribed' && wanted && mayRejoin)
    // Only the contact can open this form, so saving it is consent: no confirmation is sent.
    await subscribe(context, {
      listId: subscription.listId,
      fields: all,
      email: subscription.email,
      vars,
      emailType,
      doubleOptin: false,
      updateExisting: false,
      sendWelcome: false,
      source: 'subscriber',
      ip,
      agreed: byPage,
    });
}

/** The values of the form that belong to these fields. */
const typed = (fields: readonly Field[], given: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    fields
      .filter((field) => typeof given[`field.${field.tag}`] === 'string')
      .map((field) => [field.tag, given[`field.${field.tag}`]!]),
  );

function showProfile(reply: FastifyReply, status: number, profile: Profile, message: string) {
  const { email, language, entries, mayRejoin } = profile;
  const ticked = ({ status }: Subscription) => {
    if (status === 'subscribed') return ' checked';
    return status === 'unsubscribed' && mayRejoin ? '' : ' disabled';
  };
  const fields = new Map(
    entries.flatMap(({ fields: own, subscription }) =>
      own.map((field) => [field.tag, { field, value: subscription.fields[field.tag] ?? '' }] as const),
    ),
  );
  const format = entries[0]!.subscription.emailType;
  return show(reply, {
    status,
    language,
    title: text(language, 'profile.title'),
    sender: profile.sender,
    body: html`<p>${text(language, 'profile.intro', { email })}</p>${message ? html`<p role="status" class="${status === 200 ? 'fine' : 'problem'}">${message}</p>` : ''}
<form method="post"><input type="hidden" name="form" value="${formName}"><fieldset><legend>${text(language, 'profile.lists')}</legend>
${entries.map(({ subscription, list }) => html`<label class="pick"><input type="checkbox" name="list.${formatId(subscription.listId)}"${new Html(ticked(subscription))}> ${list}</label>`)}</fieldset>
${fields.size === 0 ? '' : html`<h2>${text(language, 'profile.about')}</h2>`}
${[...fields.values()].map(({ field, value }) => html`<label>${localized(field, language).name}${inputOf(field, value)}</label>`)}
<label>${text(language, 'profile.format')}<select name="email_type">
<option value="html"${new Html(format === 'html' ? ' selected' : '')}>${text(language, 'profile.format-html')}</option>
<option value="text"${new Html(format === 'text' ? ' selected' : '')}>${text(language, 'profile.format-text')}</option></select></label>
<label>${text(language, 'profile.language')}<select name="LANGUAGE">
${languages.map((code) => html`<option value="${code}" lang="${code}"${new Html(code === language ? ' selected' : '')}>${new Intl.DisplayNames(code, { type: 'language' }).of(code) ?? code}</option>`)}</select></label>
<label>${text(language, 'profile.pause')}<select name="PAUSE">${pauseChoices(profile)}</select></label>
<label class="pick"><input type="checkbox" name="UNTRACKED"${new Html(profile.tracked ? '' : ' checked')}> ${text(language, 'profile.untracked')}</label>
<button>${text(language, 'profile.button')}</button></form>`,
  });
}

/** More lists than this are not shown to a contact. */
const maxLists = 100;
const pauseWeeks = [1, 2, 4, 8, 12];

function pauseChoices({ language, pausedUntil }: Profile): Html {
  const weeks = new Intl.NumberFormat(language, { style: 'unit', unit: 'week', unitDisplay: 'long' });
  const date =
    pausedUntil && new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(pausedUntil);
  return html`<option value="">${date ? text(language, 'profile.pause-until', { date }) : text(language, 'profile.pause-none')}</option>
${date ? html`<option value="end">${text(language, 'profile.pause-end')}</option>` : ''}${pauseWeeks.map((count) => html`<option value="${count}">${weeks.format(count)}</option>`)}`;
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

const leftForGood = (reply: FastifyReply) => {
  const language = browserLanguage(reply);
  return show(reply, {
    language,
    title: text(language, 'unsubscribe.done-title'),
    body: html`<p>${text(language, 'unsubscribe.done-plain')}</p>`,
  });
};

const noData = (reply: FastifyReply) => {
  const language = browserLanguage(reply);
  return show(reply, {
    status: 410,
    language,
    title: text(language, 'profile.title'),
    body: html`<p>${text(language, 'profile.gone')}</p>`,
  });
};
