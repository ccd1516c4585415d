// Decides which items of a feed are new: those that are not one of the known items, under their guid or, after a move, under another.
// Each known item is one item of the feed at most. Guarantees that nothing is taken for new silently if most of what seems new may have
// been sent before: then there is a doubt, and a person decides. Pure; what is known is read by items.ts.
import type { FeedItem } from '../feed/feed.ts';
import { type Marks, markNames } from '../feed/marks.ts';

/** `item`: the key under which it was known first. */
export type Known = Marks & { key: string; item: string; at: Date | null; sent: boolean };

export type History = {
  /** Of all known items, those that share a key or a mark with the feed. */
  known: readonly Known[];
  /** Dates of the newest and the oldest of all known items; null if none has one. */
  newest: Date | null;
  oldest: Date | null;
  /** Whether known items have addresses of their own. */
  linksIdentify: boolean;
};

export type Recognised = {
  /** The new items, in the order of the feed. */
  fresh: FeedItem[];
  /** Items that are known, by their key, and as what. */
  known: Map<string, Known>;
  /** The new items that may be known ones; empty without a doubt. */
  doubtful: FeedItem[];
};

const hourMs = 3_600_000;
/** Dates of one item that differ by a time zone only. */
const zoneMs = 15 * hourMs;
/** Of series whose items have the same title, the items of one day. */
const dayMs = 36 * hourMs;

export function recognise(items: readonly FeedItem[], history: History, now: Date): Recognised {
  const matching = new Matching(items, history, now);
  const { linksIdentify } = history;
  matching.claimKeys();
  const byKey = matching.known.size;
  const { isOld, dateOf } = matching;
  matching.claim((_, __, by) => by.guid);
  matching.claim(
    (item, one, by) => one.at !== null && dateOf(item)?.getTime() === one.at.getTime() && (by.any || by.sameTitle),
  );
  // Of items of earlier dates the title or the address is enough, unless a series has this title.
  matching.claim((item, one, by) => isOld(item) && (by.any || (by.sameTitle && isNear(dateOf(item), one.at, dayMs))));
  matching.claim((_, __, by) => by.link && linksIdentify && (by.sameTitle || by.text));
  matching.claim((item, _, by) => dateOf(item) === null && by.title && (by.text || by.slug || by.link));
  // One address may get new content under a new guid; most of a feed does not at once.
  const sameLink = matching.open().filter((item) => matching.some(item, (_, by) => by.link));
  const haveLinks = sameLink.length >= 2 && sameLink.length * 2 >= matching.open().length;
  if (byKey === 0 && linksIdentify && haveLinks) matching.claim((_, __, by) => by.link);
  // Two that have certainly moved show that the feed has: then less is enough for the others.
  const hasMoved = byKey === 0 && matching.known.size >= 2;
  if (hasMoved) matching.claim((_, __, by) => by.any);
  return decide(matching, history, byKey);
}

function decide(matching: Matching, { oldest }: History, byKey: number): Recognised {
  const { known, isOld, dateOf } = matching;
  // Older than everything known: the feed shows its archive now.
  const isArchive = (item: FeedItem) => known.size > 0 && oldest !== null && isBefore(dateOf(item), oldest);
  const fresh = matching.open().filter((item) => !isArchive(item));
  const isMoved = byKey === 0;
  const old = fresh.filter(isOld);
  // Among many known items, one that was finished late is no wonder.
  const isOldDoubtful = isMoved || (old.length >= 2 && old.length >= known.size);
  const alike = (item: FeedItem) =>
    matching.some(
      item,
      (one, by) =>
        by.link || by.slug || by.text || (by.title && (dateOf(item) === null || isNear(dateOf(item), one.at, zoneMs))),
    );
  const strong = fresh.filter((item) => (isOldDoubtful && isOld(item)) || alike(item));
  const weak = fresh.filter((item) => strong.includes(item) || matching.some(item, (_, by) => by.title));
  const isHalf = (some: readonly FeedItem[]) => some.length * 2 >= fresh.length;
  if (isMoved && (strong.length >= 2 || (strong.length === 1 && isHalf(strong))))
    return { fresh, known, doubtful: weak };
  return { fresh, known, doubtful: weak.length >= 2 && isHalf(weak) ? weak : [] };
}

