// The preference page of a person. GET shows; POST writes what the person changed. What it leaves is done first and in a transaction of
// its own: no wrong value keeps anyone on a list.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { onBehalf } from '../accounts/account/system-context.ts';
import { pause, resume } from '../audience/contacts/pause.ts';
import { setTracked } from '../audience/contacts/tracking.ts';
import { subscribe } from '../audience/members/subscribe.ts';
import { autoMessagesOf, findSubscription, lockSharing } from '../audience/members/subscription.ts';
import { unsubscribe } from '../audience/members/unsubscribe.ts';
import { updateSubscription } from '../audience/members/update.ts';
import { logChange } from '../audience/model/consent-log.ts';
import { readMergeVars } from '../audience/model/field.ts';
import { fieldsToWrite } from '../audience/segments/references.ts';
import type { App, Context } from '../base/context.ts';
import { Fault } from '../base/faults.ts';
import { html } from '../base/html.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { concernedByLink, leaveByLink, leaveEverything } from '../delivery/leaving/leave.ts';
import { languages } from '../locales/languages.ts';
import { text } from '../locales/text.ts';
import { tokensOf } from '../tracking/token-secret.ts';
import { addressForm, showAddressAnswer, showAddressForm, takeAddress } from './address.ts';
import { badLink, browserLanguage, show } from './page/answers.ts';
import { senderOf } from './page/sender.ts';
import { formatOf, formName, leaveForm, pauseWeeks, showProfile } from './preferences-view.ts';
import { type Given, type Profile, type ProfileIds, profileOf } from './profile.ts';
import { changesOf, hasChanged, shownFields } from './profile-fields.ts';
import { problemsOf } from './profile-problems.ts';
import { boxesOf, isOn, joinsOf, leavesOf } from './reader-lists.ts';

export function addPreferencePages(server: FastifyInstance, app: App) {
  const tokenOf = (request: { params: unknown }) => (request.params as { token: string }).token;

  server.get('/p/:token', async (request, reply) => {
    const ids = readProfileToken(app, tokenOf(request));
    if (!ids) return badLink(reply);
    const known = await onBehalf(app, ids.account, request.ip, (context) => profileOf(context, ids));
    if (!known) return noData(reply);
    const isAboutAddress = (request.query as Given)['change'] === 'address' && ids.whole;
    return isAboutAddress ? showAddressForm(reply, known) : showProfile(reply, 200, known, '');
  });

  server.post('/p/:token', async (request, reply) => {
    const ids = readProfileToken(app, tokenOf(request));
    if (!ids) return badLink(reply);
    const given = (request.body ?? {}) as Given;
    if (given.form === leaveForm) {
      const left = await onBehalf(app, ids.account, request.ip, (context) => leaveAltogether(context, ids));
      return left ? leftEverything(reply, left) : noData(reply);
    }
    if (given.form === addressForm && ids.whole) {
      const asked = await onBehalf(app, ids.account, request.ip, async (context) => {
        const profile = await profileOf(context, ids);
        return profile && { profile, outcome: await takeAddress(context, profile, given) };
      });
      return asked ? showAddressAnswer(reply, asked.profile, asked.outcome) : noData(reply);
    }
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
        const before = await profileOf(context, ids, given);
        if (!before) return undefined;
        await saveValues(context, before, given, request.ip);
        return profileOf(context, ids);
      });
      return known ? showProfile(reply, 200, known, text(known.language, 'profile.done')) : noData(reply);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const known = await onBehalf(app, ids.account, request.ip, (context) => profileOf(context, ids, given));
      if (!known) return noData(reply);
      // The form keeps what was typed and shows what is wrong with it.
      return showProfile(reply, 400, known, notSaved(known, given), given);
    }
  });
}

/** Why values were not saved, in the language of the page. */
function notSaved(profile: Profile, given: Given): string {
  const { language } = profile;
  const found = problemsOf(profile, given).map(({ label, problem }) => `${label}: ${text(language, problem)}`);
  const reason = found.length > 0 ? found.join(' ') : text(language, 'form.field-bad');
  return text(language, 'profile.wrong', { reason });
}

