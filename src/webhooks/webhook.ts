// A webhook: finding it, the record that methods return, and checking its options.
import type { Context } from '../base/context.ts';
import { Fault, fault } from '../base/faults.ts';
import { type Message, message, renderPacked } from '../base/messages.ts';
import { type Sql, sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { type EventSource, eventPatterns, eventSources, eventTypeNames } from '../events/types.ts';
import { formatDate } from '../method/date.ts';
import { readLine } from '../method/params.ts';
import { type Algorithm, algorithms, openSecret } from './signature.ts';

export const formats = ['standard', 'classic'] as const;
/** unverified: the address did not answer yet; off: no events are taken up. */
export const statuses = ['active', 'unverified', 'paused', 'off'] as const;
export type Status = (typeof statuses)[number];

export type Found = { id: number; url: string; status: Status };

/** The webhook with a public id. @throws Fault WEBHOOK_UNKNOWN, also for a webhook of another account */
export async function needWebhook(context: Pick<Context, 'tx' | 'account'>, named: string): Promise<Found> {
  const found = await context.tx.row<Found>(findWebhook(context.account.id, named));
  if (!found) throw unknownWebhook(named);
  return found;
}

export const findWebhook = (accountId: number, named: string): Sql => sql`
  select id, url, status
  from webhook
  where account_id = ${accountId}
    and id = ${parseId(named)}`;

export const unknownWebhook = (named: string) =>
  fault('WEBHOOK_UNKNOWN', 'webhook.unknown', { member: 'wid', id: named.slice(0, 40) });

/** All webhooks of the account, as the methods show them. */
export async function webhookRecords({ app, tx, account, language }: Context) {
  const rows = await tx.rows<{
    id: number;
    web_id: number;
    title: string;
    created_at: Date;
    list_id: number | null;
    list_name: string | null;
    last_event_at: Date | null;
    total_events: number;
    waiting_events: number;
    dropped_events: number;
    status: Status;
    status_reason: string;
    failing_since: Date | null;
    next_try: Date | null;
    url: string;
    secret: Buffer | null;
    algorithm: Algorithm;
    format: (typeof formats)[number];
    signature_header: string;
    events: string[];
    sources: EventSource[];
  }>(sql`
    select w.id, w.web_id, w.title, w.created_at, w.list_id, l.name as list_name,
      greatest(d.last_event_at, e.last_at) as last_event_at, d.ended_events + e.count as total_events, e.count as waiting_events,
      d.dropped_events,
      w.status, w.status_reason, w.failing_since,
      case when w.failing_since is not null and w.status in ('active', 'unverified') and e.count > 0 then greatest(d.next_at, e.due_at, now()) end as next_try, w.url, w.secret, w.algorithm, w.format, w.signature_header, w.events, w.sources
    from webhook w
    join webhook_delivery d on d.account_id = w.account_id and d.webhook_id = w.id
    cross join lateral (
      select count(*) as count, max(at) as last_at, min(due_at) as due_at
      from webhook_event
      where account_id = w.account_id
        and webhook_id = w.id
    ) as e
    left join list l on l.account_id = w.account_id and l.id = w.list_id
    where w.account_id = ${account.id}
    order by w.created_at, w.web_id`);
  return rows.map(({ id, created_at, last_event_at, failing_since, next_try, list_id, list_name, secret, ...row }) => ({
    ...row,
    id: formatId(id),
    create_time: formatDate(created_at),
    list_id: list_id === null ? '' : formatId(list_id),
    list_name: list_name ?? '',
    last_event: formatDate(last_event_at),
    failing_since: formatDate(failing_since),
    next_try: formatDate(next_try),
    status_reason: renderPacked(row.status_reason, language),
    // One that cannot be opened shows that there is one.
    secret_key: masked(openSecret(app, account.id, secret) ?? '?'),
  }));
}

/** Enough to recognize a secret, too little to use it. */
export function masked(secret: string): string {
  if (secret === '') return '';
  return `********${secret.length >= 16 ? secret.slice(-4) : ''}`;
}

export type Options = {
  title?: string | undefined;
  url?: string | undefined;
  list_id?: string | undefined;
  secret_key?: string | undefined;
  events?: string[] | undefined;
  sources?: string[] | undefined;
  algorithm?: string | undefined;
  format?: string | undefined;
  signature_header?: string | undefined;
};

/**
 * The options in the spelling of the table.
 * @param path what precedes an option in its path in the call
 * @throws Fault WEBHOOK_OPTION_INVALID naming the option
 */
export async function checkedOptions({ tx, account }: Context, given: Options, path: '' | 'options.' = '') {
  const out: Record<string, string | string[] | number | null> = {};
  const { title, url, list_id, secret_key, events, sources: from, algorithm, format, signature_header } = given;
  if (title !== undefined) {
    if (title.trim() === '' || title.length > 200) throw invalidOption(message('webhook.title', { member: 'title' }));
    out['title'] = readLine(title, 'title').trim();
  }
  if (url !== undefined) out['url'] = webAddress(url, `${path}url`);
  if (list_id !== undefined) {
    const list = await tx.row<{ id: number }>(
      sql`select id from list where account_id = ${account.id} and id = ${parseId(list_id)}`,
    );
    if (list_id !== '' && !list)
      throw fault('LIST_UNKNOWN', 'webhook.list_unknown', { member: `${path}list_id`, id: list_id.slice(0, 40) });
    out['list_id'] = list?.id ?? null;
  }
  if (secret_key !== undefined) {
    if (secret_key.length > 200 || secret_key.includes('\0'))
      throw invalidOption(message('webhook.secret', { member: `${path}secret_key` }));
    out['secret'] = secret_key;
  }
  if (events !== undefined) out['events'] = words(`${path}events`, events, [...eventPatterns, ...eventTypeNames]);
  if (from !== undefined) out['sources'] = words(`${path}sources`, from, eventSources);
  if (algorithm !== undefined) out['algorithm'] = words(`${path}algorithm`, [algorithm], algorithms)[0]!;
  if (format !== undefined) out['format'] = words(`${path}format`, [format], formats)[0]!;
  if (signature_header !== undefined)
    out['signature_header'] = headerName(signature_header.trim(), `${path}signature_header`);
  return out;
}

/** A name that begins with X- cannot replace a header of HTTP or of another signature. RFC 9110 5.6.2 */
function headerName(name: string, member: string): string {
  if (name !== '' && !/^X-[\w!#$%&'*+.^`|~-]{1,98}$/i.test(name))
    throw invalidOption(message('webhook.signature_header', { member }));
  // That header is sent anyway; sent twice, it would not match.
  return name.toLowerCase() === 'x-service-signature' ? '' : name;
}

/** Also used by prepare() before it fetches the URL. @throws Fault WEBHOOK_OPTION_INVALID */
export function webAddress(url: string, member: string): string {
  const parsed = url.length <= 2_000 && URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '')
    throw invalidOption(message('webhook.url', { member }));
  return url;
}

export const invalidOption = (text: Message) => new Fault('WEBHOOK_OPTION_INVALID', text);

function words(member: string, given: readonly string[], choices: readonly string[]): string[] {
  const chosen = new Set(given.map((value) => value.trim().toLowerCase()));
  if (chosen.size === 0) throw invalidOption(message('parameter.empty', { member }));
  for (const value of chosen)
    if (!choices.includes(value))
      throw invalidOption(
        message('webhook.unknown_choice', { member, value: value.slice(0, 40), choices: choices.join(', ') }),
      );
  return choices.filter((choice) => chosen.has(choice));
}
