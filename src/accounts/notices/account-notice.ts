// Account notices: emails of the program to the owner of an account, in the language of the account. The one way to send one, except
// for what a person has written. Sent when the transaction of its cause commits.
import { languageOf, type Message, renderMessage } from '../../base/messages.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { enqueue } from '../../jobs/queue.ts';

/** @param paragraphs a string is text of others, such as the reply of a server */
export type AccountNotice = { subject: Message; paragraphs: readonly (Message | string)[] };

export async function noticeToAccount(
  tx: Queries,
  accountId: number,
  { subject, paragraphs }: AccountNotice,
): Promise<void> {
  const account = await tx.row<{ language: string }>(sql`select language from account where id = ${accountId}`);
  if (!account) return;
  const language = languageOf(account.language);
  const texts = paragraphs.map((part) => (typeof part === 'string' ? part : renderMessage(part, language)));
  await enqueue(tx, 'sendAccountNotice', {
    account_id: accountId,
    subject: renderMessage(subject, language),
    text: `${texts.join('\n\n')}\n`,
  });
}
