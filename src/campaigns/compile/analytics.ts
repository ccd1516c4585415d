// Web analytics parameters (utm_source, utm_medium, utm_campaign) added to the addresses of a campaign.
// Promises that what the author wrote stays: the path, a query, parameters of the same name, the fragment, merge tags.
import type { Tag } from './merge.ts';

/** What goes into utm_source, utm_medium and utm_campaign. */
export type Analytics = { source: string; medium: string; campaign: string };

/** The parts of an address with the parameters put before its fragment; a parameter that is there already stays. */
export function addAnalytics(parts: readonly (string | Tag)[], analytics: Analytics): (string | Tag)[] {
  // Only text can hold the ? and # of the address: a merge tag's own # belongs to its notation.
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
  const wanted = [
    ['utm_source', analytics.source],
    ['utm_medium', analytics.medium],
    ['utm_campaign', analytics.campaign],
  ].filter(([name, value]) => value !== '' && !new RegExp(`(?:^|[&;])${name}=`, 'i').test(query ?? ''));
  if (wanted.length === 0) return [...parts];
  const added = wanted.map(([name, value]) => `${name}=${encodeURIComponent(value!.toWellFormed())}`).join('&');
  const joiner = query === null ? '?' : query === '' || query.endsWith('&') ? '' : '&';
  return [...before, joiner + added, ...after];
}

/** The text of the query, tags left out; null when there is no question mark. */
function queryOf(parts: readonly (string | Tag)[]): string | null {
  const text = parts.map((part) => (typeof part === 'string' ? part : ' ')).join('');
  const mark = text.indexOf('?');
  return mark < 0 ? null : text.slice(mark + 1);
}
