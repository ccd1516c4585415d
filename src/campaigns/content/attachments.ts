// The files attached to a campaign: storing their content, and reading them for sending. Their content is stored once
// per account, however many copies of the campaign there are, and as long as a campaign has it. It has no address on the web.

import { fault } from '../../base/faults.ts';
import { type Queries, sql, type Tx } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { onWhole } from '../../db/narrowed/narrow.ts';
import { attachmentLimits } from './limits.ts';
import { lockAssets } from './pictures/asset.ts';

/** A file with its content. */
export type AttachedFile = { name: string; contentType: string; bytes: Buffer };

export type AttachmentRecord = { no: number; name: string; content_type: string; size: number };

/** Removes the attachments of a deleted campaign. */
export async function releaseAttachments(tx: Tx, of: CampaignKey): Promise<void> {
  const gone = await tx.rows<{ hash: string }>(sql`
    delete from campaign_attachment
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
    returning hash`);
  await dropUnused(
    tx,
    of.account,
    gone.map(({ hash }) => hash),
  );
}

/** The files with their content, for sending. */
export function readAttachments(db: Queries, of: CampaignKey): Promise<AttachedFile[]> {
  return db.rows<AttachedFile>(sql`
    select f.name, f.content_type as "contentType", c.bytes
    from campaign_attachment f
    join attachment_content c on c.account_id = f.account_id and c.hash = f.hash
    where f.account_id = ${of.account}
      and f.campaign_id = ${of.campaign}
    order by f.no`);
}

/** Changes with every change of the attachments; '' without any. */
export async function attachmentsHash(db: Queries, of: CampaignKey): Promise<string> {
  const row = await db.row<{ text: string }>(sql`
    select coalesce(jsonb_agg(jsonb_build_array(name, content_type, hash) order by no)::text, '') as text
    from campaign_attachment
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}`);
  return row!.text;
}

export function attachmentsOf(db: Queries, of: CampaignKey): Promise<AttachmentRecord[]> {
  return db.rows<AttachmentRecord>(sql`
    select no, name, content_type, size
    from campaign_attachment
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
    order by no`);
}

export async function storeContent(tx: Tx, accountId: number, hash: string, bytes: Uint8Array): Promise<void> {
  await lockAssets(tx, accountId);
  const stored = await tx.row<{ bytes: number }>(sql`
    select coalesce(sum(size), 0)::float8 as bytes
    from attachment_content
    where account_id = ${accountId}
      and hash <> ${hash}`);
  if (stored!.bytes + bytes.length > attachmentLimits.bytesPerAccount)
    throw fault('TOO_LARGE', 'attachment.storage_full', { member: 'content' });
  await tx.run(sql`
    insert into attachment_content (account_id, hash, size, bytes)
    values (${accountId}, ${hash}, ${bytes.length}, ${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)})
    on conflict do nothing`);
}

export async function dropUnused(tx: Tx, accountId: number, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  await lockAssets(tx, accountId);
  // A copy of the campaign that is being made holds a lock on its content, and is seen by the next statement.
  await tx.run(sql`
    select
    from attachment_content
    where account_id = ${accountId}
      and hash = any (${[...hashes]}::text[])
    for update`);
  await onWhole(tx, (whole) =>
    whole.run(sql`
      delete from attachment_content c
      where c.account_id = ${accountId}
        and c.hash = any (${[...hashes]}::text[])
        and not exists (
          select from campaign_attachment f
          where f.account_id = c.account_id and f.hash = c.hash
        )`),
  );
}
