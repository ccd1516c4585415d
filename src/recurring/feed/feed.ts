// A feed as the rest of the program knows it, whatever its format was. Everything in it comes from another site: titles and other
// lines are plain text, `html` is sanitised, URLs are http or https and absolute.
import type { Marks } from './marks.ts';

export type FeedItem = {
  /** Identifies the item in its feed: made from its guid, else its link, else its text. */
  key: string;
  /** What it is recognised by when its guid has changed. */
  marks: Marks;
  title: string;
  url: string;
  author: string;
  /** Null without a date, and for a date that does not exist. */
  at: Date | null;
  /** The beginning, as plain text. */
  summary: string;
  /** The whole content; '' when the feed has none. */
  html: string;
  /** The same as plain text. */
  text: string;
  image: string;
};

/** `items`: the newest first, each once. */
export type Feed = { title: string; url: string; description: string; items: FeedItem[] };

/** Items that are read of a feed: the newest, or the first ones if not all have a date. */
export const maxItemsRead = 300;

/** A URL of a feed as an absolute one; '' for what is none, and for schemes other than http and https. */
export function webUrl(text: string | undefined, base: string): string {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '' || trimmed.length > 4_000) return '';
  const url = URL.parse(trimmed, URL.canParse(base) ? base : undefined);
  return url && /^https?:$/.test(url.protocol) ? url.href : '';
}
