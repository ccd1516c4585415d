// The log of refused sign-ups, so that an owner sees whether a form is under attack or turns people away. An address is shortened
// and a network stands for the caller, because no one agreed to be in it. Kept for 30 days, at most 200 entries of a form an hour.
import { networkOf } from '../../base/client-network.ts';
import type { App, Context } from '../../base/context.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatDate } from '../../method/date.ts';
import type { Page } from '../../method/paging.ts';
import { needList } from '../model/list.ts';
import type { Form } from './form.ts';
import { increment } from './sign-up-count.ts';

/** Why a sign-up was refused; `not_asked` is an address that gets no email: known, suppressed, or asked too often. */
export const refusalReasons = [
  'origin',
  'network_limit',
  'trap',
  'token',
  'proof',
  'domain',
  'form_limit',
  'not_asked',
] as const;

export type RefusalReason = (typeof refusalReasons)[number];

const maxPerHour = 200;

type Refused = { reason: RefusalReason; email: string; ip: string; origin?: string };

export async function noteRefusedSignUp(
  app: App,
  { accountId, listId }: Pick<Form, 'accountId' | 'listId'>,
  { reason, email, ip, origin = '' }: Refused,
): Promise<void> {
  const { count } = await increment(app.db, `refused ${accountId}.${listId}`);
  if (count > maxPerHour) return;
  await app.db.run(sql`
    insert into signup_refusal (account_id, list_id, reason, email, network, origin)
    values (${accountId}, ${listId}, ${reason}, ${shortened(email)}, ${networkShown(ip)}, ${origin.slice(0, 200)})`);
}

/** The refused sign-ups of a list's form, the newest first. @throws Fault LIST_UNKNOWN */
export async function refusedSignUps(context: Context, { id, start, limit }: { id: string } & Page) {
  const list = await needList(context, id);
  const rows = await context.tx.rows<{
    at: Date;
    reason: RefusalReason;
    email: string;
    network: string;
    origin: string;
  }>(sql`
    select at, reason, email, network, origin
    from signup_refusal
    where account_id = ${context.account.id}
      and list_id = ${list.id}
    order by id desc
    limit ${limit}
    offset ${start * limit}`);
  return rows.map(({ at, ...row }) => ({ at: formatDate(at), ...row }));
}

export async function purgeRefusals(db: Queries): Promise<void> {
  await db.run(sql`delete from signup_refusal where at < now() - interval '30 days'`);
}

/** @example j…@example.com */
export function shortened(email: string): string {
  const text = email.trim().replace(/\s+/g, ' ').slice(0, 320);
  const at = text.lastIndexOf('@');
  const [first = ''] = text;
  return at > 0 ? `${first}…${text.slice(at)}` : text === '' ? '' : `${first}…`;
}

/** An IPv4 address without its last number, and the /64 of an IPv6 address. */
const networkShown = (ip: string) => networkOf(ip).replace(/^(\d+\.\d+\.\d+)\.\d+$/, '$1.0/24');
