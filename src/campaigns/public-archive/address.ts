// The public addresses of a campaign's archive page and of an account's index of them. web_id makes it readable, the key (128 random bits) keeps an unsent
// campaign from being guessed.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { App } from '../../base/context.ts';
import { formatId, parseId } from '../../db/ids.ts';

export function archiveUrl(baseUrl: string, webId: number, archiveKey: string): string {
  return `${baseUrl}/archive/${webId}-${archiveKey}`;
}

/** The parts of what follows /archive/; undefined when it has not that form. */
export function readArchivePath(text: string): { webId: number; key: string } | undefined {
  const match = /^(\d{1,10})-([0-9a-f]{32})$/.exec(text);
  return match ? { webId: Number(match[1]), key: match[2]! } : undefined;
}

/** The index of an account's campaigns; its feed is the same with /feed.xml behind it. */
export function archiveIndexUrl(app: App, accountId: number): string {
  return `${app.baseUrl}/archives/${formatId(accountId)}-${mark(app, accountId)}`;
}

/** The account that what follows /archives/ names; undefined when it is none of our addresses. */
export function readArchiveIndexPath(app: App, text: string): number | undefined {
  const match = /^([abcdf][0-9a-f]{7})-([0-9a-f]{24})$/.exec(text);
  if (!match) return undefined;
  const accountId = parseId(match[1]!);
  return timingSafeEqual(Buffer.from(mark(app, accountId)), Buffer.from(match[2]!)) ? accountId : undefined;
}

function mark(app: App, accountId: number): string {
  return createHmac('sha256', app.secret).update(`archive index ${accountId}`).digest('hex').slice(0, 24);
}
