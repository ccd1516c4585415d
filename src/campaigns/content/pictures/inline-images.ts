// The option inline_img: pictures are embedded in the message instead of being loaded from the web.
// Collects the pictures of a campaign before its launch: data: URLs, stored assets, and pictures on the web through the
// outbound client. A picture that cannot be fetched or is too large stays on the web; campaignCheck and the report name it.
import { createHash } from 'node:crypto';
import type { App } from '../../../base/context.ts';
import type { Log } from '../../../base/log.ts';
import { remember } from '../../../base/remember.ts';
import { type Queries, sql, type Tx } from '../../../db/connect.ts';
import { formatId } from '../../../db/ids.ts';
import type { CampaignKey } from '../../../db/keys.ts';
import { findTags } from '../../markup/merge-tags.ts';
import { kindOf } from '../archive/kinds.ts';
import { editHtml } from '../relink.ts';
import { assetNames, readAsset } from './asset.ts';
import { isPicture } from './cid-addresses.ts';

export type InlinePicture = { cid: string; contentType: string; bytes: Buffer; addresses: string[] };

/** Larger messages are rejected or clipped by providers; further pictures are loaded from the web. */
export const inlineLimits = { pictures: 50, eachBytes: 1024 * 1024, allBytes: 5 * 1024 * 1024, allMs: 60_000 };
const fetchedAtOnce = 4;

/** `leftOut` are the addresses of pictures that stay on the web, in the order of the message. */
export type Gathered = { pictures: InlinePicture[]; leftOut: string[] };

/** The pictures of a campaign that has inline_img; none for another. Fetches, so it is called outside of transactions. */
export async function gatherInlineImages(
  app: App,
  log: Log,
  of: CampaignKey,
  allMs = inlineLimits.allMs,
): Promise<Gathered> {
  const html = await pageOf(app, of);
  return html === undefined
    ? { pictures: [], leftOut: [] }
    : gather(app, log, of.account, pictureAddresses(html), allMs);
}

/** Pictures of test messages are kept for some minutes, those of this many pages; a page has 5 MiB of them at most. */
const keptForTestsMs = 5 * 60_000;
const maxKeptForTests = 4;
const keptForTests = new WeakMap<App, Map<string, { at: number; pictures: InlinePicture[] }>>();

/** The pictures of a test message. An author sends several in a row: each would fetch all pictures from their servers. */
export async function inlineImagesForTest(app: App, log: Log, of: CampaignKey): Promise<InlinePicture[]> {
  const html = await pageOf(app, of);
  if (html === undefined) return [];
  const kept = keptForTests.get(app) ?? new Map<string, { at: number; pictures: InlinePicture[] }>();
  keptForTests.set(app, kept);
  const key = `${of.account} ${createHash('sha256').update(html).digest('hex')}`;
  const known = kept.get(key);
  if (known && performance.now() - known.at < keptForTestsMs) return known.pictures;
  const { pictures, leftOut } = await gather(app, log, of.account, pictureAddresses(html), inlineLimits.allMs);
  // A server that was down may be up for the next test message.
  if (leftOut.length === 0) remember(kept, key, { at: performance.now(), pictures }, maxKeptForTests);
  return pictures;
}

/** The HTML of a campaign that has inline_img, with that of its variants. */
export async function pageOf(app: App, of: CampaignKey): Promise<string | undefined> {
  const row = await app.db.row<{ html: string }>(sql`
    select concat_ws(E'\\n', html, (
        select string_agg(v.html, E'\\n' order by v.no)
        from campaign_variant v
        where v.account_id = campaign.account_id and v.campaign_id = campaign.id
      )) as html
    from campaign
    where account_id = ${of.account}
      and id = ${of.campaign}
      and inline_img
      and type <> 'plain'`);
  return row?.html;
}

async function gather(
  app: App,
  log: Log,
  accountId: number,
  addresses: readonly string[],
  allMs: number,
): Promise<Gathered> {
  const found = new Map<string, Buffer>();
  const deadline = performance.now() + allMs;
  const waiting = addresses.slice(0, 4 * inlineLimits.pictures);
  const fetcher = async () => {
    for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
      const bytes = await pictureBytes(app, accountId, address, deadline);
      if (bytes) found.set(address, bytes);
      else log.info({ address: address.slice(0, 200) }, 'an image could not be embedded');
    }
  };
  await Promise.all(Array.from({ length: fetchedAtOnce }, fetcher));
  const pictures = chosenPictures(
    addresses.flatMap((address) => (found.has(address) ? [[address, found.get(address)!]] : [])),
  );
  const embedded = new Set(pictures.flatMap((picture) => picture.addresses));
  return { pictures, leftOut: addresses.filter((address) => !embedded.has(address)) };
}

