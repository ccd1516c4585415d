// The automatic messages of a list: confirmation, welcome, goodbye, and the notice to the owner. In the contact's language,
// with the owner's texts if there are any, in the dress of the account's brand. Before the contact has confirmed, a message contains nothing that the visitor typed
// except the email address. They are queued here and sent like single messages.
import { maySetSenderIn } from '../accounts/account/plan.ts';
import { onBehalf } from '../accounts/account/system-context.ts';
import { pendingLists } from '../audience/members/pending.ts';
import { valueInWords } from '../audience/model/chosen.ts';
import { fieldsOf } from '../audience/model/field.ts';
import { readerName } from '../audience/model/reader-name.ts';
import { suppressed } from '../audience/model/suppression.ts';
import { fillTags, type ListTextName, textsOf } from '../audience/signup/texts.ts';
import type { App } from '../base/context.ts';
import { brandFrom } from '../campaigns/model/brand.ts';
import { type Queries, sql } from '../db/connect.ts';
import { offersOneClick } from '../delivery/message/render.ts';
import type { TaskContext } from '../jobs/tasks.ts';
import { languageFor, listed, text, timeInZone } from '../locales/text.ts';
import { queueMessage, type Texts } from '../messages/program-message.ts';
import { confirmToken } from '../tracking/confirm-token.ts';
import { tokensOf } from '../tracking/token-secret.ts';
import { inListFrame, type ListFrame } from './list-frame.ts';
import { oneLine } from './send-account-notice.ts';

/** `further`: other lists that the link of a confirmation confirms. */
type Membership = { account_id: number; list_id: number; contact_id: number; further?: number[] | undefined };

/** Asks a pending contact to confirm. */
export const sendConfirmation = (context: TaskContext, of: Membership) =>
  send(context, of, 'confirm', (facts) => facts.status === 'pending');

/** Welcomes a contact who has just subscribed. */
export const sendWelcome = (context: TaskContext, of: Membership) =>
  send(context, of, 'welcome', (facts) => facts.status === 'subscribed');

/** Confirms to a contact that the subscription has ended. */
export const sendGoodbye = (context: TaskContext, of: Membership) =>
  send(context, of, 'goodbye', (facts) => facts.status === 'unsubscribed');

/** Notifies the owner of the account that a contact has left a list. */
export const sendUnsubscribeNotice = (context: TaskContext, of: Membership) =>
  send(context, of, 'notice', (facts) => facts.status === 'unsubscribed');

type Facts = {
  email: string;
  status: string;
  statusAt: Date;
  language: string;
  list: string;
  listLanguage: string;
  company: string;
  address: string;
  website: string;
  fields: Record<string, string>;
  /** As it is stored; null for none. */
  brand: unknown;
  fromName: string;
  fromEmail: string;
  /** The From address: that of the list's sender while its domain is active, otherwise the account's. */
  sender: string;
  account: string;
  accountLanguage: string;
  accountZone: string;
  active: boolean;
  /** The address must not get this message. */
  suppressed: boolean;
};

/** Queues one message if its cause still holds. A worker checks that again right before it is sent. */
async function send(
  { app, job }: TaskContext,
  given: Membership,
  kind: 'confirm' | 'welcome' | 'goodbye' | 'notice',
  stillTrue: (facts: Facts) => boolean,
): Promise<void> {
  await onBehalf(app, given.account_id, '', async (context) => {
    const facts = await factsOf(context.tx, given, kind);
    if (!facts?.active || !stillTrue(facts)) return;
    const from = (email: string) => ({ name: facts.fromName || facts.list, email });
    const replyTo = facts.fromEmail ? { replyTo: facts.fromEmail } : {};
    if (kind === 'notice') {
      const message = { purpose: 'notice', job, from: from(facts.account), to: facts.account, ofList: true } as const;
      await queueMessage(context, message, () => ({ ...noticeTexts(facts), ...replyTo }));
      return;
    }
    if (facts.suppressed) return;
    const member = { contact: given.contact_id, list: given.list_id };
    const message = { purpose: kind, job, from: from(facts.sender), to: facts.email, member };
    await queueMessage(context, message, async () => ({
      ...(await contactTexts(context.tx, given, kind, facts, urlsOf(app, given, facts.email))),
      ...replyTo,
    }));
  });
}

type Urls = { confirm: string; unsubscribe: string; profile: string };

function urlsOf(app: App, { account_id, list_id, contact_id, further = [] }: Membership, email: string): Urls {
  const tokens = tokensOf(app).tokens({
    account: account_id,
    campaign: 0,
    seq: 0,
    contact: contact_id,
    lists: [list_id],
  });
  return {
    confirm: `${app.baseUrl}/confirm/${confirmToken(app, { account: account_id, list: list_id, further, contact: contact_id, email })}`,
    unsubscribe: `${app.baseUrl}/u/${tokens.unsubscribe}`,
    profile: `${app.baseUrl}/p/${tokens.profile}`,
  };
}