/** Of a link in an email, or of the page that its link to unsubscribe leads to. */
function readProfileToken(app: App, token: string): ProfileIds | undefined {
  const whole = tokensOf(app).readSubscription('profile', token);
  if (whole) return { ...whole, whole: true };
  const choices = tokensOf(app).readSubscription('choices', token);
  return choices ? { ...choices, whole: false } : undefined;
}

/** Leaving everything when there is no contact any more: the address is remembered. @returns whether it was */
async function leaveWithout(context: Context, ids: ProfileIds, given: Given): Promise<boolean> {
  if (given.form !== formName || Object.keys(given).some((name) => name.startsWith('list.'))) return false;
  const { known } = await leaveByLink(context, ids, howOf(context, ids), false);
  return known;
}

const howOf = ({ caller }: Context, ids: ProfileIds) => ({
  ip: caller.ip,
  ...(ids.campaign > 0 ? { campaignId: ids.campaign } : {}),
});

/** @returns what the page afterwards needs; undefined when nothing is known of the address */
async function leaveAltogether(context: Context, ids: ProfileIds) {
  const before = await profileOf(context, ids);
  if (!(await leaveEverything(context, ids, howOf(context, ids)))) return undefined;
  const [contact] = (await concernedByLink(context, ids)).contacts;
  return {
    language: before?.language,
    sender: before?.sender ?? (await senderOf(context.tx, ids.account)),
    hasContact: contact !== undefined,
  };
}

/** A list that is not in the form counts as unticked only when the form is ours and arrived: an empty body takes no one off. */
async function leaveUnticked(context: Context, profile: Profile, given: Given, ip: string): Promise<void> {
  if (given.form !== formName) return;
  for (const { subscription } of leavesOf(boxesOf(profile.entries, profile), given)) {
    const before = await findSubscription(context, subscription.listId, formatId(profile.contactId));
    if (before?.status !== 'subscribed') continue;
    const { goodbye } = await autoMessagesOf(context, subscription.listId);
    await unsubscribe(context, before, { source: 'subscriber', ip, sendGoodbye: goodbye });
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

/** By what door: kept with each change made here. */
const byPage = { form: formName };

/** Values and format that were changed, on the lists that the contact stays on, and lists that it joins. */
async function saveValues(context: Context, profile: Profile, given: Given, ip: string): Promise<void> {
  const shown = shownFields(profile.entries);
  const format = formatOf(profile);
  const emailType =
    ['html', 'text'].includes(given.email_type ?? '') && hasChanged(given, 'email_type', format)
      ? (given.email_type as 'html' | 'text')
      : undefined;
  const joined = new Set(joinsOf(boxesOf(profile.entries, profile), given, profile.mayRejoin));
  for (const entry of profile.entries) {
    const { subscription, list, description } = entry;
    const isJoined = joined.has(entry);
    if (!isOn(entry) && !isJoined) continue;
    const values = changesOf(shown, entry, given, isJoined);
    const isChanged = Object.keys(values).length > 0 || (emailType && emailType !== subscription.emailType);
    if (!isJoined && !isChanged) continue;
    const fields = await fieldsToWrite(context, subscription.listId);
    const vars = readMergeVars(fields, values);
    await lockSharing(context, fields, formatId(profile.contactId));
    const before = await findSubscription(context, subscription.listId, formatId(profile.contactId));
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
        // Who comes back was welcomed before.
        sendWelcome: subscription.status === 'none' && (await autoMessagesOf(context, subscription.listId)).welcome,
        source: 'subscriber',
        ip,
        agreed: { ...byPage, shown: [list, description].filter((part) => part !== '').join('\n') },
      });
    else if (before)
      await updateSubscription(context, before, fields, vars, emailType, 'subscriber', { ip, detail: byPage });
  }
}

function leftEverything(
  reply: FastifyReply,
  { language = browserLanguage(reply), sender, hasContact }: NonNullable<Awaited<ReturnType<typeof leaveAltogether>>>,
) {
  return show(reply, {
    language,
    title: text(language, 'unsubscribe.done-title'),
    sender,
    body: html`<p>${text(language, 'unsubscribe.done-plain')}</p>
${hasContact ? html`<p class="after"><a href="">${text(language, 'profile.back')}</a></p>` : ''}`,
  });
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
