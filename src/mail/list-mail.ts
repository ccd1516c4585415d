// The automatic messages of a list: confirmation, welcome, goodbye, and the notice to the owner. In the contact's language,
// with the owner's texts if there are any. Before the contact has confirmed, a message contains nothing a visitor typed
// except its address.

import { maySetSenderIn } from '../accounts/plan.ts';
import { onBehalf } from '../accounts/system-context.ts';
import { fillTags, type ListTextName, textsOf } from '../audience/signup/texts.ts';
import { suppressed } from '../audience/suppression/suppression.ts';
import type { App } from '../base/context.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { recordDeadAddress } from '../delivery/bounces/list-bounce.ts';
import { feedbackId } from '../delivery/message/header.ts';
import { envelopeSender } from '../delivery/message/return-path.ts';
import { signedWhole } from '../delivery/message/signing.ts';
import { noticeFieldsOf } from '../delivery/notices/fields.ts';
import { languageFor, text } from '../locales/text.ts';
import { formatDate } from '../method/date.ts';
import { tokensOf } from '../tracking/token-secret.ts';
import { addressNumber } from '../tracking/tokens.ts';
import { type MailContext, sendMessage } from './send-message.ts';

type Membership = { account_id: number; list_id: number; contact_id: number };

/** Asks a pending contact to confirm. */
export const sendConfirmation = (context: MailContext, of: Membership) =>
  send(context, of, 'confirm', (facts) => facts.status === 'pending');

/** Welcomes a contact who has just subscribed. */
export const sendWelcome = (context: MailContext, of: Membership) =>
  send(context, of, 'welcome', (facts) => facts.status === 'subscribed');

/** Confirms to a contact that the subscription has ended. */
export const sendGoodbye = (context: MailContext, of: Membership) =>
  send(context, of, 'goodbye', (facts) => facts.status === 'unsubscribed');

/** Notifies the owner of the account that a contact has left a list. */
export const sendUnsubscribeNotice = (context: MailContext, of: Membership) =>
  send(context, of, 'notice', (facts) => facts.status === 'unsubscribed');

type Facts = {
  email: string;
  emailKey: string;
  status: string;
  statusAt: Date;
  language: string;
  list: string;
  listLanguage: string;
  company: string;
  address: string;
  website: string;
  fields: Record<string, string>;
  fromName: string;
  fromEmail: string;
  /** The From address: that of the list's sender while its domain is active, otherwise the account's. */
  sender: string;
  account: string;
  accountLanguage: string;
  active: boolean;
  /** The address must get no mail at all. */
  suppressed: boolean;
};

