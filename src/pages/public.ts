// What recipients open: archive, view in the browser, clicks and the open pixel. GET changes nothing but counts.
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { App } from '../base/context.ts';
import type { Compiled } from '../campaigns/compile/compiled.ts';
import { archiveText, preview, renderArchive, resolveTarget } from '../campaigns/compile/fill.ts';
import { forBrowser } from '../campaigns/content/pictures/inline-images.ts';
import { readArchivePath } from '../campaigns/public-archive/address.ts';
import { drawnPicture, readPreviewPath } from '../campaigns/templates/preview-url.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { text } from '../locales/text.ts';
import { isUncounted, machineReason } from '../tracking/bots.ts';
import { createIngest } from '../tracking/ingest.ts';
import { tokensOf } from '../tracking/token-secret.ts';
import { splitClick } from '../tracking/tokens.ts';
import { badLink, gone, show } from './answers.ts';
import { html, page } from './page.ts';
import { campaignAndRecipient, frozenByArchiveKey, frozenOf, linkTarget } from './recipient.ts';

/** A page of foreign HTML runs no script and reaches nothing of ours. */
const sandbox =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src http: https: data:; style-src 'unsafe-inline' http: https:; font-src http: https: data:; media-src http: https:";

/** A transparent GIF of one pixel. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** What is known of a campaign that is gone. */
const nobodys = { lists: [], language: 'en', timeZone: 'UTC' };

export function addPublicPages(server: FastifyInstance, app: App) {
  const tokens = tokensOf(app);
  const ingest = createIngest(app);

  server.get('/archive/:key', async (request, reply) => {
    const path = readArchivePath((request.params as { key: string }).key);
    const frozen = path && (await frozenByArchiveKey(app, path));
    if (!frozen)
      return show(
        reply,
        404,
        'en',
        text('en', 'archive.gone-title'),
        html`<h1>${text('en', 'archive.gone-title')}</h1><p>${text('en', 'archive.gone')}</p>`,
      );
    return foreign(
      app,
      reply,
      frozen.compiled,
      renderArchive(frozen.compiled, frozen.at),
      archiveText(frozen.compiled, frozen.at),
    );
  });

  server.get('/v/:token', async (request, reply) => {
    const ids = tokens.readRecipient('view', (request.params as { token: string }).token);
    if (!ids) return badLink(reply);
    const found = await campaignAndRecipient(app, ids);
    if (!found) return gone(reply);
    const shown = preview(found.compiled, found.recipient, found.at);
    return foreign(app, reply, found.compiled, shown.html, shown);
  });

  server.get('/template-picture/:path', async (request, reply) => {
    const ids = readPreviewPath(app, (request.params as { path: string }).path);
    const row =
      ids &&
      (await app.db.row<{ name: string; layout: string; preview: Buffer | null; type: string }>(sql`
      select name, layout, preview, preview_type as type from template where account_id = ${ids.accountId} and id = ${ids.templateId}`));
    if (!row) return gone(reply);
    reply
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .header('cache-control', 'max-age=60');
    if (row.preview) return reply.type(row.type).send(row.preview);
    return reply.type('image/svg+xml').send(drawnPicture(row.name, row.layout));
  });

  server.get('/o/:token', async (request, reply) => {
    // The address may end in .gif, which some mail programs want of a picture.
    const ids = tokens.readRecipient('open', (request.params as { token: string }).token.replace(/\.gif$/, ''));
    if (ids && !isUncounted(request.method, request.headers)) {
      const userAgent = request.headers['user-agent'] ?? '';
      const machine = machineReason({ userAgent, afterSeconds: undefined, linksInBurst: 0 });
      await ingest.take({
        ...ids,
        kind: 'open',
        link: null,
        url: '',
        at: new Date(),
        ip: request.ip,
        userAgent,
        machine,
      });
    }
    return reply.type('image/gif').header('cache-control', 'no-store, max-age=0').send(pixel);
  });

  server.get('/c/*', async (request, reply) => {
    const split = splitClick((request.params as { '*': string })['*']);
    const ids = split && tokens.readRecipient('click', split.token);
    if (!split || !ids) return badLink(reply);
    const target = await linkTarget(app, ids, split.link);
    if (target === undefined) return gone(reply);
    // A target in other letters is no header value as it stands.
    let url: string | null = URL.canParse(target) ? new URL(target).href : null;
    if (/\*\|/.test(target)) {
      const found = await campaignAndRecipient(app, ids);
      // Who is gone from the list still has the mail: then the link has the defaults of its tags.
      const { compiled, at } = found ?? (await frozenOf(app, ids)) ?? { compiled: nobodys, at: new Date() };
      url = resolveTarget(target, compiled, { recipient: found?.recipient ?? null, at });
    }
    if (url === null || !/^https?:\/\//i.test(url)) return gone(reply);
    if (!isUncounted(request.method, request.headers)) {
      const userAgent = request.headers['user-agent'] ?? '';
      const machine = machineReason({
        userAgent,
        afterSeconds: undefined,
        linksInBurst: ingest.burst(ids, split.link),
      });
      await ingest.take({
        ...ids,
        kind: 'click',
        link: split.link,
        url,
        at: new Date(),
        ip: request.ip,
        userAgent,
        machine,
      });
    }
    return reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer').redirect(url, 302);
  });
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
    (htmlText && (await forBrowser(app.db, parseId(compiled.account), parseId(compiled.campaign), htmlText))) ??
    page({
      title: shown.subject,
      language: compiled.language,
      body: html`<h1>${shown.subject}</h1><pre style="white-space:pre-wrap">${shown.plain ?? ''}</pre>`,
    });
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', sandbox)
    .header('x-robots-tag', 'noindex')
    .send(body);
}
