// Fetches what an issue is made of: a feed, or a web page. Uses the network, so never within a transaction. Failures are values.
import type { App } from '../../base/context.ts';
import { type Message, message } from '../../base/messages.ts';
import { publicReason } from '../../base/outbound/outbound.ts';
import { plainPartInThread } from '../../campaigns/compile/in-thread.ts';
import { importUrl } from '../../campaigns/draft/import-url.ts';
import type { Feed } from './feed.ts';
import { readFeedInThread } from './in-thread.ts';

export const sourceKinds = ['feed', 'page'] as const;
export type SourceKind = (typeof sourceKinds)[number];
/** What the server sent with the feed as it was used last; '' for nothing. */
export type Validators = { etag: string; lastModified: string };

export type Fetched =
  | { got: 'feed'; feed: Feed; url: string; validators: Validators }
  | { got: 'page'; html: string; plain: string; title: string; url: string }
  /** The server says that nothing has changed. */
  | { got: 'unchanged' }
  | { got: 'nothing'; reason: Message; detail: string };

type Reach = Pick<App, 'outbound'>;

const limits = {
  maxBytes: 5 * 1024 * 1024,
  totalMs: 20_000,
  maxRedirects: 5,
  // Connection failures are reported after 2, 4, 6 … seconds only, so that their timing reveals nothing.
  padFailureMs: 2_000,
};

/** A feed, or the feed that a web page names. */
export async function fetchFeed(
  { outbound }: Reach,
  url: string,
  known: Validators = { etag: '', lastModified: '' },
  mayFollow = true,
): Promise<Fetched> {
  const answer = await outbound.fetch(url.trim(), {
    ...limits,
    redirects: 'follow-checked',
    decode: true,
    headers: {
      Accept:
        'application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, */*;q=0.5',
      ...(known.etag && { 'If-None-Match': known.etag }),
      ...(known.lastModified && { 'If-Modified-Since': known.lastModified }),
    },
  });
  if (!answer.ok) return { got: 'nothing', reason: publicReason(answer, url), detail: answer.detail };
  if (answer.status === 304 && (known.etag || known.lastModified)) return { got: 'unchanged' };
  if (answer.status < 200 || answer.status > 299)
    return nothing(message('fetch.no_page', { status: answer.status }), answer.finalUrl);
  if (answer.body.length === 0) return nothing(message('fetch.empty'), answer.finalUrl);
  const contentType = answer.headers['content-type'] ?? '';
  const read = await readFeedInThread({ bytes: answer.body, contentType, url: answer.finalUrl });
  if (read.ok) {
    const header = (name: string) => (answer.headers[name] ?? '').slice(0, 500);
    // Those of a feed that a page names say nothing about the page, which is asked first the next time.
    const validators = {
      etag: mayFollow ? header('etag') : '',
      lastModified: mayFollow ? header('last-modified') : '',
    };
    return { got: 'feed', feed: read.feed, url: url.trim(), validators };
  }
  if (read.feedUrl !== '' && mayFollow) return fetchFeed({ outbound }, read.feedUrl, undefined, false);
  return nothing(
    message(read.why === 'page' ? 'recurring.page_without_feed' : 'recurring.not_a_feed'),
    answer.finalUrl,
  );
}

/** A web page as the HTML of a message. */
export async function fetchPage({ outbound }: Reach, url: string): Promise<Fetched> {
  const page = await importUrl(outbound, url);
  if (!page.ok) return { got: 'nothing', reason: page.reason, detail: page.detail };
  const plain = await plainPartInThread(page.html);
  const title = /<title[^<>]*>([^<]{1,300})/i.exec(page.html)?.[1]?.replace(/\s+/g, ' ').trim() ?? '';
  return { got: 'page', html: page.html, plain, title, url: url.trim() };
}

const nothing = (reason: Message, url: string): Fetched => ({ got: 'nothing', reason, detail: url });
