// Serves the built web application under /app/: files with a hash in their name are cached permanently, the page is
// revalidated each time, and any other path is a screen, to which the page routes.
// The content security policy allows scripts from this origin only; mail is previewed in sandboxed frames.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import files from '@fastify/static';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { App } from '../base/context.ts';
import { escapeHtml } from '../base/html.ts';
import { basePathOf, publicPath } from '../base/public-paths.ts';

const dist = join(import.meta.dirname, '../../ui/dist');

/** The path of the web application. */
export const applicationPath = '/app/' as const;

// Styles within the page: the component library sets positions and colours that way. Frames without a URL of
// their own (previews of messages) inherit this policy, so that pictures of messages may come from anywhere.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob: http: https:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export function addApplication(server: FastifyInstance, app: App) {
  const screen = (name = '') => publicPath(app, `${applicationPath}${name}`);
  server.get('/app', async (_request, reply) => reply.redirect(screen(), 301));
  // Former addresses of these screens, for bookmarks.
  server.get('/login', async (_request, reply) => reply.redirect(screen('sign-in'), 301));
  server.get('/inbox', async (_request, reply) => reply.redirect(screen('inbox'), 301));
  server.get<{ Params: { id: string } }>('/inbox/:id', async ({ params }, reply) =>
    reply.redirect(screen(`inbox/${encodeURIComponent(params.id)}`), 301),
  );
  server.register(async (application) => {
    application.addHook('onRequest', async (_request, reply) => {
      reply
        .header('content-security-policy', policy)
        .header('x-frame-options', 'DENY')
        .header('cross-origin-opener-policy', 'same-origin')
        .header('permissions-policy', 'camera=(), microphone=(), geolocation=()');
    });
    if (!existsSync(join(dist, 'index.html'))) {
      application.get(`${applicationPath}*`, async (_request, reply) =>
        reply
          .code(503)
          .type('text/plain; charset=utf-8')
          .send('The web application is not built yet: run `npm run ui:build`, then start the program again.\n'),
      );
      return;
    }
    await application.register(files, {
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
    const built = namedPage(app.config, readFileSync(join(dist, 'index.html'), 'utf8'));
    const logo = app.config.appLogo;
    if (logo)
      application.get(`${applicationPath}${logoName}`, async (_request, reply) =>
        // It may be an SVG with a script: nothing runs where it is opened on its own.
        reply
          .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
          .header('cache-control', 'no-cache')
          .type(logo.type)
          .send(logo.bytes),
      );
    const served = servedFiles();
    application.get(`${applicationPath}*`, async (request: FastifyRequest<{ Params: { '*': string } }>, reply) => {
      const name = request.params['*'];
      // Nothing else is looked up on the disk, wherever the path may lead.
      if (served.has(name)) return reply.sendFile(name);
      // A missing file is an error, not a screen: a page loaded before an update must notice that its files are gone.
      if (request.url.startsWith(`${applicationPath}assets/`))
        return reply.code(404).type('text/plain; charset=utf-8').send('There is no such file.\n');
      return reply
        .header('cache-control', 'no-cache')
        .type('text/html; charset=utf-8')
        .send(pageAt(basePathOf(app.baseUrl), built));
    });
  });
}

/** The logo of the installation. */
const logoName = 'installation-logo';

/** The built page with the name, the logo and the support address of the installation: `appName` in ui/src/api/installation.ts. */
export function namedPage(
  { appName, appLogo, supportEmail }: Pick<App['config'], 'appName' | 'appLogo' | 'supportEmail'>,
  built: string,
): string {
  const metas = [
    ['app-name', appName === 'Postrider' ? '' : appName],
    ['app-logo', appLogo ? logoName : ''],
    ['support-email', supportEmail],
  ]
    .filter(([, content]) => content !== '')
    .map(([name, content]) => `<meta name="${name}" content="${escapeHtml(content!)}" />`);
  const page = built.replace(
    '<title>Postrider</title>',
    () => `<title>${escapeHtml(appName)}</title>${metas.join('')}`,
  );
  if (!appLogo) return page;
  return page.replace(
    /<link rel="icon"[^>]*>/,
    () => `<link rel="icon" href="./${logoName}" type="${appLogo.type}" />`,
  );
}

/** The page itself has a route for all screens, and what the build notes down for itself has none. */
function servedFiles(): Set<string> {
  const names = readdirSync(dist, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(dist, join(parentPath, name)));
  return new Set(names.filter((name) => name !== 'index.html' && !name.startsWith('.')));
}

/**
 * The page of the web application below a base path. It is built with addresses relative to itself, and is served for every
 * screen. `basePath` in ui/src/api/base-path.ts reads the element that a path adds.
 */
export function pageAt(basePath: string, built: string): string {
  const page = built.replace(/(?<= (?:src|href)=")\.\//g, basePath + applicationPath);
  if (basePath === '') return page;
  return page.replace('<meta charset="utf-8" />', (first) => `${first}<meta name="base-path" content="${basePath}" />`);
}
