// The public archive of an account: its settings, and which campaigns it shows. Off by default, and empty until a list is chosen.
import type { App, Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Sql, sql, type Tx } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import type { Page } from '../../method/paging.ts';
import { archiveSubject, type Facts } from '../compile/fill.ts';
import type { Compiled } from '../markup/compiled.ts';
import { archiveIndexUrl, archiveUrl } from '../model/archive-address.ts';
import { needCampaignId } from '../model/campaign.ts';
import { publicVariant } from '../model/variant.ts';

export type ArchiveSettings = {
  on: boolean;
  slug: string;
  title: string;
  description: string;
  picture: string;
  language: string;
  indexable: boolean;
};

const none: ArchiveSettings = {
  on: false,
  slug: '',
  title: '',
  description: '',
  picture: '',
  language: '',
  indexable: false,
};

/** Columns of the table `archive`, as settings. */
const settings: Sql = sql`
  is_on as on, coalesce(slug, '') as slug, title, description, picture, language, indexable`;

/** Settings and addresses of the archive, and the lists whose campaigns it shows. */
export async function archiveRecord({ tx, account, app }: Context) {
  const stored = await tx.row<ArchiveSettings>(sql`select ${settings} from archive where account_id = ${account.id}`);
  const lists = await tx.rows<{ id: number }>(sql`
    select id from list where account_id = ${account.id} and in_archive order by created_at, id`);
  const record = stored ?? none;
  const url = archiveIndexUrl(app, account.id, record.slug);
  return { ...record, list_ids: lists.map(({ id }) => formatId(id)), url, feed_url: `${url}/feed.xml` };
}

export type ArchiveChange = Partial<ArchiveSettings> & { list_ids?: string[] | undefined };

/** Changes what is given. @throws Fault LIST_UNKNOWN, INVALID_PARAMETER for a slug of another account */
export async function updateArchive(context: Context, { list_ids, ...given }: ArchiveChange) {
  const { tx, account } = context;
  const { list_ids: _, url: __, feed_url: ___, ...before } = await archiveRecord(context);
  const next = { ...before, ...given };
  if (next.slug !== before.slug) await needFreeSlug(tx, account.id, next.slug);
  await tx.run(sql`
    insert into archive (account_id, is_on, slug, title, description, picture, language, indexable)
    values (${account.id}, ${next.on}, nullif(${next.slug}, ''), ${next.title}, ${next.description}, ${next.picture},
      ${next.language}, ${next.indexable})
    on conflict (account_id) do update
    set is_on = excluded.is_on, slug = excluded.slug, title = excluded.title, description = excluded.description,
      picture = excluded.picture, language = excluded.language, indexable = excluded.indexable`);
  if (list_ids) await chooseLists(context, list_ids);
  return archiveRecord(context);
}

