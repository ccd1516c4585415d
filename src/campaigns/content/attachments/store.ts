// The files attached to a campaign: adding, listing and removing them, and reading them for sending. Their content is stored once
// per account, however many copies of the campaign there are, and as long as a campaign has it. It has no address on the web.

import { createHash } from 'node:crypto';
import type { Context } from '../../../base/context.ts';
import { fault } from '../../../base/faults.ts';
import { mediaTypeOf } from '../../../base/media-types.ts';
import { type Queries, sql, type Tx } from '../../../db/connect.ts';
import { bytesOf } from '../../../method/bytes.ts';
import { needCampaignId } from '../../campaign.ts';
import { finishChange, lockUnsent } from '../../draft/unsent.ts';
import { lockAssets } from '../pictures/asset.ts';

export const attachmentLimits = {
  files: 10,
  /** Of a campaign. Encoded they are a third larger, and many servers take 10 MB. */
  bytes: 5 * 1024 * 1024,
  bytesPerAccount: 1024 * 1024 * 1024,
};

/** A file with its content. */
export type AttachedFile = { name: string; contentType: string; bytes: Buffer };

export type AttachmentRecord = { no: number; name: string; content_type: string; size: number };

type Given = { cid: string; name: string; content: string | Uint8Array; content_type: string };

/** @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT, INVALID_PARAMETER, TOO_LARGE and those of needSendable */
export async function addAttachment(context: Context, given: Given): Promise<AttachmentRecord> {
  const { tx, account } = context;
  const campaign = await lockUnsent(context, given.cid);
  const bytes = bytesOf(given.content, 'content');
  if (bytes.length === 0) throw fault('INVALID_PARAMETER', 'parameter.empty', { member: 'content' });
  const present = await attachmentsOf(tx, account.id, campaign.id);
  if (present.length >= attachmentLimits.files)
    throw fault('TOO_LARGE', 'attachment.too_many', { member: 'cid', count: attachmentLimits.files });
  const size = present.reduce((sum, file) => sum + file.size, bytes.length);
  if (size > attachmentLimits.bytes)
    throw fault('TOO_LARGE', 'attachment.too_large', { member: 'content', size, count: attachmentLimits.bytes });
  const hash = createHash('sha256').update(bytes).digest('hex');
  await storeContent(tx, account.id, hash, bytes);
  const record: AttachmentRecord = {
    no: Math.max(0, ...present.map(({ no }) => no)) + 1,
    name: given.name,
    content_type: given.content_type || mediaTypeOf(given.name, bytes),
    size: bytes.length,
  };
  await tx.run(sql`
    insert into campaign_attachment (account_id, campaign_id, no, name, content_type, size, hash)
    values (${account.id}, ${campaign.id}, ${record.no}, ${record.name}, ${record.content_type}, ${record.size}, ${hash})`);
  await finishChange(context, campaign);
  return record;
}

/** The attachments in the order in which they are in the message. @throws Fault CAMPAIGN_UNKNOWN */
export async function listAttachments(context: Context, { cid }: { cid: string }): Promise<AttachmentRecord[]> {
  return attachmentsOf(context.tx, context.account.id, await needCampaignId(context, cid));
}

/** @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT, INVALID_PARAMETER and those of needSendable */
export async function deleteAttachment(context: Context, { cid, no }: { cid: string; no: number }): Promise<true> {
  const { tx, account } = context;
  const campaign = await lockUnsent(context, cid);
  const gone = await tx.row<{ hash: string }>(sql`
    delete from campaign_attachment
    where account_id = ${account.id}
      and campaign_id = ${campaign.id}
      and no = ${no}
    returning hash`);
  if (!gone) throw fault('INVALID_PARAMETER', 'attachment.unknown', { member: 'no', no });
  await dropUnused(tx, account.id, [gone.hash]);
  await finishChange(context, campaign);
  return true;
}

/** Removes the attachments of a deleted campaign. */
export async function releaseAttachments(tx: Tx, accountId: number, campaignId: number): Promise<void> {
  const gone = await tx.rows<{ hash: string }>(sql`
    delete from campaign_attachment
    where account_id = ${accountId}
      and campaign_id = ${campaignId}
    returning hash`);
  await dropUnused(
    tx,
    accountId,
    gone.map(({ hash }) => hash),
  );
}

/** The files with their content, for sending. */
export function readAttachments(db: Queries, accountId: number, campaignId: number): Promise<AttachedFile[]> {
  return db.rows<AttachedFile>(sql`
    select f.name, f.content_type as "contentType", c.bytes
    from campaign_attachment f
    join attachment_content c on c.account_id = f.account_id and c.hash = f.hash
    where f.account_id = ${accountId}
      and f.campaign_id = ${campaignId}
    order by f.no`);
}

/** Changes with every change of the attachments; '' without any. */
export async function attachmentsHash(db: Queries, accountId: number, campaignId: number): Promise<string> {
  const row = await db.row<{ text: string }>(sql`
    select coalesce(jsonb_agg(jsonb_build_array(name, content_type, hash) order by no)::text, '') as text
    from campaign_attachment
    where account_id = ${accountId}
      and campaign_id = ${campaignId}`);
  return row!.text;
}

export function attachmentsOf(db: Queries, accountId: number, campaignId: number): Promise<AttachmentRecord[]> {
  return db.rows<AttachmentRecord>(sql`
    select no, name, content_type, size
    from campaign_attachment
    where account_id = ${accountId}
      and campaign_id = ${campaignId}
    order by no`);
}

async function storeContent(tx: Tx, accountId: number, hash: string, bytes: Uint8Array): Promise<void> {
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

async function dropUnused(tx: Tx, accountId: number, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  await lockAssets(tx, accountId);
  // A copy of the campaign that is being made holds a lock on its content, and is seen by the next statement.
  await tx.run(sql`
    select
    from attachment_content
    where account_id = ${accountId}
      and hash = any (${[...hashes]}::text[])
    for update`);
  await tx.run(sql`
    delete from attachment_content c
    where c.account_id = ${accountId}
      and c.hash = any (${[...hashes]}::text[])
      and not exists (
        select from campaign_attachment f
        where f.account_id = c.account_id and f.hash = c.hash
      )`);
}
