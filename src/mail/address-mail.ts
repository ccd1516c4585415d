// The emails about a new address of a contact: the link to the new one, and the notice to the former one. Plain text in the language of
// the contact, from the sender of a list that it is on. The link's email names neither the former address nor any value: the new
// mailbox may be of another person.

import { onBehalf } from '../accounts/account/system-context.ts';
import { parseAddress } from '../audience/address.ts';
import { addressLinkDays, addressRequestOf } from '../audience/members/address-change.ts';
import { suppressed } from '../audience/model/suppression.ts';
import type { Context } from '../base/context.ts';
import { sql } from '../db/connect.ts';
import type { Payload, TaskContext } from '../jobs/tasks.ts';
import { languageFor, text } from '../locales/text.ts';
import { queueMessage } from '../messages/program-message.ts';
import { addressToken } from '../tracking/address-token.ts';
import { activeSender } from './list-mail.ts';
import { oneLine } from './send-account-notice.ts';

/** Asks at the address that a contact asked for last, if that still waits. */
export async function sendAddressLink({ app, job }: TaskContext, given: Payload<'sendAddressLink'>): Promise<void> {
  await onBehalf(app, given.account_id, '', async (context) => {
    const request = await addressRequestOf(context, given.contact_id);
    const facts = request && (await factsOf(context, given.contact_id, request.listId));
    if (!request || !facts?.active || (await isBlocked(context, request.email, 'unsubscribe'))) return;
    const { language, name } = facts;
    const ids = { account: given.account_id, contact: given.contact_id, email: request.email };
    const url = `${app.baseUrl}/address/${addressToken(app, ids)}`;
    const lateAt = new Date(request.askedAt.getTime() + addressLinkDays * 86_400_000);
    await queueMessage(
      context,
      { purpose: 'confirm', job, from: fromOf(facts), to: request.email, lateAt, ofList: true },
      () => ({
        subject: oneLine(text(language, 'address.subject', { name })),
        text: text(language, 'address.mail', { name, url }),
        ...replyTo(facts),
      }),
    );
  });
}

/** Notifies the address that a contact had, unless it may not be written to. */
export async function sendMovedNotice({ app, job }: TaskContext, given: Payload<'sendMovedNotice'>): Promise<void> {
  await onBehalf(app, given.account_id, '', async (context) => {
    const { tx, account } = context;
    // Nothing once the contact was erased.
    const change = await tx.row<{ old: string }>(sql`
      select k.detail ->> 'old' as old
      from consent k
      join contact c on c.account_id = k.account_id and c.id = k.contact_id
      where k.account_id = ${account.id}
        and k.contact_id = ${given.contact_id}
        and k.kind = 'address'
        and k.detail ? 'old'
      order by k.id desc
      limit 1
      for key share of c`);
    const facts = change && (await factsOf(context, given.contact_id));
    if (!change || !facts?.active || (await isBlocked(context, change.old, 'unsubscribe'))) return;
    const { language, name } = facts;
    await queueMessage(context, { purpose: 'notice', job, from: fromOf(facts), to: change.old, ofList: true }, () => ({
      subject: oneLine(text(language, 'address.moved-subject', { name })),
      text: text(language, 'address.moved', { name }),
      ...replyTo(facts),
    }));
  });
}

type Facts = {
  active: boolean;
  language: string;
  /** Who sends, as readers know it. */
  name: string;
  fromName: string;
  replyTo: string;
  sender: string;
};

/** @param listId whose sender writes; by default that of the first list that the contact is on */
async function factsOf({ tx, account }: Context, contactId: number, listId?: number): Promise<Facts | undefined> {
  const row = await tx.row<Omit<Facts, 'language'> & { own: string; ofList: string | null; ofAccount: string }>(sql`
    select a.active and a.may_send as active, c.language as own, l.default_language as "ofList", a.language as "ofAccount",
      coalesce(nullif(l.company, ''), nullif(a.company, ''), a.name) as name,
      coalesce(nullif(l.default_from_name, ''), nullif(a.company, ''), a.name) as "fromName",
      coalesce(l.default_from_email, '') as "replyTo", coalesce(${activeSender}, a.email) as sender
    from contact c
    join account a on a.id = c.account_id
    left join lateral (
      select li.*
      from list li
      left join subscription s on s.account_id = li.account_id and s.list_id = li.id and s.contact_id = c.id
      where li.account_id = c.account_id
        and (li.id = ${listId ?? null}::int or s.contact_id is not null)
      order by (li.id = ${listId ?? null}::int) desc nulls last, s.status <> 'subscribed', s.signup_at
      limit 1
    ) l on true
    where c.account_id = ${account.id}
      and c.id = ${contactId}`);
  return row && { ...row, language: languageFor(row.own, row.ofList ?? '', row.ofAccount) };
}

const fromOf = ({ fromName, sender }: Facts) => ({ name: fromName, email: sender });
const replyTo = ({ replyTo }: Facts) => (replyTo === '' ? {} : { replyTo });

async function isBlocked({ tx, account }: Context, email: string, except: 'unsubscribe'): Promise<boolean> {
  const address = parseAddress(email);
  if (!address.ok) return true;
  const row = await tx.row<{ blocked: boolean }>(sql`
    select ${suppressed(account.id, sql`${address.key}::text`, sql`${address.domain}::text`, except)} as blocked`);
  return row!.blocked;
}
