// Serves the pictures and fonts of archives to mail programs and pages everywhere. Their names are made from their
// content, so a response stays valid permanently; an SVG opened directly runs no script.
import type { FastifyInstance } from 'fastify';
import type { App } from '../base/context.ts';
import { readAsset } from '../campaigns/content/pictures/asset.ts';

export function addAssets(server: FastifyInstance, app: App) {
  server.get('/asset/:account/:name', async (request, reply) => {
    const { account, name } = request.params as { account: string; name: string };
    const asset = await readAsset(app, account, name);
    if (!asset) return reply.code(404).type('text/plain; charset=utf-8').send('There is no such picture.\n');
    reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('etag', `"${name}"`)
      .header('access-control-allow-origin', '*')
      .header('cross-origin-resource-policy', 'cross-origin')
      .header('content-security-policy', "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:");
    if (request.headers['if-none-match']?.includes(`"${name}"`)) return reply.code(304).send();
    return reply.type(asset.contentType).send(asset.bytes);
  });
}
