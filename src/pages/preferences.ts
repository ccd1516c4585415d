// The preference page of a person. GET shows; POST writes what the person changed, and only to lists that it stays on. What it leaves is
// done first and in a transaction of its own: no wrong value keeps anyone on a list.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { onBehalf } from '../accounts/account/system-context.ts';
import { pause, resume } from '../audience/contacts/pause.ts';
import { setTracked } from '../audience/contacts/tracking.ts';
import { subscribe } from '../audience/members/subscribe.ts';
import { autoMessagesOf, findSubscription } from '../audience/members/subscription.ts';
import { unsubscribe } from '../audience/members/unsubscribe.ts';
import { updateSubscription } from '../audience/members/update.ts';
import { logChange } from '../audience/model/consent-log.ts';
import { fieldsOf, readMergeVars } from '../audience/model/field.ts';
import { formOfList } from '../audience/signup/form.ts';
import type { App, Context } from '../base/context.ts';
import { Fault } from '../base/faults.ts';
import { Html, html } from '../base/html.ts';
import { publicPath } from '../base/public-paths.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { concernedByLink, leaveByLink, subscriptionsOf } from '../delivery/leaving/leave.ts';
import { languageFor, languages, text } from '../locales/text.ts';
import { tokensOf } from '../tracking/token-secret.ts';
import type { SubscriptionIds } from '../tracking/tokens.ts';
import { badLink, browserLanguage, show } from './page/answers.ts';
import type { Sender } from './page/page.ts';
import { senderOf } from './page/sender.ts';
import { changesOf, type Entry, fieldRow, hasChanged, shownFields } from './profile-fields.ts';

export function addPreferencePages(server: FastifyInstance, app: App) {
  const tokenOf = (request: { params: unknown }) => (request.params as { token: string }).token;
  const readToken = (token: string): ProfileIds | undefined => {
    const whole = tokensOf(app).readSubscription('profile', token);
    if (whole) return { ...whole, whole: true };
    const choices = tokensOf(app).readSubscription('choices', token);
    return choices ? { ...choices, whole: false } : undefined;
  };

  server.get('/p/:token', async (request, reply) => {
    const ids = readToken(tokenOf(request));
    if (!ids) return badLink(reply);
    const known = await onBehalf(app, ids.account, request.ip, (context) => profileOf(context, ids));
    return known ? showProfile(reply, 200, known, '') : noData(reply);
  });

  server.post('/p/:token', async (request, reply) => {
    const ids = readToken(tokenOf(request));
    if (!ids) return badLink(reply);
    const given = (request.body ?? {}) as Given;
    const outcome = await onBehalf(app, ids.account, request.ip, async (context) => {
      const before = await profileOf(context, ids);
      if (!before) return (await leaveWithout(context, ids, given)) ? 'left' : undefined;
      await leaveUnticked(context, before, given, request.ip);
      await saveChoices(context, before, given, request.ip);
      return 'here';
    });
    if (outcome === 'left') return leftForGood(reply);
    if (outcome === undefined) return noData(reply);
    try {
      const known = await onBehalf(app, ids.account, request.ip, async (context) => {
        const before = await profileOf(context, ids);
        if (!before) return undefined;
        await saveValues(context, before, given, request.ip);
        return profileOf(context, ids);
      });
      return known ? showProfile(reply, 200, known, text(known.language, 'profile.done')) : noData(reply);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const known = await onBehalf(app, ids.account, request.ip, (context) => profileOf(context, ids));
      if (!known) return noData(reply);
      const reason = error.message.replace(/^merge_vars\./, '');
      // The form keeps what was typed and shows what is wrong with it.
      return showProfile(reply, 400, known, text(known.language, 'profile.wrong', { reason }), given);
    }
  });
}

type Given = Readonly<Record<string, string>>;

/**
 * With `whole`, the page shows and changes everything. Otherwise it shows the lists of the token and no field values; the
 * contact can leave these lists and change language, format, pause and tracking, but not rejoin.
 */
type ProfileIds = SubscriptionIds & { whole: boolean };

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
  /** Of the lists that the contact has left: the address of the sign-up form, if it is open, and its title. */
  ways: ReadonlyMap<number, { href: string; title: string }>;
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
    entries.push({ subscription, list, fields, place: entries.length });
  }
  // What the contact is on counts for more than what it left.
  entries.sort((a, b) => Number(isOn(b)) - Number(isOn(a)));
  const first = entries.find(({ subscription }) => subscription.listId === rows[0]!.listId) ?? entries[0];
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
      ways: await waysBack(context, entries),
    }
  );
}

