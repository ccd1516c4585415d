// Pictures of templates: the page as a browser shows it, when there is a Chromium (chromium.ts finds it). The page runs no
// script and reaches nothing: every request except for data: and our own stored pictures is refused within the browser,
// which also starts without a way to the network. Without a Chromium the drawing of preview-url.ts stays.
import { join } from 'node:path';
import type { Browser, Route } from 'playwright-core';
import type { App } from '../../base/context.ts';
import { escapeHtml } from '../../base/html.ts';
import { sql } from '../../db/connect.ts';
import type { Payload, TaskContext } from '../../jobs/tasks.ts';
import { assetUrl, readAsset } from '../content/pictures/asset.ts';
import { markOf } from '../markup/conditions.ts';
import { parseTags } from '../markup/merge-tags.ts';
import { type Chromium, findChromium, launchChromium } from './chromium.ts';

/** Of the page's window, in CSS pixels: a newsletter is 600 wide. */
const pictureSize = { width: 640, height: 800 };
/** A page that takes longer to paint keeps its drawing. */
const maxMs = 20_000;

/** Takes the picture of a template. */
export async function drawPreview(
  { app, log }: TaskContext,
  { account_id, template_id }: Payload<'drawPreview'>,
): Promise<void> {
  const chromium = await findChromium(app.config.chromiumPath, join(app.config.dataDir, 'cache'));
  if (!chromium) {
    log.debug('there is no Chromium, so templates keep their drawings');
    return;
  }
  const template = await app.db.row<{ source: string; sender: string; address: string }>(sql`
    select t.source, coalesce(nullif(a.company, ''), a.name) as sender, a.postal_address as address
    from template t
    join account a on a.id = t.account_id
    where t.account_id = ${account_id}
      and t.id = ${template_id}`);
  if (!template) return;
  const own = sendersTags(template.sender, template.address);
  const picture = await takePicture(
    { ...chromium, log },
    template.source,
    (url) => ownPicture(app, account_id, url),
    own,
  );
  // If the source has changed since, another job takes the picture.
  await app.db.run(sql`
    update template
    set preview = ${picture}, preview_type = 'image/png'
    where account_id = ${account_id}
      and id = ${template_id}
      and source = ${template.source}`);
}

export type OwnPicture = (url: string) => Promise<{ contentType: string; bytes: Buffer } | undefined>;

/** The page as a PNG. @param own returns the pictures that the page may show besides data: ones */
export async function takePicture(
  chromium: Chromium,
  html: string,
  own: OwnPicture,
  tags: Readonly<Record<string, string>> = {},
): Promise<Buffer> {
  return withPage(chromium, pictureSize, withoutTags(html, tags), own, (page) =>
    page.screenshot({ type: 'png', timeout: maxMs, animations: 'disabled', caret: 'hide' }),
  );
}

type Page = Awaited<ReturnType<Browser['newPage']>>;

/** Shows a page in a new browser and looks at it; what is left of its merge tags is shown as their defaults or names. */
export async function withPage<T>(
  chromium: Chromium,
  size: { width: number; height: number },
  html: string,
  own: OwnPicture,
  look: (page: Page) => Promise<T>,
): Promise<T> {
  const browser = await launchChromium(chromium, {
    args: [
      '--host-resolver-rules=MAP * ~NOTFOUND',
      '--proxy-server=http://127.0.0.1:9',
      '--proxy-bypass-list=<-loopback>',
      '--disable-gpu',
      '--disable-dev-shm-usage',
    ],
  });
  try {
    const context = await browser.newContext({ viewport: size, javaScriptEnabled: false, serviceWorkers: 'block' });
    await context.route('**/*', (route) => answer(route, own));
    const page = await context.newPage();
    page.setDefaultTimeout(maxMs);
    await page.setContent(withoutTags(html), { waitUntil: 'load', timeout: maxMs });
    return await look(page);
  } finally {
    await browser.close();
  }
}

async function answer(route: Route, own: OwnPicture): Promise<void> {
  const request = route.request();
  const url = request.url();
  // A page that redirects stays where it is: a browser does not follow an answer without content.
  if (request.isNavigationRequest()) return route.fulfill({ status: 204 });
  if (url.startsWith('data:')) return route.continue();
  const picture = request.resourceType() === 'image' ? await own(url) : undefined;
  if (!picture) return route.abort('blockedbyclient');
  return route.fulfill({ contentType: picture.contentType, body: picture.bytes });
}

/** What the tags about the list stand for before there is one: the sender. Without a name or an address, the samples. */
export function sendersTags(sender: string, address: string): Record<string, string> {
  const lines = address.replaceAll(/\s*\n\s*/g, ', ').trim();
  return {
    ...(sender === '' ? {} : { 'LIST:NAME': sender, 'LIST:COMPANY': sender }),
    ...(lines === '' ? {} : { 'LIST:ADDRESS': lines }),
  };
}

/** The page with what its merge tags stand for: defaults, or the names of the fields. @param own values of tags, by their names */
export function withoutTags(html: string, own: Readonly<Record<string, string>> = {}): string {
  return parseTags(html)
    .map((part) => {
      if (typeof part === 'string') return part;
      if (markOf(part, [])) return '';
      if (part.argument !== null && part.name !== 'DATE') return escapeHtml(part.argument);
      return escapeHtml(
        own[part.name] ?? samples[part.name] ?? part.name.slice(part.name.indexOf(':') + 1).toLowerCase(),
      );
    })
    .join('');
}

const samples: Record<string, string> = {
  UNSUB: '#',
  UPDATE_PROFILE: '#',
  ARCHIVE: '#',
  EMAIL: 'reader@example.com',
  DATE: '1 May',
  'LIST:NAME': 'Our newsletter',
  'LIST:COMPANY': 'Our organisation',
  'LIST:ADDRESS': '1 Example Road, Town',
  'LIST:URL': '#',
  'CAMPAIGN:SUBJECT': 'Subject',
};

async function ownPicture(app: App, accountId: number, url: string) {
  const before = assetUrl(app.baseUrl, accountId, '');
  if (!url.startsWith(before)) return undefined;
  const account = before.split('/').at(-2)!;
  return readAsset(app, account, url.slice(before.length));
}