async function needFreeSlug(tx: Tx, accountId: number, slug: string): Promise<void> {
  // Two accounts that choose the same at the same moment wait for each other here.
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended('archive ' || ${slug}::text, 0))`);
  const other = await tx.row(sql`select from archive where slug = ${slug} and account_id <> ${accountId}`);
  if (other) throw fault('INVALID_PARAMETER', 'archive.slug_taken', { member: 'slug' });
}

async function chooseLists({ tx, account }: Context, named: readonly string[]): Promise<void> {
  const ids = named.map(parseId);
  const found = await tx.rows<{ id: number }>(sql`
    select id from list where account_id = ${account.id} and id = any (${ids}::int[])`);
  const known = new Set(found.map((list) => list.id));
  const at = ids.findIndex((id) => !known.has(id));
  if (at !== -1) throw fault('LIST_UNKNOWN', 'list.unknown', { member: `list_ids.${at}`, id: named[at]!.slice(0, 40) });
  await tx.run(sql`
    update list
    set in_archive = id = any (${ids}::int[])
    where account_id = ${account.id}
      and in_archive <> (id = any (${ids}::int[]))`);
}

/** Puts a campaign into the archive or leaves it out, whatever its state. @throws Fault CAMPAIGN_UNKNOWN */
export async function setInArchive(context: Context, { cid, in_archive }: { cid: string; in_archive: boolean }) {
  const id = await needCampaignId(context, cid);
  await context.tx.run(sql`
    update campaign
    set in_archive = ${in_archive}
    where account_id = ${context.account.id}
      and id = ${id}`);
  return true;
}

/** Whether the archive shows a campaign, or will once it is sent. @throws Fault CAMPAIGN_UNKNOWN */
export async function archiveOfCampaign(context: Context, { cid }: { cid: string }) {
  const id = await needCampaignId(context, cid);
  const row = await context.tx.row<{ in_archive: boolean; lists_public: boolean; on: boolean }>(sql`
    select ${inArchiveAtLaunch} as in_archive,
      type not in ('auto', 'message')
      and exists (
        select from campaign_list t where t.account_id = campaign.account_id and t.campaign_id = campaign.id
      )
      and not exists (
        select from campaign_list t
        left join list l on l.account_id = t.account_id and l.id = t.list_id
        where t.account_id = campaign.account_id
          and t.campaign_id = campaign.id
          and l.in_archive is not true
      ) as lists_public,
      coalesce((select is_on from archive a where a.account_id = campaign.account_id), false) as on
    from campaign
    where account_id = ${context.account.id}
      and id = ${id}`);
  return row!;
}

/** SQL of a campaign's launch: what goes to segments was not meant for everyone. */
export const inArchiveAtLaunch: Sql = sql`
  coalesce(campaign.in_archive, not exists (
    select from campaign_segment s where s.account_id = campaign.account_id and s.campaign_id = campaign.id
  ))`;

/** SQL: whether every list that the campaign was sent to is in the archive. Of `c` and its frozen content `f`. */
const goesToPublicLists: Sql = sql`(
  jsonb_array_length(f.compiled -> 'lists') > 0
  and not exists (
    select from jsonb_array_elements(f.compiled -> 'lists') as sent
    left join list l on l.account_id = c.account_id and l.id = (sent ->> 'id')::int
    where l.in_archive is not true
  )
)`;

/** SQL: campaigns that have been sent, with what the public may read of them. */
const sentCampaigns: Sql = sql`
  from campaign c
  join account o on o.id = c.account_id
  left join archive a on a.account_id = c.account_id
  join frozen_content f on f.account_id = c.account_id and f.campaign_id = c.id and f.variant = ${publicVariant}
  where c.send_at is not null
    and c.type not in ('auto', 'message')`;

const isShown: Sql = sql`(c.in_archive is true and ${goesToPublicLists})`;

const facts: Sql = sql`
  c.web_id as "webId", c.archive_key as "archiveKey", c.send_at as "sentAt", f.compiled -> 'subject' as subject,
  f.compiled -> 'lists' as lists, f.compiled ->> 'language' as language, f.compiled ->> 'timeZone' as "timeZone"`;

type Row = Facts & { subject: Compiled['subject']; webId: number; archiveKey: string; sentAt: Date };

/** The campaigns that could be in the archive, newest first, each with whether it is and why not. */
export async function archiveCampaigns({ tx, account, app }: Context, { start, limit }: Page) {
  const rows = await tx.rows<Row & { id: number; chosen: boolean; isPublic: boolean }>(sql`
    select c.id, c.in_archive is true as chosen, ${goesToPublicLists} as "isPublic", ${facts}
    ${sentCampaigns}
      and c.account_id = ${account.id}
    order by c.send_at desc, c.id
    limit ${limit}
    offset ${start * limit}`);
  return rows.map((row) => ({
    id: formatId(row.id),
    subject: archiveSubject(row, row.sentAt),
    send_time: formatDate(row.sentAt),
    url: archiveUrl(app.baseUrl, row.webId, row.archiveKey),
    in_archive: row.chosen,
    lists_public: row.isPublic,
  }));
}

/** Campaigns on a page of the archive, and in the feed. */
export const archivePage = 50;

export type Archive = {
  accountId: number;
  sender: { name: string; address: string; brand?: unknown };
  title: string;
  description: string;
  picture: string;
  language: string;
  indexable: boolean;
  slug: string;
  campaigns: { subject: string; url: string; sentAt: Date }[];
  /** Whether there are older campaigns. */
  more: boolean;
};

/** A page of an archive, newest first; undefined if there is none or it is off. @param page counts from 0 */
export async function readArchive(app: App, named: { id: number } | { slug: string }, page: number) {
  const found = await app.db.row<Omit<Archive, 'campaigns' | 'more' | 'sender'> & Archive['sender']>(sql`
    select o.id as "accountId", coalesce(nullif(o.company, ''), o.name) as name, o.postal_address as address,
      o.settings -> 'brand' as brand, coalesce(nullif(a.language, ''), o.language) as language, a.title, a.description,
      a.picture, a.indexable, coalesce(a.slug, '') as slug
    from archive a
    join account o on o.id = a.account_id
    where a.is_on
      and o.active
      and ${'id' in named ? sql`a.account_id = ${named.id}` : sql`a.slug = ${named.slug}`}`);
  if (!found) return undefined;
  const { name, address, brand, ...archive } = found;
  const rows = await app.db.rows<Row>(sql`
    select ${facts}
    ${sentCampaigns}
      and c.account_id = ${archive.accountId}
      and ${isShown}
    order by c.send_at desc, c.id
    limit ${archivePage + 1}
    offset ${page * archivePage}`);
  const shown: Archive = {
    ...archive,
    sender: { name, address, brand },
    more: rows.length > archivePage,
    campaigns: rows.slice(0, archivePage).map((row) => ({
      subject: archiveSubject(row, row.sentAt),
      url: archiveUrl(app.baseUrl, row.webId, row.archiveKey),
      sentAt: row.sentAt,
    })),
  };
  return shown;
}

/** What the page of a campaign says about itself where it is shared. */
export type SharedCampaign = { picture: string; site: string };

/** Whether search engines may list the page of a campaign: undefined if not. */
export async function indexableCampaign(
  app: App,
  path: { webId: number; key: string },
): Promise<SharedCampaign | undefined> {
  return app.db.row<SharedCampaign>(sql`
    select a.picture, coalesce(nullif(a.title, ''), nullif(o.company, ''), o.name) as site
    ${sentCampaigns}
      and c.archive_key = ${path.key}
      and c.web_id = ${path.webId}
      and ${isShown}
      and a.is_on
      and a.indexable`);
}
