// The public URLs of a campaign's archive page and of an account's archive. web_id makes a URL readable; the key
// (128 random bits) makes sure that no one can guess the URL of an unsent campaign.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { App } from '../../base/context.ts';
import { formatId, parseId } from '../../db/ids.ts';

export function archiveUrl(baseUrl: string, webId: number, archiveKey: string): string {
  return `${baseUrl}/archive/${webId}-${archiveKey}`;
}

/** Splits what follows /archive/; undefined if it does not have this form. */
export function readArchivePath(text: string): { webId: number; key: string } | undefined {
  const match = /^(\d{1,10})-([0-9a-f]{32})$/.exec(text);
  return match ? { webId: Number(match[1]), key: match[2]! } : undefined;
}

/** The archive of an account; its feed is at /feed.xml below it. @param slug '' for an address that cannot be guessed */
export function archiveIndexUrl(app: App, accountId: number, slug: string): string {
  return `${app.baseUrl}/archives/${slug || `${formatId(accountId)}-${mark(app, accountId)}`}`;
}

/** Lower-case letters and digits with hyphens between them, and not the form of an address without a slug. */
export const isArchiveSlug = (text: string): boolean =>
  /^[a-z0-9](?:[a-z0-9-]{1,58})[a-z0-9]$/.test(text) && !withoutSlug.test(text);

const withoutSlug = /^([abcdf][0-9a-f]{7})-([0-9a-f]{24})$/;

/** The account of what follows /archives/ without a slug; undefined if it is not a URL of this installation. */
export function readArchiveIndexPath(app: App, text: string): number | undefined {
  const match = withoutSlug.exec(text);
  if (!match) return undefined;
  const accountId = parseId(match[1]!);
  return timingSafeEqual(Buffer.from(mark(app, accountId)), Buffer.from(match[2]!)) ? accountId : undefined;
}

function mark(app: App, accountId: number): string {
  return createHmac('sha256', app.secret).update(`archive index ${accountId}`).digest('hex').slice(0, 24);
}
