// What recipients open: archive, view in the browser, clicks and the open pixel. GET changes nothing but counts.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../base/context.ts';
import { html } from '../base/html.ts';
import { archiveText, type PersonalLinks, preview, renderArchive, resolveTarget } from '../campaigns/compile/fill.ts';
import { forBrowser } from '../campaigns/content/pictures/inline-images.ts';
import { type Compiled, paths } from '../campaigns/markup/compiled.ts';
import { archiveUrl, readArchivePath } from '../campaigns/model/archive-address.ts';
import { indexableCampaign } from '../campaigns/public-archive/archive.ts';
import { placeholder, readPreviewPath } from '../campaigns/templates/preview-url.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { isUncounted, machineReason } from '../tracking/bots.ts';
import { createIngest, type Hit } from '../tracking/ingest.ts';
import { tokensOf } from '../tracking/token-secret.ts';
import { type RecipientIds, splitClick } from '../tracking/tokens.ts';
import { badLink, gone, noCampaign } from './page/answers.ts';
import { page } from './page/page.ts';
import { campaignAndRecipient, formerRecipient, frozenByArchiveKey, frozenOf, linkTarget } from './recipient.ts';
import { sharedTags, withTags } from './shared-tags.ts';

/** A page of foreign HTML runs no script and reaches nothing of ours. */
const sandbox =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src http: https: data:; style-src 'unsafe-inline' http: https:; font-src http: https: data:; media-src http: https:";

/** A transparent GIF of one pixel. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** Stands for a campaign that no longer exists. */
const goneCampaign = { lists: [], language: 'en', timeZone: 'UTC' };

export function addPublicPages(server: FastifyInstance, app: App) {
  server.get<{ Params: { key: string } }>('/archive/:key', (request, reply) => archive(app, request.params.key, reply));
  server.get<{ Params: { token: string } }>('/v/:token', (request, reply) =>
    inBrowser(app, request.params.token, reply),
  );
  server.get<{ Params: { path: string } }>('/template-picture/:path', (request, reply) =>
    templatePicture(app, request.params.path, reply),
  );
  addTracking(server, app);
}

async function archive(app: App, key: string, reply: FastifyReply) {
  const path = readArchivePath(key);
  const frozen = path && (await frozenByArchiveKey(app, path));
  if (!frozen) return noCampaign(reply);
  const { compiled, at } = frozen;
  const text = archiveText(compiled, at);
  const shared = await indexableCampaign(app, path);
  const markup = renderArchive(compiled, at);
  if (!shared) return foreign(app, reply, compiled, markup, text);
  reply.header('x-robots-tag', 'all');
  const tags = sharedTags({
    ...shared,
    title: text.subject,
    description: '',
    url: archiveUrl(app.baseUrl, path.webId, path.key),
  });
  return foreign(app, reply, compiled, markup && withTags(markup, tags), text);
}

/** The message as a recipient got it. */
async function inBrowser(app: App, token: string, reply: FastifyReply) {
  const ids = tokensOf(app).readRecipient('view', token);
  if (!ids) return badLink(reply);
  const found = await campaignAndRecipient(app, ids);
  if (!found) return gone(reply);
  reply.header('cache-control', 'private, no-store');
  const shown = preview(found.compiled, found.recipient, found.at, linksOf(app, ids, found));
  return foreign(app, reply, found.compiled, shown.html, shown);
}

/** Not the profile: people pass on the page with its address. */
function linksOf(app: App, ids: RecipientIds, { compiled, recipient, contact }: Found): PersonalLinks {
  const others = compiled.lists.map(({ id }) => id).filter((id) => id !== recipient.list);
  const lists = [recipient.list, ...others];
  const { unsubscribe, choices } = tokensOf(app).tokens({ ...ids, contact, lists });
  return {
    unsubscribe: `${compiled.baseUrl}${paths.unsubscribe}${unsubscribe}`,
    profile: `${compiled.baseUrl}${paths.profile}${choices}`,
  };
}

type Found = NonNullable<Awaited<ReturnType<typeof campaignAndRecipient>>>;

