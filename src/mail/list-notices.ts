// Notices to the owner of a list: who has subscribed or left since the last one. The first comes within two minutes, further
// ones are collected, so that a flood of sign-ups is one email an hour. The lines go in the transaction that writes the email.
import { onBehalf } from '../accounts/account/system-context.ts';
import { notifiedOf } from '../audience/lists/options.ts';
import type { NoticeKind } from '../audience/members/owner-notice.ts';
import type { Context } from '../base/context.ts';
import { languageOf, type MessageLanguage, message, renderMessage } from '../base/messages.ts';
import { sql } from '../db/connect.ts';
import type { TaskContext } from '../jobs/tasks.ts';
import { timeInZone } from '../locales/text.ts';
import { queueMessage } from '../messages/program-message.ts';
import { oneLine, senderFor } from './send-account-notice.ts';

/** People that one notice names; the others are counted. */
const maxNamed = 50;

type Due = { account: number; list: number };

export async function sendListNotices({ app, signal }: Pick<TaskContext, 'app' | 'signal'>): Promise<void> {
  const due = await app.db.rows<Due>(sql`
    select l.account_id as account, l.id as list
    from (select account_id, list_id, min(at) as at from list_notice group by account_id, list_id) n
    join list l on l.account_id = n.account_id and l.id = n.list_id
    where n.at < now() - interval '1 minute'
      and (l.notified_at is null or l.notified_at < now() - interval '1 hour')
    order by n.at
    limit 1000`);
  for (const { account, list } of due) {
    if (signal.aborted) return;
    await onBehalf(app, account, '', (context) => notify(context, list));
  }
}

type List = { name: string; notifyTo: string; isLate: boolean; kinds: NoticeKind[] };
type Person = { kind: NoticeKind; email: string; at: Date };
type Counts = Record<NoticeKind, number>;

async function notify(context: Context, listId: number): Promise<void> {
  const { tx, account } = context;
  // Another worker may have sent it meanwhile.
  const list = await tx.row<List>(sql`
    select name, notify_to as "notifyTo", notified_at is null or notified_at < now() - interval '1 hour' as "isLate",
      array_remove(array[
        case when subscription_notify then 'subscribe' end, case when unsubscription_notify then 'unsubscribe' end
      ], null) as kinds
    from list
    where account_id = ${account.id}
      and id = ${listId}
    for update`);
  if (!list?.isLate) return;
  const people = await tx.rows<Person>(sql`
    select n.kind, c.email, n.at
    from (
      select kind, contact_id, at, row_number() over (partition by kind order by at, contact_id) as place
      from list_notice
      where account_id = ${account.id}
        and list_id = ${listId}
        and kind = any (${list.kinds}::text[])
    ) n
    join contact c on c.account_id = ${account.id} and c.id = n.contact_id
    where n.place <= ${maxNamed}
    order by n.kind, n.place`);
  const counts = (await tx.row<Counts>(sql`
    with gone as (
      delete from list_notice
      where account_id = ${account.id}
        and list_id = ${listId}
      returning kind
    )
    select count(*) filter (where kind = 'subscribe')::int as subscribe,
      count(*) filter (where kind = 'unsubscribe')::int as unsubscribe
    from gone
    where kind = any (${list.kinds}::text[])`))!;
  await tx.run(sql`update list set notified_at = now() where account_id = ${account.id} and id = ${listId}`);
  if (!account.active || people.length === 0) return;
  const language = languageOf(account.language);
  const texts = {
    subject: oneLine(subjectOf(list.name, people, counts, language)),
    // The log does not show who: a contact may ask to be erased.
    loggedSubject: oneLine(countsOf(list.name, counts, language)),
    text: textOf(list.name, people, counts, { language, timeZone: account.timeZone }),
  };
  const named = notifiedOf(list.notifyTo);
  for (const to of named.length > 0 ? named : [account.email])
    await queueMessage(
      context,
      { purpose: 'notice', job: undefined, from: senderFor(context), to, ofList: true },
      () => texts,
    );
}

function subjectOf(list: string, people: readonly Person[], counts: Counts, language: MessageLanguage): string {
  const [only] = people;
  if (!only || counts.subscribe + counts.unsubscribe > 1) return countsOf(list, counts, language);
  return renderMessage(message(`list_notice.one.${only.kind}`, { email: only.email, list }), language);
}

const countsOf = (list: string, { subscribe, unsubscribe }: Counts, language: MessageLanguage) =>
  renderMessage(message('list_notice.counts', { list, subscribe, unsubscribe }), language);

function textOf(
  list: string,
  people: readonly Person[],
  counts: Counts,
  { language, timeZone }: { language: MessageLanguage; timeZone: string },
): string {
  const parts = (['subscribe', 'unsubscribe'] as const).flatMap((kind) => {
    const named = people.filter((person) => person.kind === kind);
    if (named.length === 0) return [];
    const more = counts[kind] - named.length;
    return [
      [
        renderMessage(message(`list_notice.heading.${kind}`, { list, count: counts[kind] }), language),
        ...named.map(({ email, at }) => `${email}, ${timeInZone(at, language, timeZone)}`),
        ...(more > 0 ? [renderMessage(message('list_notice.more', { count: more }), language)] : []),
      ].join('\n'),
    ];
  });
  return `${[...parts, renderMessage(message('list_notice.about'), language)].join('\n\n')}\n`;
}
