// Pictures and fonts, from archives or uploaded: stored once per account, named by their content, and served as long as
// something refers to them: a campaign, a template, a text of a list, the account's list of pictures. What a message carried
// stays, because it is in people's mailboxes. Their URLs are public.

import type { App, Context } from '../../../base/context.ts';
import { type Sql, sql, type Tx } from '../../../db/connect.ts';
import { formatId, parseId } from '../../../db/ids.ts';
import type { CampaignKey } from '../../../db/keys.ts';
import { lockClasses } from '../../../db/locks.ts';
import { onWhole } from '../../../db/narrowed/narrow.ts';
import type { ArchiveAsset } from '../archive/page.ts';

export function assetUrl(baseUrl: string, accountId: number, name: string): string {
  return `${baseUrl}/asset/${formatId(accountId)}/${name}`;
}

export type StoredAsset = { contentType: string; sandbox: boolean; bytes: Buffer };

/** Reads an asset by the two parts of its URL; undefined if there is none. */
export async function readAsset(app: App, account: string, name: string): Promise<StoredAsset | undefined> {
  return app.db.row<StoredAsset>(sql`
    select content_type as "contentType", sandbox, bytes
    from asset
    where account_id = ${parseId(account)}
      and name = ${name}`);
}

/** Stores the assets of an archive, records which assets the campaign's HTML refers to, and releases the others. */
export async function keepAssets(
  context: Context,
  campaignId: number,
  html: string,
  imported: readonly ArchiveAsset[] = [],
): Promise<void> {
  const { tx, account } = context;
  // Earlier versions can be restored, so their pictures are kept too; and variants have their own.
  const earlier = await tx.rows<{ html: string }>(sql`
    select html
    from campaign_version
    where account_id = ${account.id}
      and campaign_id = ${campaignId}
      and position('/asset/' in html) > 0
    union all
    select html
    from campaign_variant
    where account_id = ${account.id}
      and campaign_id = ${campaignId}
      and position('/asset/' in html) > 0`);
  const named = [
    ...new Set([html, ...earlier.map((version) => version.html)].flatMap((body) => assetNames(body, account.id))),
  ];
  const before = await tx.rows<{ name: string }>(
    sql`select name from campaign_asset where account_id = ${account.id} and campaign_id = ${campaignId}`,
  );
  if (named.length === 0 && before.length === 0) return;
  await lockAssets(tx, account.id);
  for (const asset of imported) await storeAsset(tx, account.id, asset);
  // HTML pasted from another campaign or taken from a template refers to assets too.
  await tx.run(sql`
    insert into campaign_asset (account_id, campaign_id, name)
    select account_id, ${campaignId}::int, name
    from asset
    where account_id = ${account.id}
      and name = any (${named}::text[])
    on conflict do nothing`);
  await releaseAssets(tx, { account: account.id, campaign: campaignId }, named);
}

/** Stores an asset unless it exists. The caller must hold `lockAssets`. */
export async function storeAsset(
  tx: Tx,
  accountId: number,
  { name, contentType, sandbox, bytes }: Pick<ArchiveAsset, 'name' | 'contentType' | 'sandbox' | 'bytes'>,
): Promise<void> {
  await tx.run(sql`
    insert into asset (account_id, name, content_type, sandbox, bytes)
    values (${accountId}, ${name}, ${contentType}, ${sandbox}, ${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)})
    on conflict do nothing`);
}

/** Releases the assets of a campaign except those still referred to; unused assets are deleted. */
export async function releaseAssets(tx: Tx, of: CampaignKey, stillNamed: readonly string[] = []): Promise<void> {
  const left = await tx.rows<{ name: string }>(sql`
    delete from campaign_asset
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and name <> all (${[...stillNamed]}::text[])
    returning name`);
  await dropUnused(
    tx,
    of.account,
    left.map(({ name }) => name),
  );
}

/**
 * Records the assets that a message carries to its recipients: they stay from then on, whatever is deleted.
 * @param texts the message, as its recipients get it
 * @param isHeld something else keeps the assets until the transaction ends
 */
export async function keepSentAssets(
  tx: Tx,
  accountId: number,
  texts: readonly string[],
  isHeld = false,
): Promise<void> {
  const names = [...new Set(texts.flatMap((text) => assetNames(text, accountId)))];
  if (names.length === 0) return;
  const fresh = sql`
    from asset a
    where a.account_id = ${accountId}
      and a.name = any (${names}::text[])
      and not exists (select from sent_asset s where s.account_id = a.account_id and s.name = a.name)`;
  if (!isHeld) {
    // Calls that send the same pictures again do not wait for each other.
    if (!(await tx.row(sql`select ${fresh} limit 1`))) return;
    await lockAssets(tx, accountId);
  }
  await tx.run(sql`
    insert into sent_asset (account_id, name)
    select a.account_id, a.name ${fresh}
    order by a.name
    on conflict do nothing`);
}

/**
 * Deletes those of the assets that no message carried and nothing uses: campaigns, templates and their versions, saved blocks, the list of
 * pictures, the settings of the account, texts and sign-up forms of lists.
 */
export async function dropUnused(tx: Tx, accountId: number, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await lockAssets(tx, accountId);
  await onWhole(tx, (whole) => whole.run(unusedAssets(accountId, names)));
}

/** SQL that deletes them. */
const unusedAssets = (accountId: number, names: readonly string[]): Sql => sql`
    delete from asset a
    where a.account_id = ${accountId}
      and a.name = any (${[...names]}::text[])
      and not exists (
        select from campaign_asset r
        where r.account_id = a.account_id and r.name = a.name
      )
      and not exists (
        select from sent_asset s
        where s.account_id = a.account_id and s.name = a.name
      )
      -- Plain text refers to one by its URL alone.
      and not exists (
        select from campaign c
        where c.account_id = a.account_id and position(a.name in c.plain) > 0
      )
      and not exists (
        select from campaign_variant v
        where v.account_id = a.account_id and position(a.name in v.plain) > 0
      )
      and not exists (
        select from picture p
        where p.account_id = a.account_id and p.name = a.name
      )
      and not exists (
        select from template t
        where t.account_id = a.account_id and position(a.name in t.source) > 0
      )
      and not exists (
        select from template_version w
        where w.account_id = a.account_id and position(a.name in w.source) > 0
      )
      and not exists (
        select from saved_block s
        where s.account_id = a.account_id and position(a.name in s.html) > 0
      )
      and not exists (
        select from account b
        where b.id = a.account_id and position(a.name in coalesce(b.settings -> 'brand' ->> 'logoUrl', '')) > 0
      )
      and not exists (
        select from list f
        where f.account_id = a.account_id and position(a.name in f.form::text) > 0
      )
      and not exists (
        select from list_text x
        where x.account_id = a.account_id and position(a.name in x.value) > 0
      )`;

/** The names of the account's assets that HTML refers to. */
export function assetNames(html: string, accountId: number): string[] {
  const own = formatId(accountId);
  const found = html.matchAll(/\/asset\/([abcdf][0-9a-f]{7})\/([0-9a-f]{32}\.[a-z0-9]{2,5})/g);
  return [...new Set([...found].filter((match) => match[1] === own).map((match) => match[2]!))];
}

/** Serialises storing and deleting, or one call would delete what another is about to use. */
export async function lockAssets(tx: Tx, accountId: number): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(${lockClasses.assets}::int, ${accountId}::int)`);
}
