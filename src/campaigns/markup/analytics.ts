// Web analytics parameters (utm_source, utm_medium, utm_campaign, utm_term, utm_content) added to the addresses of a campaign.
// Guarantees that what the author wrote stays: the path, the query, parameters of the same name, the fragment, merge tags.
// Addresses of other people's sites stay as they are: their statistics are not the sender's.
import { hostOf, readSites } from '../../accounts/account/own-sites.ts';
import type { Tag } from './merge-tags.ts';

/** The values of the parameters; '' for one that is not added. */
export type Analytics = {
  source: string;
  medium: string;
  campaign: string;
  term?: string;
  content?: string;
  /** Hosts of the sender's sites, with their subdomains. When empty, every site but those that are surely of others. */
  sites?: readonly string[];
};

export type AnalyticsOption = { google?: string; source?: string; medium?: string; term?: string; content?: string };

/** What an account adds when a campaign names only itself. */
export const usualSource = 'newsletter';
export const usualMedium = 'email';

/** The parameters of a campaign, or null when it has none. */
export function analyticsOf(option: AnalyticsOption, settings: Record<string, unknown>): Analytics | null {
  const { google = '', source = '', medium = '', term = '', content = '' } = option;
  if ([google, source, medium, term, content].every((value) => value === '')) return null;
  const setting = (name: string) => (typeof settings[name] === 'string' ? settings[name] : '');
  return {
    source: source || setting('utm_source') || usualSource,
    medium: medium || setting('utm_medium') || usualMedium,
    campaign: google,
    term,
    content,
    sites: readSites(setting('analytics_sites')) ?? [],
  };
}

/** Whether an address is of the sender's sites, as far as that is known. */
export function takesAnalytics(parts: readonly (string | Tag)[], { sites = [] }: Analytics): boolean {
  const [first] = parts;
  const host = typeof first === 'string' ? hostOf(first.trim()) : undefined;
  if (host === undefined) return false;
  const isOf = (site: string) => host === site || host.endsWith(`.${site}`);
  if (sites.length > 0) return sites.some(isOf);
  return !ofOthers.some(isOf) && !isSigned(queryOf(parts) ?? '');
}

/** An address that its server has signed works only unchanged. */
const isSigned = (query: string) =>
  /(?:^|[&;])(?:x-amz-signature|x-goog-signature|x-oss-signature|key-pair-id|hdnea|hdnts)=/i.test(query) ||
  (/(?:^|[&;])(?:sig|signature)=/i.test(query) && /(?:^|[&;])(?:se|exp|expires?|e)=/i.test(query));

/** Sites on which anyone has a page, and no one the statistics: social networks, videos, music, maps, app stores, meetings. */
const ofOthers = [
  ...['facebook.com', 'fb.com', 'fb.me', 'm.me', 'instagram.com', 'threads.net', 'threads.com', 'twitter.com', 'x.com'],
  ...[
    't.co',
    'linkedin.com',
    'lnkd.in',
    'xing.com',
    'tiktok.com',
    'pinterest.com',
    'pin.it',
    'snapchat.com',
    'reddit.com',
  ],
  ...[
    'bsky.app',
    'mastodon.social',
    'vk.com',
    'ok.ru',
    'weibo.com',
    'line.me',
    'whatsapp.com',
    'wa.me',
    't.me',
    'signal.me',
  ],
  ...[
    'telegram.me',
    'discord.com',
    'discord.gg',
    'twitch.tv',
    'youtube.com',
    'youtu.be',
    'vimeo.com',
    'dailymotion.com',
  ],
  ...['spotify.com', 'soundcloud.com', 'deezer.com', 'music.apple.com', 'podcasts.apple.com', 'apps.apple.com'],
  ...[
    'itunes.apple.com',
    'maps.apple.com',
    'play.google.com',
    'maps.google.com',
    'maps.app.goo.gl',
    'goo.gl',
    'g.page',
  ],
  ...['calendar.google.com', 'docs.google.com', 'drive.google.com', 'forms.gle', 'meet.google.com', 'zoom.us'],
  ...['teams.microsoft.com', 'teams.live.com', 'openstreetmap.org', 'wikipedia.org', 'wikimedia.org', 'doodle.com'],
];

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
  // Analytics programs read parameters from the fragment too.
  const written = `${query ?? ''}&${textOf(after).slice(1)}`;
  const missing = [
    ['utm_source', analytics.source],
    ['utm_medium', analytics.medium],
    ['utm_campaign', analytics.campaign],
    ['utm_term', analytics.term ?? ''],
    ['utm_content', analytics.content ?? ''],
  ].filter(([name, value]) => value !== '' && !new RegExp(`(?:^|[&;?])${name}=`, 'i').test(written));
  if (missing.length === 0) return [...parts];
  const added = missing.map(([name, value]) => `${name}=${encodeURIComponent(value!.toWellFormed())}`).join('&');
  const joiner = query === null ? '?' : query === '' || query.endsWith('&') ? '' : '&';
  return [...before, joiner + added, ...after];
}

/** The text of the query without its tags; null if there is no question mark. */
function queryOf(parts: readonly (string | Tag)[]): string | null {
  const text = textOf(parts);
  const mark = text.indexOf('?');
  return mark < 0 ? null : text.slice(mark + 1);
}

const textOf = (parts: readonly (string | Tag)[]) =>
  parts.map((part) => (typeof part === 'string' ? part : ' ')).join('');
