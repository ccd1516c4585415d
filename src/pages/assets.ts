// Serves the pictures and fonts of archives to mail programs and pages everywhere. Their names are made from their
// content, so a response stays valid permanently; an SVG opened directly runs no script.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { App } from '../base/context.ts';
import { readAsset, type StoredAsset } from '../campaigns/content/pictures/asset.ts';

/** Bytes of pictures that a process keeps: those of the latest campaigns, which most readers ask for. */
const keptBytes = 64 * 1024 * 1024;
/** A larger one would push hundreds of others out. */
const largestKept = 2 * 1024 * 1024;
/** A picture that was deleted is served this long. */
const keptMs = 600_000;

const isName = /^[\w.-]+$/;

export function addAssets(server: FastifyInstance, app: App) {
  const kept = new LRUCache<string, StoredAsset>({
    maxSize: keptBytes,
    maxEntrySize: largestKept,
    sizeCalculation: ({ bytes }) => bytes.length + 1,
    ttl: keptMs,
  });

  server.get('/asset/:account/:name', async (request, reply) => {
    const { account, name } = request.params as { account: string; name: string };
    // Who has it has what the name says: nothing needs to be read.
    if (isName.test(name) && request.headers['if-none-match']?.includes(`"${name}"`))
      return addHeaders(reply, name).code(304).send();
    const key = `${account}/${name}`;
    const asset = kept.get(key) ?? (await readAsset(app, account, name));
    if (!asset) return reply.code(404).type('text/plain; charset=utf-8').send('There is no such picture.\n');
    kept.set(key, asset);
    return addHeaders(reply, name).type(asset.contentType).send(asset.bytes);
  });
}

const addHeaders = (reply: FastifyReply, name: string) =>
  reply
    .header('cache-control', 'public, max-age=31536000, immutable')
    .header('etag', `"${name}"`)
    .header('access-control-allow-origin', '*')
    .header('cross-origin-resource-policy', 'cross-origin')
    .header('content-security-policy', "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:");
