// Pictures and fonts that came with archives or were put in by hand: stored once an account, named by their content, served
// for as long as a campaign or a template names them in its HTML, or they stand in the account's list of pictures. Their
// addresses are public: who has the mail has the address.
import type { App, Context } from '../../../base/context.ts';
import { sql, type Tx } from '../../../db/connect.ts';
import { formatId, parseId } from '../../../db/ids.ts';
import type { ArchiveAsset } from '../read-archive.ts';

/** The first key of the advisory lock under which the assets of an account (the second) are stored and dropped. */
const assetLock = 7_311;

/** The address of an asset. */
export function assetUrl(baseUrl: string, accountId: number, name: string): string {
  return `${baseUrl}/asset/${formatId(accountId)}/${name}`;
}

export type StoredAsset = { contentType: string; sandbox: boolean; bytes: Buffer };

/** The asset behind the two parts of an address; undefined when there is none. */
export async function readAsset(app: App, account: string, name: string): Promise<StoredAsset | undefined> {
  return app.db.row<StoredAsset>(sql`
    select content_type as "contentType", sandbox, bytes
    from asset
    where account_id = ${parseId(account)}
      and name = ${name}`);
}

/** Stores what an archive held, and notes which assets the campaign's HTML names; those it no longer names may go. */
export async function keepAssets(
  context: Context,
  campaignId: number,
  html: string,
  brought: readonly ArchiveAsset[] = [],
): Promise<void> {
  const { tx, account } = context;
  // Earlier bodies can be gone back to, with their pictures.
  const earlier = await tx.rows<{ html: string }>(sql`
    select html
    from campaign_version
    where account_id = ${account.id}
      and campaign_id = ${campaignId}
      and position('/asset/' in html) > 0`);
  const named = [...new Set([html, ...earlier.map((one) => one.html)].flatMap((one) => assetNames(one, account.id)))];
  const before = await tx.rows<{ name: string }>(
    sql`select name from campaign_asset where account_id = ${account.id} and campaign_id = ${campaignId}`,
  );
  if (named.length === 0 && before.length === 0) return;
  await takeTurn(tx, account.id);
  for (const asset of brought) await storeAsset(tx, account.id, asset);
  // HTML that was pasted from another campaign or came with a template names assets too.
  await tx.run(sql`
    insert into campaign_asset (account_id, campaign_id, name)
    select account_id, ${campaignId}::int, name
    from asset
    where account_id = ${account.id}
      and name = any (${named}::text[])
    on conflict do nothing`);
  await releaseAssets(tx, account.id, campaignId, named);
}

/** Puts the bytes of an asset in place, when they are not there already. The caller has taken its turn. */
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

/** Lets go of the assets of a campaign, all but those still named; what nobody else names is dropped. */
export async function releaseAssets(
  tx: Tx,
  accountId: number,
  campaignId: number,
  stillNamed: readonly string[] = [],
): Promise<void> {
  const left = await tx.rows<{ name: string }>(sql`
    delete from campaign_asset
    where account_id = ${accountId}
      and campaign_id = ${campaignId}
      and name <> all (${[...stillNamed]}::text[])
    returning name`);
  await dropUnused(
    tx,
    accountId,
    left.map((one) => one.name),
  );
}

/** Drops those of the assets that no campaign and no template names any more, and that are in nobody's list of pictures. */
export async function dropUnused(tx: Tx, accountId: number, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await takeTurn(tx, accountId);
  await tx.run(sql`
    delete from asset a
    where a.account_id = ${accountId}
      and a.name = any (${[...names]}::text[])
      and not exists (
        select from campaign_asset r
        where r.account_id = a.account_id and r.name = a.name
      )
      and not exists (
        select from picture p
        where p.account_id = a.account_id and p.name = a.name
      )
      and not exists (
        select from template t
        where t.account_id = a.account_id and position(a.name in t.source) > 0
      )`);
}

/** The names of the account's assets that HTML has addresses of. */
export function assetNames(html: string, accountId: number): string[] {
  const own = formatId(accountId);
  const found = html.matchAll(/\/asset\/([abcdf][0-9a-f]{7})\/([0-9a-f]{32}\.[a-z0-9]{2,5})/g);
  return [...new Set([...found].filter((match) => match[1] === own).map((match) => match[2]!))];
}

/** Who stores and who drops take turns, or one would drop what the other is about to name. */
export async function takeTurn(tx: Tx, accountId: number): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(${assetLock}, ${accountId})`);
}
