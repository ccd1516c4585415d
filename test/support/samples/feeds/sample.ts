// What a sample of a feed consists of, and what must be read of it.

export type FeedSample = {
  /** The program or site whose feeds have this shape, or what is special. */
  name: string;
  body: string | Uint8Array;
  contentType?: string;
  /** Its address; https://site.example/feed without one. */
  url?: string;
  /** Titles, in the order in which they must be read; undefined for what is no feed. */
  titles: string[] | undefined;
  /** Members of the first item, each the whole value; `html` holds parts of it. */
  first?: { url?: string; author?: string; date?: string; summary?: string; image?: string; html?: string[] };
  /** The title of the feed. */
  title?: string;
  /** What must be nowhere in the result. */
  without?: RegExp;
};

export const rss = (
  channel: string,
  namespaces = '',
  title = 'Harbour Notes',
) => `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" ${namespaces}><channel><title>${title}</title><link>https://site.example/</link>
<description>Notes from the harbour</description>${channel}</channel></rss>`;

export const atom = (entries: string, attributes = '', head = '') => `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" ${attributes}><title>Harbour Notes</title><id>tag:site.example,2026:feed</id>
<updated>2026-11-20T10:00:00Z</updated>${head}${entries}</feed>`;

export const item = (inner: string) => `<item>${inner}</item>`;

export const namespaces = {
  content: 'xmlns:content="http://purl.org/rss/1.0/modules/content/"',
  dc: 'xmlns:dc="http://purl.org/dc/elements/1.1/"',
  media: 'xmlns:media="http://search.yahoo.com/mrss/"',
  itunes: 'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"',
  atom: 'xmlns:atom="http://www.w3.org/2005/Atom"',
};
