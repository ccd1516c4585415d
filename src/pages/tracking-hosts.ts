// What the web process serves under the tracking hosts of sender domains: pages for recipients, not the web application and
// not the API. So no sign-in page appears under the name of a sender. Public pages are served at any host.
import type { FastifyRequest } from 'fastify';
import type { App } from '../base/context.ts';
import { remember } from '../base/remember.ts';
import { isTrackingHost } from '../senders/domains/tracking-host.ts';

const publicPath = /^\/(?:[coupv]|archives?|asset|confirm|subscribe|template-picture)\/|^\/(?:health|ready)$/;
/** A host that becomes or stops being a tracking host is noticed within this time. */
const validMs = 30_000;
const maxHosts = 1_000;

/** Whether a request is for something that its host does not serve. */
export function hostLimits(app: App): (request: FastifyRequest) => Promise<boolean> {
  const known = new Map<string, { limited: boolean; until: number }>();
  return async (request) => {
    if (publicPath.test(request.url.split('?', 1)[0]!)) return false;
    const host = request.hostname.toLowerCase();
    if (host === new URL(app.baseUrl).hostname) return false;
    const now = performance.now();
    let found = known.get(host);
    if (!found || found.until < now) {
      found = { limited: await isTrackingHost(app.db, host), until: now + validMs };
      remember(known, host, found, maxHosts);
    }
    return found.limited;
  };
}
