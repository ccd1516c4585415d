// Whether one of our own pages made a request. Browsers send Sec-Fetch-Site, older ones and plain HTTP send Origin; a
// foreign page can change neither.
import type { App } from '../../base/context.ts';

type Headers = Record<string, string | string[] | undefined>;

/** Our own page, a foreign one, or unknown: not a browser, or an address typed by hand. */
export function originOf(app: App, headers: Headers): 'own' | 'foreign' | 'unknown' {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' ? 'own' : site === 'none' ? 'unknown' : 'foreign';
  if (headers.origin === undefined) return 'unknown';
  return isOwnOrigin(app, String(headers.origin), headers.host) ? 'own' : 'foreign';
}

/** The installation's address, or the one the request itself was sent to: our cookie goes to no other. */
function isOwnOrigin(app: App, origin: string, host: string | string[] | undefined): boolean {
  if (origin === new URL(app.baseUrl).origin) return true;
  const url = URL.parse(origin);
  return url !== null && /^https?:$/.test(url.protocol) && typeof host === 'string' && url.host === host.toLowerCase();
}
