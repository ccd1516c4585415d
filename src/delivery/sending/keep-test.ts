// A message that was sent with a test key, or from a test account: it stays in the built-in inbox, whatever address it is to. No relay is
// asked, so nothing that a relay or a receiving server might answer is learned from it. A copy after a crash finds the first one there and
// is not kept twice. The inbox keeps the newest of each test account.
import PostalMime from 'postal-mime';
import type { App } from '../../base/context.ts';
import type { Log } from '../../base/log.ts';
import { isUnavailable, sql } from '../../db/connect.ts';
import type { Outcome } from '../../relays/verdict/outcome.ts';

type Kept = {
  account: number;
  /** Its campaign and number. */
  recipient: string;
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
  { account, recipient, mailFrom, rcptTo, message, onDot }: Kept,
): Promise<Outcome> {
  if (!onDot()) return { kind: 'notSent' };
  const reply = (code: number, text: string): Outcome => ({ kind: 'reply', stage: 'dot', code, text, dotted: true });
  try {
    const source = Buffer.from(message.toString('latin1').replace(/(^|\r\n)\.\./g, '$1.'), 'latin1');
    const end = source.indexOf('\r\n\r\n');
    const head = await PostalMime.parse(end < 0 ? source : source.subarray(0, end + 4));
    const header = (name: string) => clean(head.headers.find(({ key }) => key === name)?.value ?? '');
    await app.db.run(sql`
      insert into inbox_message (mail_from, rcpt_to, account_id, subject, from_header, to_header, size, source, recipient)
      values (${clean(mailFrom)}, ${[clean(rcptTo)]}::text[], ${account}, ${clean(head.subject ?? '')}, ${header('from')}, ${header('to')},
        ${source.length}, ${source}, ${recipient})
      on conflict (account_id, recipient) where recipient is not null do nothing`);
    if (++kept % trimEvery === 0) await trim(app, account);
    return reply(250, 'Kept in the built-in inbox: sent with a test key');
  } catch (error) {
    if (!isUnavailable(error)) log.error({ err: error, account }, 'a message of a test key could not be kept');
    return reply(451, 'The built-in inbox cannot keep the message now');
  }
}

/** As many as the inbox keeps of what it catches. */
const maxKept = 10_000;
const trimEvery = 500;
let kept = 0;

async function trim(app: App, account: number): Promise<void> {
  await app.db.run(sql`
    delete from inbox_message
    where account_id = ${account}
      and id <= (
        select id from inbox_message where account_id = ${account} order by id desc offset ${maxKept} limit 1
      )`);
}

const clean = (text: string) => text.replaceAll('\0', '').slice(0, 1_000);
