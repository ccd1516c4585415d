// Serves the documentation, which bin/build-docs has built, at /docs. Pages have no ending in their address (/docs/operations); with
// .md they are Markdown. Files with a hash in their name are cached permanently, all else is revalidated.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import files from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../base/context.ts';
import { publicPath } from '../base/public-paths.ts';
import { hideReference } from '../doors/admission/readers.ts';

const dist = join(import.meta.dirname, '../../site/dist');

// The search loads its texts; nothing is within a page, neither script nor style.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function addDocumentation(server: FastifyInstance, app: App) {
  server.get('/docs', async (_request, reply) => reply.redirect(publicPath(app, '/docs/'), 301));
  server.register(async (pages) => {
    pages.addHook('onRequest', async (_request, reply) => {
      reply
        .header('content-security-policy', policy)
        .header('x-frame-options', 'DENY')
        .header('cross-origin-opener-policy', 'same-origin')
        .header('permissions-policy', 'camera=(), microphone=(), geolocation=()');
    });
    pages.addHook('preHandler', hideReference(app));
    if (!existsSync(join(dist, '404.html'))) {
      pages.get('/docs/*', async (_request, reply) =>
        reply
          .code(503)
          .type('text/plain; charset=utf-8')
          .send('The documentation is not built yet: run `npm run docs:site`, then start the program again.\n'),
      );
      return;
    }
    await pages.register(files, {
      root: dist,
      serve: false,
      dotfiles: 'ignore',
      preCompressed: true,
      cacheControl: false,
      setHeaders: (reply, path) => {
        const isHashed = path.startsWith(join(dist, 'assets/'));
        reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      },
    });
    const built = new Set(readdirSync(dist, { recursive: true, encoding: 'utf8' }));
    const missing = readFileSync(join(dist, '404.html'), 'utf8');
    pages.get('/docs/*', async (request: FastifyRequest<{ Params: { '*': string } }>, reply: FastifyReply) => {
      const path = request.params['*'];
      if (built.has(`${path}/index.html`)) return reply.redirect(publicPath(app, `/docs/${path}/`), 301);
      const name = /(^|\/)$/.test(path) ? `${path}index.html` : /\.[a-z0-9]+$/i.test(path) ? path : `${path}.html`;
      // Nothing else is looked up on the disk, wherever the path may lead.
      if (!built.has(name) || name.startsWith('.')) return notFound(app, reply, missing);
      return reply.sendFile(name);
    });
  });
}

/** The page is built with addresses relative to the first page of the documentation. */
function notFound(app: App, reply: FastifyReply, page: string): FastifyReply {
  const at = (path: string) => publicPath(app, `/docs/${path}`);
  const completed = page
    .replace(/(?<= (?:src|href|data-search)=")(?!\.\/|\.\.\/|#|https?:)/g, at(''))
    .replace(/(?<= (?:href|data-root)=")\.\//g, at(''))
    .replace(/(?<= href=")\.\.\//g, publicPath(app, '/'));
  return reply.code(404).header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(completed);
}
