// Mail to the people who run the installation: to postmaster (RFC 5321 4.5.1) and abuse (RFC 2142 4) of the bounce domain, and what large
// mailbox providers write to the address for complaints when it is registered, such as a code to confirm it. It is passed on to the
// main address of the operator's account as a notice: its text only, and a few a day, since anyone can write there.
import { noticeToAccount } from '../../accounts/notices/account-notice.ts';
import type { App } from '../../base/context.ts';
import { message } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { cut } from '../../db/jsonb.ts';
import { allParts, field, readMail, textOf } from '../../delivery/message/mime-tree.ts';
import { withoutMarkup } from '../parse/text.ts';
import type { Taken } from './taken.ts';

/** What one process passes on in a day. */
export const passedOnLimit = { perDay: 20 };
const dayMs = 24 * 3_600_000;
const maxText = 20_000;

let count = 0;
let since = Number.NEGATIVE_INFINITY;

/** @param to the local part of the address it was sent to */
export async function passOn(app: App, to: string, raw: Buffer): Promise<Taken> {
  if (performance.now() - since > dayMs) {
    count = 0;
    since = performance.now();
  }
  if (count >= passedOnLimit.perDay) return { kind: 'nothing', why: 'enough mail was passed on to the operator today' };
  // The oldest account is that of the operator.
  const account = await app.db.row<{ id: number }>(sql`select id from account order by created_at, id limit 1`);
  if (!account) return { kind: 'nothing', why: 'there is no account that it could be passed on to' };
  count += 1;
  const mail = readMail(raw);
  const values = {
    address: `${to}@${app.config.bounceDomain}`,
    from: plain(field(mail, 'from'), 300),
    subject: plain(field(mail, 'subject'), 200),
  };
  await noticeToAccount(app.db, account.id, {
    subject: message('operator_mail.subject', values),
    paragraphs: [message('operator_mail.text', values), readableText(raw)],
  });
  return { kind: 'nothing', why: 'it was passed on to the operator' };
}

function readableText(raw: Buffer): string {
  const parts = allParts(readMail(raw)).filter((part) => part.parts.length === 0);
  const found = ['text/plain', 'text/html'].flatMap((type) =>
    parts.filter((part) => part.type === type && textOf(part).trim() !== ''),
  )[0];
  if (!found) return '';
  const text = found.type === 'text/html' ? withoutMarkup(textOf(found)) : textOf(found);
  return cut(
    text
      .replace(/[^\P{Cc}\n\t]/gu, '')
      .replace(/\n{3,}/g, '\n\n')
      .trim()
      .toWellFormed(),
    maxText,
  );
}

/** One line without control characters. */
const plain = (text: string, max: number) =>
  cut(
    text
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim()
      .toWellFormed(),
    max,
  );
