// Notices by email about changes that outlive a session, so a person learns when someone else has used their browser. In
// the language of the account; sent when the change commits.
import { languageOf, type Message, message, renderMessage } from '../../base/messages.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { enqueue } from '../../jobs/queue.ts';

/** @param what the change, as a sentence; the notice goes to the account's main address, or to `to` */
export async function noticeOfChange(
  tx: Tx,
  accountId: number,
  { what, ip, to }: { what: Message; ip: string; to?: string },
): Promise<void> {
  const account = await tx.row<{ name: string; language: string }>(sql`
    select name, language from account where id = ${accountId}`);
  if (!account) return;
  const language = languageOf(account.language);
  const change = renderMessage(what, language);
  const origin = ip === '' ? [] : [renderMessage(message('notice.origin', { ip }), language)];
  await enqueue(tx, 'sendAccountNotice', {
    account_id: accountId,
    ...(to && { to }),
    subject: `${account.name}: ${change}`,
    text: `${[change, ...origin, renderMessage(message('notice.advice'), language)].join('\n\n')}\n`,
  });
}

/** Notifies a person of a change to their own sign-in. */
export async function noticeToPerson(
  tx: Tx,
  accountId: number,
  { userId, what, ip }: { userId: number; what: Message; ip: string },
): Promise<void> {
  const person = await tx.row<{ email: string }>(sql`select email from app_user where id = ${userId}`);
  if (person) await noticeOfChange(tx, accountId, { what, ip, to: person.email });
}
