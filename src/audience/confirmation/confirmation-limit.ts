// Limits confirmation messages to one mailbox: one per list in a minute, so that a click or call that is repeated sends one, and three
// in 24 hours from all lists of the installation, through any door. One that was confirmed does not count: the person wanted it. Also
// holds for concurrent calls. Stores no address: a mailbox is a keyed hash.
import { createHmac } from 'node:crypto';
import { onBehalf } from '../../accounts/account/system-context.ts';
import type { App, Context } from '../../base/context.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Payload, TaskContext } from '../../jobs/tasks.ts';
import { mailboxOf } from '../address.ts';

/** Confirmation messages to one mailbox in 24 hours, from all lists together. */
export const maxRequestsPerDay = 3;
/** Between two from one list. */
const minGapSeconds = 60;

/**
 * Whether a confirmation message may be sent. Counts it; the caller enqueues it in the same transaction.
 * @param further lists that the same message asks about
 */
export async function mayAskToConfirm(
  context: Context,
  listId: number,
  emailKey: string,
  further: readonly number[] = [],
): Promise<boolean> {
  const { tx, account, app } = context;
  const mailbox = mailboxHash(app, emailKey);
  await lockMailbox(context, emailKey);
  if (await isLimitReached(tx, mailbox, account.id, listId)) return false;
  await tx.run(sql`
    insert into confirmation_asked (mailbox, account_id, list_id, asked_at)
    select ${mailbox}, ${account.id}::int, list_id, asked_at
    from unnest(${[listId, ...further]}::int[]) list_id, (select clock_timestamp() as asked_at) now`);
  return true;
}

/** Serialises sign-ups of one mailbox until their transactions end. */
export async function lockMailbox({ tx, app }: Context, emailKey: string): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${mailboxHash(app, emailKey)}, 95))`);
}

/** Whether another confirmation message to this mailbox would exceed the limit. */
export async function isLimitReached(
  db: Queries,
  mailbox: string,
  accountId: number,
  listId: number,
): Promise<boolean> {
  const asked = await db.row<{ all: number; justNow: boolean }>(sql`
    select count(distinct asked_at)::int as all,
      coalesce(bool_or(
        account_id = ${accountId}
        and list_id = ${listId}
        and asked_at > clock_timestamp() - make_interval(secs => ${minGapSeconds})
      ), false) as "justNow"
    from confirmation_asked
    where mailbox = ${mailbox}
      and asked_at > clock_timestamp() - interval '24 hours'`);
  return asked!.justNow || asked!.all >= maxRequestsPerDay;
}

/** After a confirmation: the same person may leave, and be asked again at once. */
export async function forgetAsked({ tx, app, account }: Context, listId: number, emailKey: string): Promise<void> {
  await tx.run(sql`
    delete from confirmation_asked
    where mailbox = ${mailboxHash(app, emailKey)}
      and account_id = ${account.id}
      and list_id = ${listId}`);
}

/** After a pending member was deleted, whose link confirms nothing any more: the next sign-up need not wait. It still counts for the day. */
export async function allowAskingAgain({ tx, app, account }: Context, listId: number, emailKey: string): Promise<void> {
  await tx.run(sql`
    update confirmation_asked
    set asked_at = asked_at - make_interval(secs => ${minGapSeconds})
    where mailbox = ${mailboxHash(app, emailKey)}
      and account_id = ${account.id}
      and list_id = ${listId}`);
}

export const mailboxHash = (app: App, emailKey: string): string =>
  createHmac('sha256', app.secret)
    .update(`mailbox ${mailboxOf(emailKey)}`)
    .digest('base64url');

/** One contact of many: an import cannot hold the locks of all its mailboxes while it writes. */
export async function askToConfirm({ app }: TaskContext, given: Payload<'askToConfirm'>): Promise<void> {
  await onBehalf(app, given.account_id, '', async (context) => {
    const contact = await context.tx.row<{ key: string }>(sql`
      select c.email_key as key
      from subscription s
      join contact c on c.account_id = s.account_id and c.id = s.contact_id
      where s.account_id = ${given.account_id}
        and s.list_id = ${given.list_id}
        and s.contact_id = ${given.contact_id}
        and s.status = 'pending'`);
    if (contact && (await mayAskToConfirm(context, given.list_id, contact.key)))
      await enqueue(context.tx, 'sendConfirmation', given, { priority: 'bulk' });
  });
}

/** Deletes sign-up and confirmation counts that are too old to limit anything. */
export async function deleteOldSignupCounts({ app }: TaskContext): Promise<void> {
  await app.db.run(sql`delete from confirmation_asked where asked_at < now() - interval '2 days'`);
  await app.db.run(sql`delete from signup_count where hour < now() - interval '1 day'`);
  await app.db.run(sql`delete from signup_proof where at < now() - interval '2 days'`);
}
