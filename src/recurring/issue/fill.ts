// Puts the items of a feed into the content of an issue: *|RSSITEMS:|* … *|END:RSSITEMS|* is repeated for each item, and the tags
// RSSITEM:… and RSSFEED:… are replaced by values, escaped for their place. Guarantees that no value adds a merge tag, leaves its
// place or breaks a header line. All other merge tags stay as the author wrote them.
import { escapeHtml } from '../../base/html.ts';
import { formatDate } from '../../campaigns/compile/date-tag.ts';
import { escapeFor, type Place, safeUrl } from '../../campaigns/markup/escape.ts';
import { findTags, type Tag } from '../../campaigns/markup/merge-tags.ts';
import { isUrlAttribute, scanHtml, ZoneFinder } from '../../campaigns/markup/scan-html.ts';
import type { Feed, FeedItem } from '../feed/feed.ts';
import { withoutTags, withoutTagsInUrl } from '../feed/without-tags.ts';

/** `items`: those of the issue. A language tag and a time zone for dates. */
export type Filling = {
  feed: Omit<Feed, 'items'>;
  items: readonly FeedItem[];
  language: string;
  timeZone: string;
  now: Date;
};

/** Whether a text has tags of a feed. */
export const hasFeedTags = (source: string): boolean => feedTags(source).length > 0;
/** Whether a text has a block that is repeated for each item. */
export const hasItemBlock = (source: string): boolean => feedTags(source).some(({ name }) => name === 'RSSITEMS');

export function fillHtml(source: string, filling: Filling): string {
  if (!hasFeedTags(source)) return source;
  const zones = new ZoneFinder(scanHtml(source).zones);
  return fill(source, filling, (tag) => {
    const zone = zones.at(tag.start);
    if (!zone) return 'text';
    if (zone.zone !== 'attribute') return zone.zone === 'raw' ? 'raw' : 'attribute';
    if (zone.name === 'style' || zone.name === 'srcdoc' || zone.name.startsWith('on')) return 'raw';
    if (isUrlAttribute(zone.name)) return source.slice(zone.start, tag.start).trim() === '' ? 'whole-url' : 'url-part';
    return zone.quoted ? 'attribute' : 'raw';
  });
}

/** Tags without a value and those of blocks leave no gap: a run of blank lines that the author did not write becomes one. */
export function fillPlain(source: string, filling: Filling): string {
  if (!hasFeedTags(source)) return source;
  const longest = blankRuns(source).reduce((most, run) => Math.max(most, lineBreaks(run)), 2);
  return fill(source, filling, () => 'plain').replace(blankRun, (run) => (lineBreaks(run) > longest ? '\n\n' : run));
}

const blankRun = /\n(?:[ \t\r]*\n)+/g;
const blankRuns = (text: string): string[] => text.match(blankRun) ?? [];
const lineBreaks = (run: string): number => run.split('\n').length - 1;

/** A subject or another line. */
export const fillLine = (source: string, filling: Filling): string =>
  fill(source, filling, () => 'header')
    .slice(0, 1_000)
    .toWellFormed();

type Placed = Tag & { place: Place };

function fill(source: string, filling: Filling, placeOf: (tag: Tag) => Place): string {
  // Places are asked for in order, once.
  const tags = feedTags(source).map((tag): Placed => ({ ...tag, place: placeOf(tag) }));
  const ends = endsOf(tags);
  let filled = '';
  let from = 0;
  for (let i = 0; i < tags.length; i++) {
    const tag = tags[i]!;
    filled += source.slice(from, tag.start);
    from = tag.end;
    if (tag.name !== 'RSSITEMS') {
      filled += tagValue(tag, filling, filling.items[0]);
      continue;
    }
    const end = ends[i]!;
    // A block that does not end repeats nothing.
    if (end < 0) continue;
    const inside = tags.slice(i + 1, end);
    for (const item of filling.items.slice(0, limitOf(tag)))
      filled += repeated(source, tag.end, tags[end]!.start, inside, filling, item);
    from = tags[end]!.end;
    i = end;
  }
  return filled + source.slice(from);
}

/** For each tag, the position of the next END tag after it, or -1. */
function endsOf(tags: readonly Tag[]): Int32Array {
  const ends = new Int32Array(tags.length);
  let end = -1;
  for (let i = tags.length - 1; i >= 0; i--) {
    ends[i] = end;
    if (tags[i]!.name === 'END') end = i;
  }
  return ends;
}

function repeated(
  source: string,
  start: number,
  end: number,
  tags: readonly Placed[],
  filling: Filling,
  item: FeedItem,
): string {
  let text = '';
  let from = start;
  for (const tag of tags) {
    text += source.slice(from, tag.start) + tagValue(tag, filling, item);
    from = tag.end;
  }
  return text + source.slice(from, end);
}

const feedTags = (source: string): Tag[] =>
  findTags(source, 'address').filter(
    ({ name, argument }) =>
      name === 'RSSITEMS' ||
      name === 'RSSITEM' ||
      name === 'RSSFEED' ||
      (name === 'END' && /^\s*RSSITEMS\s*$/i.test(argument ?? '')),
  );

/** RSSITEMS:5 and RSSITEMS:[$count=5]. */
function limitOf({ argument }: Tag): number {
  const count = /^\s*(?:\[\s*\$count\s*=\s*)?([0-9]{1,3})\b/.exec(argument ?? '')?.[1];
  return count === undefined ? Number.POSITIVE_INFINITY : Number(count);
}

/** '' for an unknown tag, and without an item. */
function tagValue({ name, argument, place }: Placed, filling: Filling, item: FeedItem | undefined): string {
  const [, word = '', format] = /^\s*([A-Za-z_]+)\s*(?::(.*))?$/s.exec(argument ?? '') ?? [];
  const date = (at: Date | null) =>
    at === null ? '' : escaped(place, formatDate(at, format?.trim() || 'j F Y', filling.language, filling.timeZone));
  if (name === 'RSSFEED') {
    const { feed } = filling;
    switch (word.toUpperCase()) {
      case 'TITLE':
        return escaped(place, feed.title);
      case 'URL':
        return url(place, feed.url);
      case 'DESCRIPTION':
        return escaped(place, feed.description);
      case 'DATE':
        return date(filling.now);
      default:
        return '';
    }
  }
  if (name !== 'RSSITEM' || !item) return '';
  switch (word.toUpperCase()) {
    case 'TITLE':
      return escaped(place, item.title);
    case 'URL':
      return url(place, item.url);
    case 'AUTHOR':
      return escaped(place, item.author);
    case 'DATE':
      return date(item.at);
    case 'CONTENT':
      return escaped(place, item.summary);
    case 'CONTENT_FULL':
      if (place === 'text') return item.html;
      return escaped(place, item.text);
    case 'IMAGE':
      if (place === 'text') return image(item);
      return place === 'plain' || place === 'header' ? '' : url(place, item.image);
    default:
      return '';
  }
}

const escaped = (place: Place, value: string) => escapeFor(place, withoutTags(value));

function url(place: Place, address: string): string {
  const safe = withoutTagsInUrl(safeUrl(address));
  return place === 'whole-url' ? escapeHtml(safe) : escapeFor(place, safe);
}

function image({ image: address, title }: FeedItem): string {
  if (address === '') return '';
  const source = url('whole-url', address);
  return `<img src="${source}" alt="${escaped('attribute', title)}" style="max-width:100%;height:auto;border:0">`;
}
