// Follows one link as a browser would, to see whether there is a page. Reads nothing of the page. Connects only where the outbound
// client lets it, so never to private addresses.
import type { Outbound, OutboundResult } from '../../../base/outbound-client.ts';

/** Nothing is known where our own network or the outbound client did not let us ask. */
export type Followed =
  | { outcome: 'answered' | 'gone' | 'failing' /** The HTTP status, or why there was no answer. */; reason: string }
  | { outcome: 'unknown' };

const limits = {
  totalMs: 10_000,
  headersMs: 10_000,
  maxBytes: 16 * 1024,
  overflow: 'cut' as const,
  redirects: 'follow-checked' as const,
  maxRedirects: 8,
};

/** Servers that know no HEAD, or refuse it, are asked again with GET. */
export async function followLink(
  outbound: Outbound,
  address: string,
  { ownUrl, signal, totalMs = limits.totalMs }: { ownUrl: string; signal?: AbortSignal; totalMs?: number },
): Promise<Followed> {
  const headers = { 'User-Agent': `Postrider link check (+${ownUrl})`, Accept: 'text/html, */*;q=0.8' };
  const request = { ...limits, totalMs, headersMs: totalMs, headers, ...(signal ? { signal } : {}) };
  const head = await outbound.fetch(address, { ...request, method: 'HEAD' });
  if (head.ok ? head.status < 400 : head.why !== 'timeout' && head.why !== 'protocol') return followed(head);
  return followed(await outbound.fetch(address, { ...request, method: 'GET' }));
}

export function followed(result: OutboundResult): Followed {
  if (result.ok) {
    const { status } = result;
    if (status === 404 || status === 410) return { outcome: 'gone', reason: String(status) };
    // Other 4xx: the server is there, and refuses programs or strangers.
    return { outcome: status >= 500 ? 'failing' : 'answered', reason: String(status) };
  }
  // LinkedIn answers programs with 999.
  if (/^status \d+$/.test(result.detail)) return { outcome: 'answered', reason: result.detail.slice('status '.length) };
  if (result.code === 'NAME_UNKNOWN') return { outcome: 'gone', reason: 'name' };
  switch (result.why) {
    case 'timeout':
    case 'redirects':
    case 'protocol':
      return { outcome: 'failing', reason: result.why };
    case 'unreachable':
      return result.code === 'NAME_UNANSWERED' ? { outcome: 'unknown' } : { outcome: 'failing', reason: 'unreachable' };
    default:
      return { outcome: 'unknown' };
  }
}
