// A new address of a contact: the form of the preference page, and the page behind the link in the email to the new address. GET shows,
// POST does. No answer says whether an address is a contact already.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { onBehalf } from '../accounts/account/system-context.ts';
import { parseAddress } from '../audience/address.ts';
import { addressRequestOf, askForAddress, moveContact } from '../audience/members/address-change.ts';
import type { App, Context } from '../base/context.ts';
import { html } from '../base/html.ts';
import { sql } from '../db/connect.ts';
import { languageFor, text } from '../locales/text.ts';
import { isAddressOfToken } from '../tracking/address-token.ts';
import { tokensOf } from '../tracking/token-secret.ts';
import type { SubscriptionIds } from '../tracking/tokens.ts';
import { badLink, browserLanguage, show } from './page/answers.ts';
import type { Sender } from './page/page.ts';
import { senderOf } from './page/sender.ts';
import type { Given, Profile } from './profile.ts';

/** The hidden field of the form on the preference page. */
export const addressForm = 'address';

/** @param problem what was wrong with what was typed */
export function showAddressForm(reply: FastifyReply, profile: Profile, typed = '', problem?: string) {
  const { language, email, sender } = profile;
  return show(reply, {
    status: problem === undefined ? 200 : 400,
    language,
    title: text(language, 'address.title'),
    sender,
    body: html`<p>${text(language, 'address.now', { email })}</p>
<form method="post" action="?" novalidate><input type="hidden" name="form" value="${addressForm}">
<div class="field"><label for="address">${text(language, 'address.new')}</label><input id="address" name="address" type="email" autocomplete="email" value="${typed}"${problem === undefined ? '' : html` aria-invalid="true" aria-describedby="wrong"`}>${problem === undefined ? '' : html`<span class="wrong" id="wrong">${problem}</span>`}</div>
<p class="soft">${text(language, 'address.about')}</p>
<button>${text(language, 'address.button')}</button></form>
<p class="after"><a href="?">${text(language, 'profile.back')}</a></p>`,
  });
}

/** What the form of the preference page sent. */
export async function takeAddress(context: Context, profile: Profile, given: Given) {
  const typed = (given['address'] ?? '').slice(0, 400);
  const address = parseAddress(typed);
  if (!address.ok) return { typed, problem: 'form.email-bad' } as const;
  const now = parseAddress(profile.email);
  if (now.ok && now.key === address.key) return { typed, problem: 'address.same' } as const;
  const { contactId, entries } = profile;
  const listId = entries[0]!.subscription.listId;
  const isAsked = await askForAddress(context, { contactId, listId, address });
  return isAsked ? ({ typed: address.email } as const) : ({ typed, problem: 'address.too-many' } as const);
}

export function showAddressAnswer(
  reply: FastifyReply,
  profile: Profile,
  { typed, problem }: Awaited<ReturnType<typeof takeAddress>>,
) {
  const { language, sender } = profile;
  if (problem !== undefined) return showAddressForm(reply, profile, typed, text(language, problem));
  return show(reply, {
    language,
    title: text(language, 'address.title'),
    sender,
    body: html`<p>${text(language, 'address.sent', { email: typed })}</p>
<p class="after"><a href="?">${text(language, 'profile.back')}</a></p>`,
  });
}

export function addAddressPages(server: FastifyInstance, app: App) {
  const read = (request: { params: unknown }) =>
    tokensOf(app).readSubscription('address', (request.params as { token: string }).token);

  server.get('/address/:token', async (request, reply) => {
    const ids = read(request);
    if (!ids) return badLink(reply);
    const found = await onBehalf(app, ids.account, request.ip, (context) => lookUp(context, ids));
    return found?.state === 'asked' ? ask(reply, found) : ended(reply, found);
  });

  server.post('/address/:token', async (request, reply) => {
    const ids = read(request);
    if (!ids) return badLink(reply);
    const found = await onBehalf(app, ids.account, request.ip, async (context) => {
      const before = await lookUp(context, ids);
      if (before.state !== 'asked') return before;
      const log = { ip: request.ip, detail: { form: 'preferences' } };
      const isMoved = await moveContact(context, ids.contact, before.email, log);
      return { ...before, state: isMoved ? ('moved' as const) : ('refused' as const) };
    });
    return ended(reply, found);
  });
}

type Found = {
  state: 'asked' | 'moved' | 'refused' | 'over';
  email: string;
  language: string | undefined;
  sender: Sender | undefined;
};

async function lookUp(context: Context, ids: SubscriptionIds): Promise<Found> {
  const { tx, account } = context;
  // First, and locked: another request that confirms at the same time has changed the contact by then.
  const request = await addressRequestOf(context, ids.contact);
  const contact = await tx.row<{
    email: string;
    language: string;
    list: number | null;
    listLanguage: string | null;
  }>(sql`
    select c.email, c.language, l.id as list, l.default_language as "listLanguage"
    from contact c
    left join lateral (
      select li.id, li.default_language
      from subscription s
      join list li on li.account_id = s.account_id and li.id = s.list_id
      where s.account_id = c.account_id
        and s.contact_id = c.id
      order by s.status <> 'subscribed', s.signup_at
      limit 1
    ) l on true
    where c.account_id = ${account.id}
      and c.id = ${ids.contact}`);
  const frame = {
    language: contact && languageFor(contact.language, contact.listLanguage ?? '', account.language),
    sender: await senderOf(tx, account.id, contact?.list ?? undefined),
  };
  if (contact && isAddressOfToken(ids, contact.email)) return { ...frame, state: 'moved', email: contact.email };
  if (!request || !isAddressOfToken(ids, request.email)) return { ...frame, state: 'over', email: '' };
  return { ...frame, state: 'asked', email: request.email };
}

/** Names the new address only: its mailbox may be of another person. */
function ask(reply: FastifyReply, { language = browserLanguage(reply), sender, email }: Found) {
  return show(reply, {
    language,
    title: text(language, 'address.ask-title'),
    sender,
    body: html`<p>${text(language, 'address.ask', { email, name: sender?.name ?? '' })}</p>
<form method="post"><button>${text(language, 'address.yes')}</button></form>`,
  });
}

function ended(reply: FastifyReply, found: Found | undefined) {
  const { state = 'over', language = browserLanguage(reply), sender, email = '' } = found ?? {};
  const title = state === 'moved' ? 'address.done-title' : 'address.title';
  const said = { moved: 'address.done', refused: 'address.refused', over: 'address.over', asked: 'address.ask' }[state];
  return show(reply, {
    status: state === 'over' ? 410 : 200,
    language,
    title: text(language, title),
    sender,
    body: html`<p>${text(language, said, { email, name: sender?.name ?? '' })}</p>`,
  });
}
