// Attaching files to a campaign: adding, listing and removing them.
import { createHash } from 'node:crypto';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { mediaTypeOf } from '../../base/media-types.ts';
import { sql } from '../../db/connect.ts';
import { bytesOf } from '../../method/bytes.ts';
import { type AttachmentRecord, attachmentsOf, dropUnused, storeContent } from '../content/attachments.ts';
import { attachmentLimits } from '../content/limits.ts';
import { needCampaignKey } from '../model/campaign.ts';
import { takeVersion } from './editors/edits.ts';
import { finishChange, lockUnsent } from './unsent.ts';

type Given = { cid: string; name: string; content: string | Uint8Array; content_type: string };

/** @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT, INVALID_PARAMETER, TOO_LARGE and those of needSendable */
export async function addAttachment(context: Context, given: Given): Promise<AttachmentRecord> {
  const { tx, account } = context;
  const campaign = await lockUnsent(context, given.cid);
  const bytes = bytesOf(given.content, 'content');
  if (bytes.length === 0) throw fault('INVALID_PARAMETER', 'parameter.empty', { member: 'content' });
  const present = await attachmentsOf(tx, { account: account.id, campaign: campaign.id });
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
  await takeVersion(context, campaign.id, 'attachments', { editor: '' });
  await finishChange(context, campaign);
  return record;
}

/** The attachments in the order in which they are in the message. @throws Fault CAMPAIGN_UNKNOWN */
export async function listAttachments(context: Context, { cid }: { cid: string }): Promise<AttachmentRecord[]> {
  return attachmentsOf(context.tx, await needCampaignKey(context, cid));
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
  await takeVersion(context, campaign.id, 'attachments', { editor: '' });
  await finishChange(context, campaign);
  return true;
}
