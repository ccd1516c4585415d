// The uploaded pictures of an account: adding, listing and removing them. The bytes are stored like those of archives
// (asset.ts), at a permanent URL.

import type { App, Context } from '../../../base/context.ts';
import { Fault, fault } from '../../../base/faults.ts';
import { sql } from '../../../db/connect.ts';
import { formatDate } from '../../../method/date.ts';
import { maxPictureBytes } from '../limits.ts';
import { assetUrl, dropUnused, lockAssets, storeAsset } from './asset.ts';
import { readPicture } from './picture.ts';

/** Many email clients do not show larger pictures. */
/** All pictures of an account's list. */
const maxBytesPerAccount = 1024 * 1024 * 1024;

export async function createPicture(
  { app, tx, account }: Context,
  given: { content: string | Uint8Array; title: string; alt: string },
) {
  const picture = readPicture(bytesOf(given.content));
  if ('reason' in picture) throw new Fault('ASSET_INVALID', picture.reason);
  const { name, width, height, bytes } = picture;
  await lockAssets(tx, account.id);
  const stored = await tx.row<{ bytes: number }>(sql`
    select coalesce(sum(size), 0)::float8 as bytes
    from picture
    where account_id = ${account.id}
      and name <> ${name}`);
  if (stored!.bytes + bytes.length > maxBytesPerAccount)
    throw fault('TOO_LARGE', 'picture.storage_full', { member: 'content' });
  await storeAsset(tx, account.id, { ...picture, sandbox: false });
  const row = await tx.row<Row>(sql`
    insert into picture (account_id, name, title, alt, width, height, size)
    values (${account.id}, ${name}, ${given.title.trim()}, ${given.alt.trim()}, ${width}, ${height}, ${bytes.length})
    on conflict (account_id, name) do update
    set title = excluded.title, alt = excluded.alt, created_at = now()
    returning name, title, alt, width, height, size, created_at as "createdAt"`);
  return pictureRecord(app, account.id, row!);
}

/** A page of the pictures, newest first. */
export async function listPictures({ app, tx, account }: Context, { start, limit }: { start: number; limit: number }) {
  const rows = await tx.rows<Row>(sql`
    select name, title, alt, width, height, size, created_at as "createdAt"
    from picture
    where account_id = ${account.id}
    order by created_at desc, name
    limit ${limit}
    offset ${start * limit}`);
  return rows.map((row) => pictureRecord(app, account.id, row));
}

/** Removes a picture from the list; the bytes stay as long as a campaign or a template uses them. */
export async function deletePicture({ tx, account }: Context, { name }: { name: string }): Promise<true> {
  await lockAssets(tx, account.id);
  const gone = await tx.row<{ name: string }>(sql`
    delete from picture
    where account_id = ${account.id}
      and name = ${name}
    returning name`);
  if (!gone) throw fault('ASSET_UNKNOWN', 'picture.unknown', { member: 'name' });
  await dropUnused(tx, account.id, [name]);
  return true;
}

type Row = {
  name: string;
  title: string;
  alt: string;
  width: number;
  height: number;
  size: number;
  createdAt: Date;
};

const pictureRecord = (app: App, accountId: number, { createdAt, ...row }: Row) => ({
  ...row,
  url: assetUrl(app.baseUrl, accountId, row.name),
  create_time: formatDate(createdAt),
});

function bytesOf(content: string | Uint8Array): Buffer {
  let bytes: Buffer;
  if (typeof content === 'string') {
    if (!/^[A-Za-z0-9+/_\s-]*(?:=\s*){0,2}$/.test(content))
      throw fault('ASSET_INVALID', 'picture.not_base64', { member: 'content' });
    bytes = Buffer.from(content, 'base64');
  } else bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (bytes.length === 0) throw fault('ASSET_INVALID', 'parameter.empty', { member: 'content' });
  if (bytes.length > maxPictureBytes)
    throw fault('TOO_LARGE', 'picture.too_large', { member: 'content', count: maxPictureBytes / 1024 / 1024 });
  return bytes;
}
