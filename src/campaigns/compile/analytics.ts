// Web analytics parameters (utm_source, utm_medium, utm_campaign) added to the addresses of a campaign.
// Guarantees that what the author wrote stays: the path, the query, parameters of the same name, the fragment, merge tags.
import type { Tag } from './merge-tags.ts';

/** The values of utm_source, utm_medium and utm_campaign. */
export type Analytics = { source: string; medium: string; campaign: string };

/** Adds the parameters to a URL, before its fragment; a parameter that exists already stays. */
export function addAnalytics(parts: readonly (string | Tag)[], analytics: Analytics): (string | Tag)[] {
  // Only text contains the ? and # of the URL: the # of a merge tag belongs to its notation.
  const fragmentAt = parts.findIndex((part) => typeof part === 'string' && part.includes('#'));
  const before = fragmentAt < 0 ? [...parts] : parts.slice(0, fragmentAt);
  const after: (string | Tag)[] = fragmentAt < 0 ? [] : parts.slice(fragmentAt);
  if (fragmentAt >= 0) {
    const text = parts[fragmentAt] as string;
    const hash = text.indexOf('#');
    if (hash > 0) before.push(text.slice(0, hash));
    after[0] = text.slice(hash);
  }
  const query = queryOf(before);
  const missing = [
    ['utm_source', analytics.source],
    ['utm_medium', analytics.medium],
    ['utm_campaign', analytics.campaign],
  ].filter(([name, value]) => value !== '' && !new RegExp(`(?:^|[&;])${name}=`, 'i').test(query ?? ''));
  if (missing.length === 0) return [...parts];
  const added = missing.map(([name, value]) => `${name}=${encodeURIComponent(value!.toWellFormed())}`).join('&');
  const joiner = query === null ? '?' : query === '' || query.endsWith('&') ? '' : '&';
  return [...before, joiner + added, ...after];
}

/** The text of the query without its tags; null if there is no question mark. */
function queryOf(parts: readonly (string | Tag)[]): string | null {
  const text = parts.map((part) => (typeof part === 'string' ? part : ' ')).join('');
  const mark = text.indexOf('?');
  return mark < 0 ? null : text.slice(mark + 1);
}