/** The sign-up forms that are open, of the lists that were left. */
async function waysBack({ app, tx, account }: Context, entries: readonly Entry[]): Promise<Profile['ways']> {
  const ways = new Map<number, { href: string; title: string }>();
  for (const { subscription } of entries.filter(hasLeft)) {
    const form = await formOfList(tx, account.id, subscription.listId, subscription.language);
    if (form?.settings.enabled)
      ways.set(subscription.listId, {
        href: `${publicPath(app, `/subscribe/${form.key}`)}?ln=${form.language}`,
        title: form.text('form.title'),
      });
  }
  return ways;
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
async function leaveWithout(context: Context, ids: ProfileIds, given: Given): Promise<boolean> {
  if (given.form !== formName || Object.keys(given).some((name) => name.startsWith('list.'))) return false;
  const how = { ip: context.caller.ip, ...(ids.campaign > 0 ? { campaignId: ids.campaign } : {}) };
  const { known } = await leaveByLink(context, ids, how, false);
  return known;
}

const hasLeft = ({ subscription }: Entry): boolean => subscription.status === 'unsubscribed';
const isOn = ({ subscription }: Entry): boolean => subscription.status === 'subscribed';
const isTicked = ({ subscription }: Entry, given: Given): boolean =>
  given[`list.${formatId(subscription.listId)}`] !== undefined;

/** A list that is not in the form counts as unticked only when the form is ours and arrived: an empty body takes no one off. */
async function leaveUnticked(context: Context, { entries }: Profile, given: Given, ip: string): Promise<void> {
  if (given.form !== formName) return;
  for (const entry of entries.filter((entry) => isOn(entry) && !isTicked(entry, given))) {
    const { goodbye } = await autoMessagesOf(context, entry.subscription.listId);
    await unsubscribe(context, entry.subscription, { source: 'subscriber', ip, sendGoodbye: goodbye });
  }
}

/** Language, pause and tracking, in which nothing can be wrong. */
async function saveChoices(context: Context, profile: Profile, given: Given, ip: string): Promise<void> {
  const { LANGUAGE: language = '', PAUSE: wish = '' } = given;
  const change = { contactId: profile.contactId, source: 'subscriber', ip, detail: byPage };
  if (languages.includes(language) && hasChanged(given, 'LANGUAGE', profile.language)) {
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

/** Values and format that were changed, on the lists that the contact stays on, and lists that it joins again. */
async function saveValues(context: Context, profile: Profile, given: Given, ip: string): Promise<void> {
  const shown = shownFields(profile.entries);
  const format = formatOf(profile);
  const emailType =
    ['html', 'text'].includes(given.email_type ?? '') && hasChanged(given, 'email_type', format)
      ? (given.email_type as 'html' | 'text')
      : undefined;
  for (const entry of profile.entries) {
    const { subscription } = entry;
    const isJoined = hasLeft(entry) && isTicked(entry, given) && profile.mayRejoin;
    if (!isOn(entry) && !isJoined) continue;
    const values = changesOf(shown, entry, given, isJoined);
    const isChanged = Object.keys(values).length > 0 || (emailType && emailType !== subscription.emailType);
    if (!isJoined && !isChanged) continue;
    const fields = await fieldsOf(context, subscription.listId);
    const vars = readMergeVars(fields, values);
    if (isJoined)
      // Only the contact can open this form, so saving it is consent: no confirmation is sent.
      await subscribe(context, {
        listId: subscription.listId,
        fields,
        email: subscription.email,
        vars,
        emailType: emailType ?? subscription.emailType,
        doubleOptin: false,
        updateExisting: false,
        sendWelcome: false,
        source: 'subscriber',
        ip,
        agreed: byPage,
      });
    else await updateSubscription(context, subscription, fields, vars, emailType, 'subscriber', { ip, detail: byPage });
  }
}

/** Which format the page shows. */
const formatOf = ({ entries }: Profile) => entries[0]!.subscription.emailType;

/** @param typed what was sent, if it could not be saved */
function showProfile(reply: FastifyReply, status: number, profile: Profile, message: string, typed: Given = {}) {
  const { email, language, entries, mayRejoin } = profile;
  const ticked = (entry: Entry) => {
    const mayTick = hasLeft(entry) && mayRejoin;
    if (isOn(entry) || (mayTick && isTicked(entry, typed))) return ' checked';
    return mayTick ? '' : ' disabled';
  };
  const inOrder = entries.toSorted((a, b) => a.place - b.place);
  const fields = shownFields(entries);
  const format = typed.email_type ?? formatOf(profile);
  return show(reply, {
    status,
    language,
    title: text(language, 'profile.title'),
    sender: profile.sender,
    body: html`<p>${fields.length === 0 ? email : text(language, 'profile.intro', { email })}</p>${message ? html`<p role="status" class="${status === 200 ? 'fine' : 'problem'}">${message}</p>` : ''}
<form method="post" novalidate><input type="hidden" name="form" value="${formName}"><input type="hidden" name="was.email_type" value="${formatOf(profile)}"><input type="hidden" name="was.LANGUAGE" value="${language}"><fieldset><legend>${text(language, 'profile.lists')}</legend>
${inOrder.map((entry) => html`<label class="pick"><input type="checkbox" name="list.${formatId(entry.subscription.listId)}"${new Html(ticked(entry))}> ${entry.list}</label>${hasLeft(entry) ? leftNote(profile, entry) : ''}`)}</fieldset>
${fields.length === 0 ? '' : html`<h2>${text(language, 'profile.about')}</h2>`}
${fields.map((shown) => fieldRow(shown, language, typed[shown.name]))}
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

/** That the contact has left a list; where its box cannot be ticked, with a link to the form that subscribes again. */
function leftNote({ language, mayRejoin, ways }: Profile, { subscription }: Entry): Html {
  const way = mayRejoin ? undefined : ways.get(subscription.listId);
  return html`<p class="soft">${text(language, 'unsubscribe.done-title')}.${way ? html` <a href="${way.href}">${way.title}</a>` : ''}</p>`;
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