/** The log does not show who has left: the contact may ask to be erased. */
function noticeTexts({ accountLanguage, accountZone, list, email, statusAt }: Facts): Texts {
  const language = languageFor(accountLanguage);
  const values = { list, email, time: timeInZone(statusAt, language, accountZone) };
  return {
    subject: oneLine(text(language, 'notice.subject', values)),
    loggedSubject: oneLine(text(language, 'notice.subject', { ...values, email: '…' })),
    text: text(language, 'notice.mail', values),
  };
}

/** In the contact's language. */
async function contactTexts(
  db: Queries,
  { account_id, list_id, contact_id, further = [] }: Membership,
  kind: 'confirm' | 'welcome' | 'goodbye',
  facts: Facts,
  urls: Urls,
): Promise<Texts> {
  const language = languageFor(facts.language, facts.listLanguage, facts.accountLanguage);
  const texts = await textsOf(db, account_id, list_id, language);
  const others = await pendingLists(db, { account: account_id, contact: contact_id, lists: further });
  const names = listed([facts.list, ...others.map(({ name }) => name)], language);
  const fields = await fieldsOf({ tx: db, account: { id: account_id } }, list_id);
  const inWords = Object.fromEntries(
    fields.map(({ tag, type }) => [tag, valueInWords(type, facts.fields[tag] ?? '', language)]),
  );
  const frame = frameOf(kind, { language, brand: facts.brand, address: facts.address });
  const filled = (part: 'subject' | 'text' | 'html', { confirm, unsubscribe, profile }: Urls) => {
    const values = {
      ...(kind === 'confirm' ? {} : { ...facts.fields, ...inWords }),
      EMAIL: facts.email,
      'LIST:NAME': names,
      'LIST:COMPANY': facts.company,
      'LIST:ADDRESS': facts.address,
      'LIST:URL': facts.website,
      UNSUB: unsubscribe,
      UPDATE_PROFILE: profile,
      ...(kind === 'confirm' ? { CONFIRM: confirm } : {}),
    };
    const source = texts(`${kind}.${part}` as ListTextName);
    return part === 'html' ? fillTags(inListFrame(source, frame), values, 'html') : fillTags(source, values, 'plain');
  };
  return {
    subject: oneLine(filled('subject', urls)),
    loggedSubject: oneLine(filled('subject', { confirm: '', unsubscribe: '', profile: '' })),
    text: filled('text', urls),
    html: filled('html', urls),
    ...(kind === 'welcome' ? { headers: oneClick(urls.unsubscribe) } : {}),
  };
}

/** The frame of one of these emails. @param brand as it is stored */
export const frameOf = (
  kind: 'confirm' | 'welcome' | 'goodbye',
  { language, brand, address }: { language: string; brand: unknown; address: string },
): ListFrame => ({ brand: brandFrom(brand), language, hasAddress: address !== '', hasLinks: kind === 'welcome' });

/** RFC 8058 */
const oneClick = (url: string) => ({
  'List-Unsubscribe': `<${url}>`,
  ...(offersOneClick(url) && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
});

/** Keeps the contact until the transaction ends: its address is not stored after it was erased or changed. */
async function factsOf(
  db: Queries,
  { account_id, list_id, contact_id }: Membership,
  kind: string,
): Promise<Facts | undefined> {
  // Confirming is how a person who has left everything comes back.
  const except = kind === 'confirm' ? ('unsubscribe' as const) : undefined;
  return db.row<Facts>(sql`
    select c.email, s.status, s.status_at as "statusAt", c.language, ${readerName(sql`l`)} as list, l.default_language as "listLanguage",
      coalesce(nullif(l.company, ''), nullif(a.company, ''), a.name) as company,
      coalesce(nullif(l.postal_address, ''), a.postal_address) as address, l.website, s.fields, a.settings -> 'brand' as brand,
      l.default_from_name as "fromName", l.default_from_email as "fromEmail", coalesce(${activeSender}, a.email) as sender, a.email as account,
      a.language as "accountLanguage", a.time_zone as "accountZone",
      a.active and a.may_send as active, ${suppressed(account_id, sql`c.email_key`, sql`c.domain`, except)} as suppressed
    from subscription s
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    join list l on l.account_id = s.account_id and l.id = s.list_id
    join account a on a.id = s.account_id
    where s.account_id = ${account_id}
      and s.list_id = ${list_id}
      and s.contact_id = ${contact_id}
    for key share of c`);
}

/** SQL: the From address of the sender of list `l`, while its domain is active; account `a`. */
export const activeSender = sql`(
  select from_sender.email
  from sender from_sender
  join sender_domain d on d.account_id = from_sender.account_id and d.domain = split_part(from_sender.email, '@', 2)
  where from_sender.account_id = l.account_id
    and from_sender.id = l.sender_id
    and d.active
    and ${maySetSenderIn(sql`a`)}
)`;
