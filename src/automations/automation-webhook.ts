// The incoming webhook of an automation: a URL with a secret, to which a shop or another service posts when something happens to
// a contact. The contact enters the automation if it is a subscribed member of its list; a request subscribes no one.

import { hashToken, newToken } from '../accounts/access/token.ts';
import { readUntidyMailbox } from '../audience/address.ts';
import type { App, Context } from '../base/context.ts';
import { type Queries, sql, type Tx } from '../db/connect.ts';
import { jsonb } from '../db/jsonb.ts';
import { formatDate } from '../method/date.ts';
import { needAutomation } from './model/automation.ts';
import { requestName } from './model/entering-event.ts';
import { isObject, memberOf, withinBytes } from './received/mapping.ts';

/** What became of a request; the last one is shown with the automation. */
export const incomingResults = ['entered', 'not_active', 'not_subscribed', 'no_address', 'unreadable'] as const;
export type IncomingResult = (typeof incomingResults)[number];

/** The member that has the address when the trigger names none. */
export const usualMember = 'email';

const urlOf = ({ baseUrl }: App, token: string) => `${baseUrl}/in/automation/${token}`;

/** Gives an automation a URL; one that it had ends. The URL is returned once: only a hash of its token is stored. */
export async function makeWebhookUrl(context: Context, { id }: { id: string }): Promise<{ url: string }> {
  const { app, tx, account } = context;
  const automation = await needAutomation(context, id);
  const token = newToken();
  await tx.run(sql`
    insert into automation_webhook (account_id, automation_id, token_hash, hint)
    values (${account.id}, ${automation.id}, ${hashToken(token)}, ${token.slice(-4)})
    on conflict (account_id, automation_id) do update
    set token_hash = excluded.token_hash, hint = excluded.hint, last_at = null, last_result = ''`);
  return { url: urlOf(app, token) };
}

/** The URL with its token masked, and the last request; empty without a URL. */
export async function webhookOf({ app, tx, account }: Context, automationId: number) {
  const row = await tx.row<{ hint: string; lastAt: Date | null; lastResult: IncomingResult | '' }>(sql`
    select hint, last_at as "lastAt", last_result as "lastResult"
    from automation_webhook
    where account_id = ${account.id}
      and automation_id = ${automationId}`);
  return {
    url: row ? urlOf(app, `…${row.hint}`) : '',
    last_at: formatDate(row?.lastAt ?? null),
    last_result: row?.lastResult ?? '',
  };
}

export type IncomingWebhook = {
  account: number;
  automation: number;
  /** The member of a request that has the address. */
  member: string;
  /** Whether it lets contacts enter now: the automation is active, and this is the trigger of the version in force. */
  isActive: boolean;
};

/** The webhook of a URL; undefined when there is none with this token, or the account is disabled. */
export async function incomingWebhook(db: Queries, token: string): Promise<IncomingWebhook | undefined> {
  return db.row<IncomingWebhook>(sql`
    select w.account_id as account, w.automation_id as automation,
      coalesce(v.definition -> 'trigger' ->> 'member', '') as member,
      a.status = 'active' and a.trigger_type = 'webhook' as "isActive"
    from automation_webhook w
    join account o on o.id = w.account_id and o.active
    join automation a on a.account_id = w.account_id and a.id = w.automation_id
    left join automation_version v on v.account_id = a.account_id and v.automation_id = a.id and v.no = a.version
    where w.token_hash = ${hashToken(token)}`);
}

/**
 * Lets the contact that a request names enter.
 * @param body the request as JSON or as a form; undefined when it could not be read
 */
export async function takeIncoming(tx: Tx, webhook: IncomingWebhook, body: unknown): Promise<IncomingResult> {
  const result = await resultOf(tx, webhook, body);
  await tx.run(sql`
    update automation_webhook
    set last_at = now(), last_result = ${result}
    where account_id = ${webhook.account}
      and automation_id = ${webhook.automation}`);
  return result;
}

async function resultOf(
  tx: Tx,
  { account, automation, member, isActive }: IncomingWebhook,
  body: unknown,
): Promise<IncomingResult> {
  if (body === undefined) return 'unreadable';
  // Before its first start the automation has no version, and so no member.
  if (!isActive) return 'not_active';
  const given = memberOf(body, member || usualMember);
  const address = typeof given === 'string' ? readUntidyMailbox(given) : undefined;
  if (!address?.ok) return 'no_address';
  const data = withinBytes(isObject(body) && !Array.isArray(body) ? body : {});
  // Whether it may enter again is decided when the signal is taken.
  const entered = await tx.run(sql`
    insert into automation_signal (account_id, automation_id, contact_id, kind, event)
    select a.account_id, a.id, s.contact_id, 'enter',
      jsonb_build_object('name', ${requestName}::text, 'at', now(), 'value', null, 'data', ${jsonb(data)}::jsonb)
    from automation a
    join contact c on c.account_id = a.account_id and c.email_key = ${address.key}
    join subscription s
      on s.account_id = a.account_id
      and s.list_id = a.list_id
      and s.contact_id = c.id
      and s.status = 'subscribed'
    where a.account_id = ${account}
      and a.id = ${automation}`);
  return entered > 0 ? 'entered' : 'not_subscribed';
}