async function templatePicture(app: App, path: string, reply: FastifyReply) {
  const ids = readPreviewPath(app, path);
  const row =
    ids &&
    (await app.db.row<{ layout: string; preview: Buffer | null; type: string }>(sql`
      select layout, preview, preview_type as type
      from template
      where account_id = ${ids.accountId}
        and id = ${ids.templateId}`));
  if (!row) return gone(reply);
  reply
    .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
    .header('cache-control', 'max-age=60');
  if (row.preview) return reply.type(row.type).send(row.preview);
  // The picture takes its place within seconds.
  return reply.type('image/svg+xml').header('cache-control', 'no-cache').send(placeholder(row.layout));
}

/** How long the answer to an open or click waits until that is stored. */
const maxHitWaitMs = 1_000;

/** The open pixel and the links of messages. */
function addTracking(server: FastifyInstance, app: App) {
  const ingest = createIngest(app);

  async function count(request: FastifyRequest, event: Omit<Hit, 'at' | 'ip' | 'userAgent' | 'machine'>) {
    if (isUncounted(request.method, request.headers)) return;
    const userAgent = request.headers['user-agent'] ?? '';
    const machine = machineReason({ userAgent });
    const taken = ingest.take({ ...event, at: new Date(), ip: request.ip, userAgent, machine });
    // Usually some milliseconds. The person who clicked does not wait for a database that is down.
    await Promise.race([taken, sleep(maxHitWaitMs, undefined, { ref: false })]);
  }

  server.get<{ Params: { token: string } }>('/o/:token', async (request, reply) => {
    // The address may end in .gif, which some mail programs expect of a picture.
    const ids = tokensOf(app).readRecipient('open', request.params.token.replace(/\.gif$/, ''));
    if (ids) await count(request, { ...ids, kind: 'open', link: null, url: '' });
    return reply.type('image/gif').header('cache-control', 'no-store, max-age=0').send(pixel);
  });

  server.get<{ Params: { '*': string } }>('/c/*', async (request, reply) => {
    const split = splitClick(request.params['*']);
    const ids = split && tokensOf(app).readRecipient('click', split.token);
    if (!split || !ids) return badLink(reply);
    const url = await clickTarget(app, ids, split.link, split.item);
    if (url === null) return gone(reply);
    await count(request, { ...ids, kind: 'click', link: split.link, url });
    return reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer').redirect(url, 302);
  });
}

/** Where a link leads, with its merge tags filled in; null when the link does not exist or is no web address. */
async function clickTarget(app: App, ids: RecipientIds, link: number, item?: number): Promise<string | null> {
  const target = await linkTarget(app, ids, link);
  if (target === undefined) return null;
  // Only the parsed URL is a valid header value: the target may contain letters outside ASCII.
  let url: string | null = URL.canParse(target) ? new URL(target).href : null;
  if (/\*\|/.test(target)) {
    const found = (await campaignAndRecipient(app, ids)) ?? (await formerRecipient(app, ids));
    // A recipient that has left the list still has the message: then the link has the defaults of its tags.
    const { compiled, at } = found ?? (await frozenOf(app, ids)) ?? { compiled: goneCampaign, at: new Date() };
    url = resolveTarget(target, compiled, { recipient: found?.recipient ?? null, at }, item);
  }
  return url !== null && /^https?:\/\//i.test(url) ? url : null;
}

/** The author's HTML, or the plain text in a page, in a place of its own. */
async function foreign(
  app: App,
  reply: FastifyReply,
  compiled: Compiled,
  htmlText: string | null,
  shown: { subject: string; plain: string | null },
) {
  const body =
    (htmlText &&
      (await forBrowser(
        app.db,
        { account: parseId(compiled.account), campaign: parseId(compiled.campaign) },
        htmlText,
      ))) ??
    page({
      title: shown.subject,
      language: compiled.language,
      body: html`<h1>${shown.subject}</h1><pre style="white-space:pre-wrap">${shown.plain ?? ''}</pre>`,
    });
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', sandbox)
    .header('x-robots-tag', reply.getHeader('x-robots-tag') ?? 'noindex')
    .send(body);
}
