// Everything that happened to one contact, in order: consent, messages, opens, clicks, bounces, imports, automations,
// events, suppression. Reads the tables of delivery, tracking and automations by name; changes nothing.
import { mayDo } from '../../accounts/keys/permissions.ts';
import type { Context } from '../../base/context.ts';
import { type Sql, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { states } from '../../db/states.ts';
import { formatDate } from '../../method/date.ts';
import type { Page } from '../../method/paging.ts';
import { consentEvidence, seenEvidence } from '../model/consent-log.ts';
import type { Contact } from '../model/contact.ts';

/** A page of the timeline, oldest first. */
export async function timelineOf(context: Context, contact: Contact, page: Page) {
  const rows = await entriesOf(context, contact, page);
  const shown = await seenEvidence(
    context,
    rows.map((row) => consentEvidence(row.consent ?? {})),
  );
  return rows.map((row, i) => {
    const evidence = shown[i]!;
    return {
      time: formatDate(row.at),
      what: row.what,
      list_id: row.list_id === null ? '' : formatId(row.list_id),
      campaign_id: row.campaign_id === null ? (evidence.campaign ?? '') : formatId(row.campaign_id),
      detail: row.detail || evidence.fields || evidence.until || '',
      machine: row.machine,
      ip: row.ip,
      source: row.source,
      subject: row.subject,
      message_id: row.message,
      evidence,
    };
  });
}

function entriesOf({ tx, account, caller }: Context, { id, key, domain }: Contact, page: Page): Promise<TimelineRow[]> {
  return tx.rows<TimelineRow>(sql`
    with mine as (
      select d.campaign_id, d.month, seq, list_id, first_at,
        -- Queued in its row and marked by its chunk: in flight.
        case
          when d.state = ${states.queued} and exists (
            select
            from chunk k
            where k.account_id = d.account_id and k.campaign_id = d.campaign_id and k.state = 'leased' and k.marked @> d.seq
          ) then ${states.trying}::smallint
          else d.state
        end as state, done_at, due_at, reply, reason,
        -- A message of the list has no campaign.
        case when p.type is distinct from 'message' then d.campaign_id end as shown_campaign,
        case when p.type = 'message' then d.occasion else '' end as message, coalesce(${subjectFor(caller)}, '') as subject
      from delivery d
      left join campaign p on p.account_id = d.account_id and p.id = d.campaign_id
      left join message m
        on p.type = 'message' and m.account_id = d.account_id and m.campaign_id = d.campaign_id and m.no = d.seq
      where d.account_id = ${account.id}
        and contact_id = ${id}
    )
    select at, what, list_id, campaign_id, detail, machine, ip, source, consent, subject, message
    from (
      select at, kind as what, list_id, null::int as campaign_id,
        coalesce(detail ->> 'reason', detail ->> 'new', '') as detail, '' as machine, ip,
        source, detail as consent, 1 as rank, id::bigint as tie, '' as subject, '' as message
      from consent
      where account_id = ${account.id} and contact_id = ${id}
      union all
      select coalesce(done_at, first_at, due_at), 'mail', list_id, shown_campaign,
        (array['queued', 'trying', 'accepted', 'later', 'failed', 'skipped', 'unclear'])[state + 1]
          || case when coalesce(reason, '') = '' then '' else ': ' || reason end, '', '', '', null, 2, seq, subject,
        message
      from mine
      union all
      select h.at, h.kind, m.list_id, m.shown_campaign, coalesce(l.target, ''), coalesce(h.machine, ''), h.ip, '', null, 3, h.id,
        m.subject, m.message
      from mine m
      -- "offset 0" makes each a look into the partitions of the message, where a join reads those of all months.
      cross join lateral (
        select first_hit_at, last_hit_at
        from engagement
        where account_id = ${account.id} and campaign_id = m.campaign_id and seq = m.seq and month = m.month
        offset 0
      ) e
      cross join lateral (
        select *
        from hit
        where account_id = ${account.id} and campaign_id = m.campaign_id and seq = m.seq
          and at between e.first_hit_at and e.last_hit_at
        offset 0
      ) h
      left join link l on l.account_id = h.account_id and l.campaign_id = h.campaign_id and l.no = h.link_no
      union all
      select n.at, n.kind, n.list_id, m.shown_campaign, n.class || case when n.reply = '' then '' else ': ' || n.reply end, '', '', '', null,
        4, n.seq, m.subject, m.message
      from mine m
      -- An unsubscribe is in the consent log.
      join notice n
        on n.account_id = ${account.id} and n.campaign_id = m.campaign_id and n.seq = m.seq and n.kind <> 'unsubscribe'
      union all
      select created_at, 'import', list_id, null, coalesce(name, ''), '', '', '', null, 0, 0, '', ''
      from import
      where account_id = ${account.id}
        and id in (select import_id from subscription where account_id = ${account.id} and contact_id = ${id})
      union all
      select w.at, 'automation', a.list_id, null, w.what || ': ' || a.title, '', '', '', null, 6, r.no, '', ''
      from automation_run r
      join automation a on a.account_id = r.account_id and a.id = r.automation_id
      cross join lateral (values (r.entered_at, 'entered'), (r.ended_at, r.outcome)) as w (at, what)
      where r.account_id = ${account.id}
        and r.contact_id = ${id}
        and w.at is not null
      union all
      select e.at, 'event', null, null, n.name || coalesce(': ' || trim_scale(e.value), ''), '', '', '', null, 7, e.id, '', ''
      from contact_event e
      join event_name n on n.account_id = e.account_id and n.no = e.name_no
      where e.account_id = ${account.id}
        and e.contact_id = ${id}
      union all
      select created_at, 'suppressed', null,
        (select c.id from campaign c where c.account_id = suppression.account_id and c.id = suppression.campaign_id),
        kind || ': ' || reason, '', '', '', null, 5, 0, '', ''
      from suppression
      where account_id = ${account.id}
        and ((kind = 'address' and value = ${key}) or (kind = 'domain' and value = ${domain}))
    ) as entry
    order by at, rank, tie
    limit ${page.limit}
    offset ${page.start * page.limit}`);
}

/** SQL: what an email was about, to callers who may read it where it was written. */
const subjectFor = (caller: Context['caller']): Sql => sql`
  case
    when p.type = 'message' then ${mayDo(caller, 'messages:read') ? sql`m.subject` : sql`null`}
    else ${mayDo(caller, 'campaigns:read') ? sql`p.subject` : sql`null`}
  end`;

type TimelineRow = {
  at: Date;
  what: string;
  list_id: number | null;
  campaign_id: number | null;
  detail: string;
  machine: string;
  ip: string;
  source: string;
  consent: Record<string, unknown> | null;
  subject: string;
  message: string;
};
