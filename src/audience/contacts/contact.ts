// One person of an account with all that is known: found by address or id, told in order of time, erased everywhere.
// Reads the tables of deliveries and openings by name, since it tells of them; changes only what erasing must change.

import type { Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { parseAddress } from '../address.ts';
import { suppressionFor } from '../suppression/suppression.ts';
import { toldEvidence } from './consent.ts';

export type Contact = {
  id: number;
  email: string;
  key: string;
  domain: string;
  language: string;
  timeZone: string;
  createdAt: Date;
  changedAt: Date;
  /** Null when the contact is not paused, or no longer. */
  pausedUntil: Date | null;
};

/** @param named an address or the id of a contact @throws Fault ADDRESS_UNKNOWN */
export async function needContact({ tx, account }: Context, named: string, member = 'email'): Promise<Contact> {
  const address = parseAddress(named);
  const row = await tx.row<Contact>(sql`
    select id, email, email_key as key, domain, language, time_zone as "timeZone", created_at as "createdAt",
      changed_at as "changedAt", case when paused_until > now() then paused_until end as "pausedUntil"
    from contact
    where account_id = ${account.id}
      and ${address.ok ? sql`email_key = ${address.key}` : sql`id = ${parseId(named.trim())}`}
    for update`);
  if (!row) throw new Fault('ADDRESS_UNKNOWN', `${member}: "${named.slice(0, 80)}" is not a contact of this account`);
  return row;
}

/** The subscriptions of a contact, one a list. */
export async function subscriptionsOf({ tx, account }: Context, contactId: number) {
  const rows = await tx.rows<SubscriptionRow>(sql`
    select s.list_id, l.name, s.status, s.email_type, s.fields, s.source, s.signup_ip, s.signup_at, s.optin_ip, s.optin_at,
      s.confirm_ip, s.confirm_at, s.unsubscribe_ip, s.unsubscribe_at, s.unsubscribe_reason, s.status_at, k.detail as evidence
    from subscription s
    join list l on l.account_id = s.account_id and l.id = s.list_id
    left join lateral (
      -- What the contact was shown when this subscription began, not an earlier one that it left.
      select detail
      from consent
      where account_id = s.account_id
        and contact_id = s.contact_id
        and list_id = s.list_id
        and kind in ('signup', 'subscribe')
        and at >= s.signup_at
      order by id
      limit 1
    ) k on true
    where s.account_id = ${account.id}
      and s.contact_id = ${contactId}
    order by s.signup_at, s.list_id`);
  return rows.map((row) => ({
    list_id: formatId(row.list_id),
    list_name: row.name,
    status: row.status,
    email_type: row.email_type,
    merges: row.fields,
    source: row.source,
    signup_ip: row.signup_ip,
    signup_time: formatDate(row.signup_at),
    optin_ip: row.optin_ip,
    optin_time: formatDate(row.optin_at),
    confirm_ip: row.confirm_ip,
    confirm_time: formatDate(row.confirm_at),
    unsubscribe_ip: row.unsubscribe_ip,
    unsubscribe_time: formatDate(row.unsubscribe_at),
    unsubscribe_reason: row.unsubscribe_reason,
    status_time: formatDate(row.status_at),
    evidence: toldEvidence(row.evidence ?? {}),
  }));
}

/** Why the contact gets nothing, as "kind: reason"; '' when it is not suppressed. */
export async function suppressionOf(context: Context, contact: Contact): Promise<string> {
  const found = await suppressionFor(context, contact);
  return found ? `${found.kind}: ${found.reason}` : '';
}

/** What happened to a contact, oldest first. */
export async function timelineOf(
  { tx, account }: Context,
  { id, key, domain }: Contact,
  page: { start: number; limit: number },
) {
  const rows = await tx.rows<TimelineRow>(sql`
    with mine as (
      select campaign_id, seq, list_id, state, first_at, done_at, due_at, reply, reason
      from delivery
      where account_id = ${account.id}
        and contact_id = ${id}
    )
    select at, what, list_id, campaign_id, detail, machine, ip, source, kept
    from (
      select at, kind as what, list_id, null::int as campaign_id,
        coalesce(detail ->> 'reason', detail ->> 'new', '') as detail, '' as machine, ip,
        source, detail as kept, 1 as rank, id::bigint as tie
      from consent
      where account_id = ${account.id} and contact_id = ${id}
      union all
      select coalesce(done_at, first_at, due_at), 'mail', list_id, campaign_id,
        (array['queued', 'trying', 'accepted', 'later', 'failed', 'skipped', 'unclear'])[state + 1]
          || case when coalesce(reason, '') = '' then '' else ': ' || reason end, '', '', '', null, 2, seq
      from mine
      union all
      select h.at, h.kind, m.list_id, h.campaign_id, coalesce(l.target, ''), coalesce(h.machine, ''), h.ip, '', null, 3, h.id
      from mine m
      join hit h on h.account_id = ${account.id} and h.campaign_id = m.campaign_id and h.seq = m.seq
      left join link l on l.account_id = h.account_id and l.campaign_id = h.campaign_id and l.no = h.link_no
      union all
      select n.at, n.kind, n.list_id, n.campaign_id, n.class || case when n.reply = '' then '' else ': ' || n.reply end, '', '', '', null,
        4, n.seq
      from mine m
      join notice n on n.account_id = ${account.id} and n.campaign_id = m.campaign_id and n.seq = m.seq
      union all
      select created_at, 'import', list_id, null, coalesce(name, ''), '', '', '', null, 0, 0
      from import
      where account_id = ${account.id}
        and id in (select import_id from subscription where account_id = ${account.id} and contact_id = ${id})
      union all
      select created_at, 'suppressed', null, campaign_id, kind || ': ' || reason, '', '', '', null, 5, 0
      from suppression
      where account_id = ${account.id}
        and ((kind = 'address' and value = ${key}) or (kind = 'domain' and value = ${domain}))
    ) as told
    order by at, rank, tie
    limit ${page.limit}
    offset ${page.start * page.limit}`);
  return rows.map((row) => {
    const evidence = toldEvidence(row.kept ?? {});
    return {
      time: formatDate(row.at),
      what: row.what,
      list_id: row.list_id === null ? '' : formatId(row.list_id),
      campaign_id: row.campaign_id === null ? (evidence.campaign ?? '') : formatId(row.campaign_id),
      detail: row.detail || evidence.fields || evidence.until || '',
      machine: row.machine,
      ip: row.ip,
      source: row.source,
      evidence,
    };
  });
}

type SubscriptionRow = {
  list_id: number;
  name: string;
  status: string;
  email_type: string;
  fields: Record<string, string>;
  source: string;
  signup_ip: string;
  signup_at: Date;
  optin_ip: string;
  optin_at: Date | null;
  confirm_ip: string;
  confirm_at: Date | null;
  unsubscribe_ip: string;
  unsubscribe_at: Date | null;
  unsubscribe_reason: string;
  status_at: Date;
  evidence: Record<string, unknown> | null;
};

type TimelineRow = {
  at: Date;
  what: string;
  list_id: number | null;
  campaign_id: number | null;
  detail: string;
  machine: string;
  ip: string;
  source: string;
  kept: Record<string, unknown> | null;
};
