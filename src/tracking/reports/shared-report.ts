// The figures of a report that a link shows: totals and groups of people, and nothing about one of them. What a few people did is not
// shown, and addresses of links have neither parameters nor what a merge tag filled in.
import { archiveSubject, type Facts } from '../../campaigns/compile/fill.ts';
import type { Compiled } from '../../campaigns/markup/compiled.ts';
import { archiveUrl } from '../../campaigns/model/archive-address.ts';
import { publicVariant } from '../../campaigns/model/variant.ts';
import { type Queries, type Sql, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { CampaignKey } from '../../db/keys.ts';
import type { ReportedCampaign } from './campaign.ts';
import { keptSums } from './campaign.ts';
import { type LinkSums, linkSums } from './links.ts';
import { reactionsOf } from './reactions.ts';
import { unsubscribers } from './recipients.ts';
import { reportedStats } from './stats.ts';

/** With fewer messages, what their recipients did is not shown at all; of a group with fewer people only that it is so small. */
export const fewest = { messages: 20, people: 5 } as const;
const maxLinks = 50;
const maxCampaigns = 50;

export type SharedReport = SharedCampaign & {
  bounced: number;
  /** Undefined where too few got the message. */
  reactions: { opened: number; clicked: number; unsubscribed: number; complaints: number } | undefined;
  links: { shown: string; people: number }[];
};

export type SharedCampaign = {
  id: string;
  /** '' while nothing was sent. */
  subject: string;
  sentAt: Date | null;
  /** Whether more may still be delivered. */
  sending: boolean;
  /** The message as the public may read it. */
  webUrl: string;
  delivered: number;
};

type Row = Omit<SharedCampaign, 'id' | 'subject' | 'webUrl'> & {
  number: number;
  month: string;
  facts: (Facts & Pick<Compiled, 'subject'>) | null;
  webId: number;
  archiveKey: string;
};

/** @returns undefined if there is no such campaign */
export async function sharedReport(db: Queries, baseUrl: string, of: CampaignKey): Promise<SharedReport | undefined> {
  const [row] = await campaigns(db, sql`c.account_id = ${of.account} and c.id = ${of.campaign}`);
  if (!row) return undefined;
  const reported: ReportedCampaign = { ...of, cid: formatId(of.campaign), month: row.month };
  const { bounces, complaints, sums } = await reportedStats(db, reported);
  const unsubscribed = (await unsubscribers(db, reported, { start: 0, limit: 1 })).total;
  const isShown = row.delivered >= fewest.messages;
  return {
    ...shared(row, baseUrl),
    bounced: bounces.reduce((sum, [, count]) => sum + count, 0),
    reactions: isShown
      ? { opened: sums.uniqueOpens, clicked: sums.usersWhoClicked, unsubscribed, complaints }
      : undefined,
    links: isShown ? await linksOf(db, reported) : [],
  };
}

/** The campaigns that have been sent, the newest first: all of the account, or those that went to this list only. */
export async function sharedCampaigns(db: Queries, baseUrl: string, account: number, list: number | null) {
  const rows = await campaigns(
    db,
    sql`
    c.account_id = ${account}
    and c.send_at is not null
    and c.type in ('html', 'plain')
    ${list === null ? sql`` : sql`and ${wentOnlyTo(list)}`}`,
  );
  const reactions = await reactionsOf(
    db,
    account,
    rows.map(({ number }) => number),
  );
  return rows.map((row) => {
    const { unique_opens = 0, users_who_clicked = 0 } = reactions.get(row.number) ?? {};
    const isShown = row.delivered >= fewest.messages;
    return {
      ...shared(row, baseUrl),
      reactions: isShown ? { opened: unique_opens, clicked: users_who_clicked } : undefined,
    };
  });
}

/** Whether a link to the campaigns of an account or list shows this one. */
export async function isAmongShared(db: Queries, of: CampaignKey, list: number | null): Promise<boolean> {
  const row = await db.row(sql`
    select
    from campaign c
    where c.account_id = ${of.account}
      and c.id = ${of.campaign}
      and c.send_at is not null
      and c.type in ('html', 'plain')
      ${list === null ? sql`` : sql`and ${wentOnlyTo(list)}`}`);
  return row !== undefined;
}

/** SQL: a campaign that went to other lists too is no business of those who see this one. */
const wentOnlyTo = (list: number): Sql => sql`
  (
    select array_agg(t.list_id) = array[${list}::int]
    from campaign_list t
    where t.account_id = c.account_id
      and t.campaign_id = c.id
  )`;

function campaigns(db: Queries, which: Sql): Promise<Row[]> {
  return db.rows<Row>(sql`
    select c.id as number, c.month::text as month, c.send_at as "sentAt", c.status <> 'sent' as sending, c.web_id as "webId",
      c.archive_key as "archiveKey",
      (
        select jsonb_build_object('subject', f.compiled -> 'subject', 'lists', f.compiled -> 'lists', 'language',
          f.compiled -> 'language', 'timeZone', f.compiled -> 'timeZone')
        from frozen_content f
        where f.account_id = c.account_id
          and f.campaign_id = c.id
          and f.variant = ${publicVariant}
          and c.send_at is not null
      ) as facts,
      (
        select coalesce(sum(t.accepted), 0)::int from tally t where t.account_id = c.account_id and t.campaign_id = c.id
      ) as delivered
    from campaign c
    where ${which}
    order by c.send_at desc nulls last, c.id
    limit ${maxCampaigns}`);
}

function shared(
  { number, facts, sentAt, sending, webId, archiveKey, delivered }: Row,
  baseUrl: string,
): SharedCampaign {
  return {
    id: formatId(number),
    subject: facts && sentAt ? withoutAddresses(archiveSubject(facts, sentAt)) : '',
    sentAt: facts ? sentAt : null,
    sending,
    webUrl: facts && sentAt ? archiveUrl(baseUrl, webId, archiveKey) : '',
    delivered,
  };
}

async function linksOf(db: Queries, of: ReportedCampaign): Promise<SharedReport['links']> {
  const sums = (await keptSums<LinkSums[]>(db, of, 'links')) ?? (await linkSums(db, of));
  const targets = await db.rows<{ id: string; target: string }>(sql`
    select (no + 1)::text as id, target
    from link
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}`);
  const targetOf = new Map(targets.map(({ id, target }) => [id, target]));
  return sums
    .map(({ id, unique }) => ({ shown: shownTarget(targetOf.get(id) ?? ''), people: unique }))
    .sort((a, b) => b.people - a.people)
    .slice(0, maxLinks);
}

/** What a link is shown as: its host and path. Parameters, and whatever a merge tag fills in, may name a reader. */
export function shownTarget(target: string): string {
  const [, , rest = ''] = /^(https?):\/\/([^?#]*)/i.exec(target) ?? [];
  const parts = rest.replace(/^[^/]*@/, '').split('/');
  const shown = parts.map((part) => (/[@*[\]|]|%40|%7c/i.test(part) ? '…' : part));
  return withoutAddresses(shown.join('/').replace(/\/$/, '')) || '…';
}

/** A text in which no email address can be read. */
export const withoutAddresses = (text: string): string => text.replace(/[^\s<>()"',;:]*[@＠][^\s<>()"',;:]*/gu, '…');