/** One picture for each content, within the limits, in the order of the mail. */
export function chosenPictures(found: readonly (readonly [address: string, bytes: Buffer])[]): InlinePicture[] {
  const chosen = new Map<string, InlinePicture>();
  let total = 0;
  for (const [address, bytes] of found) {
    const kind = kindOf('picture.png', bytes);
    // Email programs do not show embedded SVG.
    if (kind?.use !== 'image' || kind.sandbox) continue;
    const cid = `${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}@inline`;
    const known = chosen.get(cid);
    if (known) {
      known.addresses.push(address);
      continue;
    }
    if (bytes.length > inlineLimits.eachBytes || total + bytes.length > inlineLimits.allBytes) continue;
    if (chosen.size >= inlineLimits.pictures) break;
    total += bytes.length;
    chosen.set(cid, { cid, contentType: kind.contentType, bytes, addresses: [address] });
  }
  return [...chosen.values()];
}

/** Keeps the pictures for the workers and for the pages. @param isAdding those of earlier revisions stay */
export async function freezeInlineImages(
  tx: Tx,
  of: CampaignKey,
  pictures: readonly InlinePicture[],
  isAdding = false,
): Promise<void> {
  if (!isAdding)
    await tx.run(sql`delete from inline_image where account_id = ${of.account} and campaign_id = ${of.campaign}`);
  for (const { cid, contentType, bytes, addresses } of pictures) {
    const address = addresses.find((url) => !url.startsWith('data:')) ?? '';
    await tx.run(sql`
      insert into inline_image (account_id, campaign_id, cid, content_type, address, bytes)
      values (${of.account}, ${of.campaign}, ${cid}, ${contentType}, ${address}, ${bytes})
      on conflict do nothing`);
  }
}

/** A page of a launched campaign for a browser, which cannot read parts of a message: pictures get their URLs back. */
export async function forBrowser(db: Queries, of: CampaignKey, page: string): Promise<string> {
  if (!page.includes('@inline')) return page;
  const rows = await db.rows<{ cid: string; contentType: string; address: string; bytes: Buffer | null }>(sql`
    select cid, content_type as "contentType", address, case when address = '' then bytes end as bytes
    from inline_image
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}`);
  const addresses = new Map(
    rows.map((row) => [
      `cid:${row.cid}`,
      row.bytes ? `data:${row.contentType};base64,${row.bytes.toString('base64')}` : row.address,
    ]),
  );
  return editHtml(page, { address: (address, where) => (isPicture(where) && addresses.get(address)) || null });
}

/** The addresses of a page's pictures, each once, without those that merge tags make. */
export function pictureAddresses(html: string): string[] {
  const addresses = new Set<string>();
  editHtml(html, {
    address: (address, where) => {
      if (
        isPicture(where) &&
        /^(?:data:image\/|https?:\/\/)/i.test(address) &&
        findTags(address, 'address').length === 0
      )
        addresses.add(address);
      return null;
    },
  });
  return [...addresses];
}

async function pictureBytes(
  app: App,
  accountId: number,
  address: string,
  deadline: number,
): Promise<Buffer | undefined> {
  if (/^data:/i.test(address)) return dataBytes(address);
  const [own] = address.startsWith(`${app.baseUrl}/asset/`) ? assetNames(address, accountId) : [];
  if (own) return (await readAsset(app, formatId(accountId), own))?.bytes;
  const leftMs = deadline - performance.now();
  if (leftMs < 100) return undefined;
  const answer = await app.outbound.fetch(address, {
    totalMs: Math.min(15_000, leftMs),
    maxBytes: inlineLimits.eachBytes,
    redirects: 'follow-checked',
    maxRedirects: 3,
    decode: true,
    headers: { Accept: 'image/png, image/jpeg, image/gif, image/webp' },
  });
  return answer.ok && answer.status === 200 ? answer.body : undefined;
}

/** RFC 2397 */
export function dataBytes(address: string): Buffer | undefined {
  const match = /^data:image\/[a-z0-9.+-]+(;[^,]*)?,/i.exec(address);
  if (!match) return undefined;
  const rest = address.slice(match[0].length);
  try {
    return /;\s*base64\s*$/i.test(match[1] ?? '')
      ? Buffer.from(decodeURIComponent(rest), 'base64')
      : Buffer.from(decodeURIComponent(rest));
  } catch {
    return undefined;
  }
}