/** Marks that an item and a known one share, and that only this known one has; `sameTitle`: also of several. */
type By = Record<keyof Marks | 'sameTitle' | 'any', boolean>;
type Test = (item: FeedItem, one: Known, by: By) => boolean;

/** Pairs items of a feed with known ones, the surest first. */
class Matching {
  readonly known = new Map<string, Known>();
  private readonly items: readonly FeedItem[];
  private readonly history: History;
  private readonly now: Date;
  private readonly claimed = new Set<string>();
  private readonly byMark = new Map<string, Known[]>();

  constructor(items: readonly FeedItem[], history: History, now: Date) {
    this.items = items;
    this.history = history;
    this.now = now;
    for (const one of history.known)
      for (const name of markNames) {
        if (one[name] === '') continue;
        const like = this.byMark.get(`${name} ${one[name]}`);
        if (like) like.push(one);
        else this.byMark.set(`${name} ${one[name]}`, [one]);
      }
  }

  /** Items that have the key of a known one. */
  claimKeys(): void {
    const byKey = new Map(this.history.known.map((one) => [one.key, one]));
    for (const { key } of this.items) {
      const one = byKey.get(key);
      if (one) this.take(key, one);
    }
  }

  /** Pairs each open item with the known one of the nearest date for which the test is true. */
  claim(test: Test): void {
    for (const item of this.open()) {
      const found = this.alike(item)
        .filter(({ one, by }) => test(item, one, by))
        .sort((a, b) => this.distance(item, a.one) - this.distance(item, b.one))[0];
      if (found) this.take(item.key, found.one);
    }
  }

  /** Whether a known one that is not in the feed under its guid is like this item. */
  some(item: FeedItem, test: (one: Known, by: By) => boolean): boolean {
    return this.alike(item).some(({ one, by }) => test(one, by));
  }

  open(): FeedItem[] {
    return this.items.filter(({ key }) => !this.known.has(key));
  }

  readonly dateOf = ({ at }: FeedItem): Date | null => usableDate(at, this.now);
  readonly isOld = (item: FeedItem): boolean => {
    const at = this.dateOf(item);
    return at !== null && this.history.newest !== null && at <= this.history.newest;
  };

  private take(key: string, one: Known): void {
    this.known.set(key, one);
    this.claimed.add(one.item);
  }

  private distance(item: FeedItem, { at }: Known): number {
    const own = this.dateOf(item);
    return own && at ? Math.abs(own.getTime() - at.getTime()) : Number.MAX_SAFE_INTEGER;
  }

  private alike({ marks }: FeedItem): { one: Known; by: By }[] {
    const shared = new Map<Known, By>();
    for (const name of markNames) {
      const like = marks[name] === '' ? [] : (this.byMark.get(`${name} ${marks[name]}`) ?? []);
      const isUnique = new Set(like.map(({ item }) => item)).size === 1;
      if (!isUnique && name !== 'title') continue;
      for (const one of like) {
        if (this.claimed.has(one.item)) continue;
        const by =
          shared.get(one) ??
          ({
            guid: false,
            link: false,
            slug: false,
            title: false,
            text: false,
            sameTitle: false,
            any: false,
          } satisfies By);
        if (isUnique) by[name] = by.any = true;
        if (name === 'title') by.sameTitle = true;
        shared.set(one, by);
      }
    }
    return [...shared].map(([one, by]) => ({ one, by }));
  }
}

/** A date that is still to come says nothing about an item: some feeds of events have that of the event. */
export const usableDate = (at: Date | null, now: Date): Date | null =>
  at !== null && at.getTime() <= now.getTime() + 24 * hourMs ? at : null;

const isNear = (a: Date | null, b: Date | null, ms: number) =>
  a !== null && b !== null && Math.abs(a.getTime() - b.getTime()) <= ms;
const isBefore = (at: Date | null, other: Date) => at !== null && at < other;
