// Reminds pending contacts once of the confirmation they were asked for, so many days after the sign-up as the list says. The
// mark and the job of the email are one transaction, and that job sends one email however often it runs, so a crash sends none twice.
import { onBehalf } from '../../accounts/account/system-context.ts';
import { type Sql, sql } from '../../db/connect.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { TaskContext } from '../../jobs/tasks.ts';
import { isLimitReached, lockMailbox, mailboxHash, mayAskToConfirm } from '../confirmation/confirmation-limit.ts';

export const maxReminderDays = 30;
/** Sign-ups that became due longer ago than this are not reminded: the setting may be new, or no worker has run. */
const lateDays = 3;
/** Contacts of a run; the next one takes the others. */
const maxContacts = 5_000;

type Due = { account_id: number; list_id: number; contact_id: number; key: string };

/** Those who came by an import were not asked by a form or a call, and are not reminded. */
const isDue: Sql = sql`
  s.status = 'pending'
  and s.source <> 'import'
  and (s.reminded_at is null or s.reminded_at < s.signup_at)`;

export async function remindPending({ app, signal }: Pick<TaskContext, 'app' | 'signal'>): Promise<void> {
  const due = await app.db.rows<Due>(sql`
    select s.account_id, s.list_id, s.contact_id, c.email_key as key
    from (
      select account_id, id, (form ->> 'remind_after_days')::int as days
      from list
      where coalesce((form ->> 'remind_after_days')::int, 0) > 0
    ) l
    join subscription s on s.account_id = l.account_id and s.list_id = l.id
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    where ${isDue}
      and s.signup_at <= now() - make_interval(days => l.days)
      and s.signup_at > now() - make_interval(days => l.days + ${lateDays}::int)
    order by s.signup_at
    limit ${maxContacts}`);
  for (const one of due) {
    if (signal.aborted) return;
    await remind(app, one);
  }
}

async function remind(app: TaskContext['app'], { key, ...member }: Due): Promise<void> {
  await onBehalf(app, member.account_id, '', async (context) => {
    // First, as a sign-up does. A mailbox that was asked often enough today is reminded another day.
    await lockMailbox(context, key);
    if (await isLimitReached(context.tx, mailboxHash(app, key), member.account_id, member.list_id)) return;
    const marked = await context.tx.run(sql`
      update subscription s
      set reminded_at = now()
      where s.account_id = ${member.account_id}
        and s.list_id = ${member.list_id}
        and s.contact_id = ${member.contact_id}
        and ${isDue}`);
    if (marked === 0 || !(await mayAskToConfirm(context, member.list_id, key))) return;
    await enqueue(context.tx, 'sendConfirmation', member, { priority: 'bulk' });
  });
}
