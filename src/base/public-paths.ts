// The path of the installation below its host: '' for https://mail.example.com, '/mail' for https://www.example.com/mail. The
// only place that knows it: `routedPath` takes it off a request before routing, `publicPath` puts it before every link of a
// page (test/paths.test.ts). Links of messages begin with the whole public URL.

/** An App. */
type Base = { baseUrl: string };

/** Without a slash at its end. */
export const basePathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/+$/, '');

/** A link of a page. @param path as the program routes it, such as /api */
export const publicPath = ({ baseUrl }: Base, path: `/${string}`): string => basePathOf(baseUrl) + path;

/** The path that is routed: a reverse proxy may have taken the base path off, or may leave that to us. */
export function withoutBase({ baseUrl }: Base, requested: string): string {
  const base = basePathOf(baseUrl);
  if (base === '' || !requested.startsWith(base)) return requested;
  const rest = requested.slice(base.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : requested;
}

/**
 * The path that is routed, with one slash for several in an address of the API: programs join a base that ends in a slash with
 * a path that begins with one. Other paths stay as they are: of a link, each character may count.
 */
export function routedPath(base: Base, requested: string): string {
  const path = requested.split('?', 1)[0]!;
  if (!path.startsWith('/') || !path.includes('//')) return withoutBase(base, requested);
  const joined = withoutBase(base, path.replace(/\/{2,}/g, '/') + requested.slice(path.length));
  return API_PATH.test(joined) ? joined : withoutBase(base, requested);
}

const API_PATH = /^\/(?:(?:xmlrpc|RPC2|\d+\.\d+)\/?|api\/[^/?]+)?(?:\?|$)/;

/**
 * Whether a URL can be a base: its path has plain letters, and begins with no address of the program's own. Otherwise no one
 * would know whether a proxy has taken it off.
 */
export function hasUsablePath(url: string): boolean {
  const path = /^https?:\/\/[^/\\]+((?:\/[A-Za-z0-9._~-]+)*)\/*$/i.exec(url)?.[1];
  if (path === undefined || /\/\.{1,2}(\/|$)/.test(path)) return false;
  const [, first = ''] = path.split('/');
  return !ownNames.has(first) && !/^\d+\.\d+$/.test(first);
}

/** The first segments of the program's addresses. src/base/public-paths.test.ts compares it with the routes. */
export const ownNames: ReadonlySet<string> = new Set([
  'address',
  'RPC2',
  'api',
  'app',
  'archive',
  'archives',
  'asset',
  'c',
  'confirm',
  'docs',
  'events',
  'export',
  'forms.js',
  'health',
  'import',
  'in',
  'inbox',
  'llms.txt',
  'login',
  'mcp',
  'metrics',
  'o',
  'p',
  'ready',
  'report',
  'session',
  'subscribe',
  'template-picture',
  'u',
  'upload',
  'v',
  'xmlrpc',
]);
