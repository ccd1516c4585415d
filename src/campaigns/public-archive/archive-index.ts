// The public index of an account's sent campaigns: switching it on and off, and reading it. Off by default.
import type { App, Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import type { Compiled } from '../compile/compiled.ts';
import { archiveSubject, type Facts } from '../compile/fill.ts';
import { publicVariant } from '../variants/variant.ts';
import { archiveIndexUrl, archiveUrl } from './address.ts';

/** Campaigns on a page of the index, and in the feed. */
export const indexPage = 50;

/** Changes nothing without `on`. */
export async function switchArchiveIndex({ tx, account, app }: Context, { on }: { on?: boolean | undefined }) {
  if (on !== undefined) {
    await tx.run(sql`
      update account
      set settings = settings || jsonb_build_object('archive_index', ${on}::boolean)
      where id = ${account.id}`);
  }
  const url = archiveIndexUrl(app, account.id);
  return { on: on ?? account.settings['archive_index'] === true, url, feed_url: `${url}/feed.xml` };
}

export type ArchiveIndex = {
  sender: { name: string; address: string; brand?: unknown };
  language: string;
  campaigns: { subject: string; url: string; sentAt: Date }[];
  /** Whether there are older campaigns. */
  more: boolean;
};

/** A page of the index, newest first; undefined if the index is off. @param page counts from 0 */
export async function readArchiveIndex(app: App, accountId: number, page: number): Promise<ArchiveIndex | undefined> {
  const account = await app.db.row<{ name: string; address: string; brand: unknown; language: string }>(sql`
    select coalesce(nullif(company, ''), name) as name, postal_address as address, settings -> 'brand' as brand, language
    from account
    where id = ${accountId}
      and active
      and settings -> 'archive_index' = 'true'`);
  if (!account) return undefined;
  const rows = await app.db.rows<Row>(sql`
    select c.web_id as "webId", c.archive_key as "archiveKey", c.send_at as "sentAt", f.compiled -> 'subject' as subject,
      f.compiled -> 'lists' as lists, f.compiled ->> 'language' as language, f.compiled ->> 'timeZone' as "timeZone"
    from campaign c
    join frozen_content f on f.account_id = c.account_id and f.campaign_id = c.id and f.variant = ${publicVariant}
    where c.account_id = ${accountId}
      and c.send_at is not null
      and c.type not in ('auto', 'message')
    order by c.send_at desc, c.id
    limit ${indexPage + 1}
    offset ${page * indexPage}`);
  return {
    sender: { name: account.name, address: account.address, brand: account.brand },
    language: account.language,
    more: rows.length > indexPage,
    campaigns: rows.slice(0, indexPage).map((row) => ({
      subject: archiveSubject(row, row.sentAt),
      url: archiveUrl(app.baseUrl, row.webId, row.archiveKey),
      sentAt: row.sentAt,
    })),
  };
}

type Row = Facts & { subject: Compiled['subject']; webId: number; archiveKey: string; sentAt: Date };