/** Sends one message if its cause still holds. @throws Error on a temporary failure, so that the queue retries */
async function send(
  context: MailContext,
  given: Membership,
  kind: 'confirm' | 'welcome' | 'goodbye' | 'notice',
  stillTrue: (facts: Facts) => boolean,
): Promise<void> {
  const { app, job } = context;
  const facts = await factsOf(app, given);
  if (!facts?.active || !stillTrue(facts)) return;
  if (facts.suppressed && kind !== 'notice') return;
  const to = kind === 'notice' ? facts.account : facts.email;
  const sender = kind === 'notice' ? facts.account : facts.sender;
  const language =
    kind === 'notice'
      ? languageFor(facts.accountLanguage)
      : languageFor(facts.language, facts.listLanguage, facts.accountLanguage);
  const tokens = tokensOf(app).tokens({
    account: given.account_id,
    campaign: 0,
    seq: 0,
    contact: given.contact_id,
    lists: [given.list_id],
  });
  const unsubscribe = `${app.baseUrl}/u/${tokens.unsubscribe}`;
  const texts = await textsFor(app, given, kind, language, facts, {
    confirm: `${app.baseUrl}/confirm/${tokens.confirm}`,
    unsubscribe,
    profile: `${app.baseUrl}/p/${tokens.profile}`,
  });
  const bounceToken = bounceTokenOf(app, given, facts);
  const noticeFields = await noticeFieldsOf(app.db, given.account_id);
  const result = await sendMessage(
    context,
    {
      account: given.account_id,
      kind,
      job,
      from: { name: facts.fromName || facts.list, address: sender },
      ...(facts.fromEmail ? { replyTo: facts.fromEmail } : {}),
      to,
      ...(kind === 'notice' ? {} : { returnPath: envelopeSender(app.config, sender, bounceToken) }),
      ...texts,
      headers: {
        'Feedback-ID': feedbackId({
          campaign: '0',
          account: formatId(given.account_id),
          kind,
          fromEmail: sender,
        }),
        ...(kind === 'notice' ? {} : headersOf(noticeFields(bounceToken))),
        ...(kind === 'welcome'
          ? { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
          : {}),
      },
    },
    (message) => signedWhole(app, given.account_id, sender, message),
  );
  if (kind === 'notice' || result.kind !== 'failed' || !result.suppress) return;
  const { code, text: reply } = result;
  await onBehalf(app, given.account_id, '', (onBehalfOf) =>
    recordDeadAddress(onBehalfOf, { contact: given.contact_id, list: given.list_id, email: facts.email, code, reply }),
  );
}

/** Names the list, the contact and the address in a bounce. */
function bounceTokenOf(app: App, { account_id, list_id, contact_id }: Membership, facts: Facts): string {
  return tokensOf(app).listBounce({
    account: account_id,
    list: list_id,
    contact: contact_id,
    address: addressNumber(facts.emailKey),
  });
}

/** Complete header lines, by name. */
function headersOf(lines: string): Record<string, string> {
  return Object.fromEntries(lines.split('\r\n').flatMap((line) => (line === '' ? [] : [line.split(/: (.*)/s, 2)])));
}

type Texts = { subject: string; text: string; html?: string };

/** Subject and body, in the recipient's language. */
async function textsFor(
  app: App,
  { account_id, list_id }: Membership,
  kind: 'confirm' | 'welcome' | 'goodbye' | 'notice',
  language: string,
  facts: Facts,
  urls: { confirm: string; unsubscribe: string; profile: string },
): Promise<Texts> {
  if (kind === 'notice') {
    const values = { list: facts.list, email: facts.email, time: formatDate(facts.statusAt) };
    return { subject: text(language, 'notice.subject', values), text: text(language, 'notice.mail', values) };
  }
  const texts = await textsOf(app.db, account_id, list_id, language);
  const values = {
    ...(kind === 'confirm' ? {} : facts.fields),
    EMAIL: facts.email,
    'LIST:NAME': facts.list,
    'LIST:COMPANY': facts.company,
    'LIST:ADDRESS': facts.address,
    'LIST:URL': facts.website,
    UNSUB: urls.unsubscribe,
    UPDATE_PROFILE: urls.profile,
    ...(kind === 'confirm' ? { CONFIRM: urls.confirm } : {}),
  };
  const filled = (part: 'subject' | 'text' | 'html') =>
    fillTags(texts(`${kind}.${part}` as ListTextName), values, part === 'html' ? 'html' : 'plain');
  return { subject: filled('subject').replace(/[\r\n]+/g, ' '), text: filled('text'), html: filled('html') };
}

async function factsOf(app: App, { account_id, list_id, contact_id }: Membership): Promise<Facts | undefined> {
  return app.db.row<Facts>(sql`
    select c.email, c.email_key as "emailKey", s.status, s.status_at as "statusAt", c.language, l.name as list, l.default_language as "listLanguage",
      l.company, l.postal_address as address, l.website, s.fields,
      l.default_from_name as "fromName", l.default_from_email as "fromEmail", coalesce(${activeSender}, a.email) as sender, a.email as account,
      a.language as "accountLanguage",
      a.active and a.may_send as active, ${suppressed(account_id, sql`c.email_key`, sql`c.domain`)} as suppressed
    from subscription s
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    join list l on l.account_id = s.account_id and l.id = s.list_id
    join account a on a.id = s.account_id
    where s.account_id = ${account_id}
      and s.list_id = ${list_id}
      and s.contact_id = ${contact_id}`);
}

const activeSender = sql`(
  select from_sender.email
  from sender from_sender
  join sender_domain d on d.account_id = from_sender.account_id and d.domain = split_part(from_sender.email, '@', 2)
  where from_sender.account_id = l.account_id
    and from_sender.id = l.sender_id
    and d.active
    and ${maySetSenderIn(sql`a`)}
)`;
