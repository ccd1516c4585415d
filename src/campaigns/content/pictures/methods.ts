// The methods for uploaded pictures: create, list, delete. The bytes are stored like those of archives (asset.ts), at a
// permanent URL.
import { z } from 'zod';
import type { App } from '../../../base/context.ts';
import { Fault, fault } from '../../../base/faults.ts';
import { sql } from '../../../db/connect.ts';
import { formatDate } from '../../../method/date.ts';
import { method } from '../../../method/method.ts';
import { bytesOrText, filledText, integer, params, text } from '../../../method/params.ts';
import { assetUrl, dropUnused, lockAssets, storeAsset } from './asset.ts';
import { maxPixelsPerSide, readPicture } from './picture.ts';

/** Many email programs do not show larger pictures. */
export const maxPictureBytes = 5 * 1024 * 1024;
/** All pictures of an account's list. */
const maxBytesPerAccount = 1024 * 1024 * 1024;

/** One transparent dot, for the example. */
const dot = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

const record = z.object({
  name: z.string().meta({ description: 'Made from its content: the same picture has the same name.' }),
  url: z.string(),
  title: z.string(),
  alt: z.string().meta({ description: 'Alternative text, for readers who do not see the picture.' }),
  width: z.int(),
  height: z.int(),
  size: z.int().meta({ description: 'Bytes.' }),
  create_time: z.string(),
});

export const assetMethods = [
  method({
    name: 'assetCreate',
    group: 'templates',
    summary: 'Uploads a picture for use in emails and templates; returns it with its URL.',
    description: `A PNG, JPEG, GIF or WebP of at most ${maxPictureBytes / 1024 / 1024} MiB and ${maxPixelsPerSide} pixels per side; the format is detected from the bytes. Metadata (EXIF, XMP, IPTC, comments) is removed; pixels, colours and orientation stay. SVG is rejected, because email programs do not show it. Uploading the same picture again keeps its URL and replaces the title and the alternative text. Anyone who knows the URL can see the picture.`,
    params: params({
      content: bytesOrText('The picture: base64, or text in Base64.', 30_000_000),
      title: text('A name to find it by, such as that of the file.', 200).default(''),
      alt: text('Alternative text, for readers who do not see the picture.', 500).default(''),
    }),
    returns: record,
    faults: ['ASSET_INVALID', 'TOO_LARGE'],
    scope: 'write',
    example: { params: { content: dot, title: 'dot.gif', alt: 'A dot' } },
    async run({ app, tx, account }, given) {
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
    },
  }),
  method({
    name: 'assets',
    group: 'templates',
    summary: 'Returns the uploaded pictures, newest first.',
    params: params({
      start: integer('Page number from which the selection starts.', 0, 1_000_000, {
        fault: 'START_OUT_OF_RANGE',
      }).default(0),
      limit: integer('Results per page, at most 1000.', 1, 1_000, { fault: 'LIMIT_OUT_OF_RANGE' }).default(50),
    }),
    returns: z.array(record),
    faults: ['LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    reads: true,
    example: { params: { limit: 10 } },
    async run({ app, tx, account }, { start, limit }) {
      const rows = await tx.rows<Row>(sql`
        select name, title, alt, width, height, size, created_at as "createdAt"
        from picture
        where account_id = ${account.id}
        order by created_at desc, name
        limit ${limit}
        offset ${start * limit}`);
      return rows.map((row) => pictureRecord(app, account.id, row));
    },
  }),
  method({
    name: 'assetDelete',
    group: 'templates',
    summary: 'Removes a picture from the list; it stays at its URL as long as a campaign or a template uses it.',
    params: params({ name: filledText('The name of the picture, from assets.', 100) }),
    returns: z.boolean(),
    faults: ['ASSET_UNKNOWN'],
    scope: 'write',
    example: { params: { name: '{{asset}}' } },
    async run({ tx, account }, { name }) {
      await lockAssets(tx, account.id);
      const gone = await tx.row<{ name: string }>(sql`
        delete from picture
        where account_id = ${account.id}
          and name = ${name}
        returning name`);
      if (!gone) throw fault('ASSET_UNKNOWN', 'picture.unknown', { member: 'name' });
      await dropUnused(tx, account.id, [name]);
      return true;
    },
  }),
];

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
