// A message that was sent with a test key: it stays in the built-in inbox, whatever address it is to. No relay is asked, so nothing that a
// relay or a receiving server might answer is learned from it.
import PostalMime from 'postal-mime';
import type { App } from '../../base/context.ts';
import type { Log } from '../../base/log.ts';
import { isUnavailable, sql } from '../../db/connect.ts';
import type { Outcome } from '../../relays/verdict/outcome.ts';

type Kept = {
  account: number;
  mailFrom: string;
  rcptTo: string;
  /** As for SMTP: lines that begin with a dot have another one. */
  message: Buffer;
  /** Called before it is written; false when it must not be. */
  onDot(): boolean;
};

export async function keepTest(
  app: App,
  log: Log,
  { account, mailFrom, rcptTo, message, onDot }: Kept,
): Promise<Outcome> {
  if (!onDot()) return { kind: 'notSent' };
  const reply = (code: number, text: string): Outcome => ({ kind: 'reply', stage: 'dot', code, text, dotted: true });
  try {
    const source = Buffer.from(message.toString('latin1').replace(/(^|\r\n)\.\./g, '$1.'), 'latin1');
    const end = source.indexOf('\r\n\r\n');
    const head = await PostalMime.parse(end < 0 ? source : source.subarray(0, end + 4));
    const header = (name: string) => clean(head.headers.find(({ key }) => key === name)?.value ?? '');
    await app.db.run(sql`
      insert into inbox_message (mail_from, rcpt_to, account_id, subject, from_header, to_header, size, source)
      values (${clean(mailFrom)}, ${[clean(rcptTo)]}::text[], ${account}, ${clean(head.subject ?? '')}, ${header('from')}, ${header('to')},
        ${source.length}, ${source})`);
    return reply(250, 'Kept in the built-in inbox: sent with a test key');
  } catch (error) {
    if (!isUnavailable(error)) log.error({ err: error, account }, 'a message of a test key could not be kept');
    return reply(451, 'The built-in inbox cannot keep the message now');
  }
}

const clean = (text: string) => text.replaceAll('\0', '').slice(0, 1_000);
