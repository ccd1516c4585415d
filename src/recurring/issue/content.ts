// Makes the content of an issue: reads that of the original, fills it with items, or replaces it by a page.
import type { Context } from '../../base/context.ts';
import { clean } from '../../campaigns/draft/read-content.ts';
import { sql } from '../../db/connect.ts';
import type { Feed, FeedItem } from '../feed/feed.ts';
import type { Recurring } from '../schedule/recurring.ts';
import { type Filling, fillHtml, fillLine, fillPlain } from './fill.ts';

export type Content = {
  subject: string;
  previewText: string;
  html: string;
  plain: string;
  plainGenerated: boolean;
  language: string;
};

/** The content of a campaign; undefined when there is no such campaign. */
export async function contentOf({ tx, account }: Context, campaignId: number): Promise<Content | undefined> {
  return tx.row<Content>(sql`
    select subject, preview_text as "previewText", html, plain, plain_generated as "plainGenerated", language
    from campaign
    where account_id = ${account.id}
      and id = ${campaignId}`);
}

/** What the tags of a feed stand for in an issue. */
export function fillingOf(
  { account, now }: Pick<Context, 'account' | 'now'>,
  { timeZone }: Pick<Recurring, 'timeZone'>,
  { language }: Pick<Content, 'language'>,
  feed: Omit<Feed, 'items'>,
  items: readonly FeedItem[],
): Filling {
  return { feed, items, language: language || account.language || 'en', timeZone, now };
}

/** @throws Fault TOO_LARGE */
export function filledContent(content: Content, filling: Filling): Content {
  return {
    ...content,
    subject: fillLine(content.subject, filling),
    previewText: fillLine(content.previewText, filling),
    html: clean(fillHtml(content.html, filling), 'html'),
    plain: clean(fillPlain(content.plain, filling), 'plain'),
  };
}

/** The page instead of the HTML; the plain text is that of the page, unless the author wrote one. @throws Fault TOO_LARGE */
export function pageContent(content: Content, page: { html: string; plain: string }, filling: Filling): Content {
  return {
    ...content,
    subject: fillLine(content.subject, filling),
    previewText: fillLine(content.previewText, filling),
    html: clean(page.html, 'html'),
    plain: content.plainGenerated || content.plain.trim() === '' ? clean(page.plain, 'plain') : content.plain,
  };
}

/** Writes the content of an issue, and fills the variants of its A/B test. */
export async function writeContent(
  { tx, account }: Context,
  campaignId: number,
  content: Content,
  filling: Filling,
): Promise<void> {
  await tx.run(sql`
    update campaign
    set subject = ${content.subject}, preview_text = ${content.previewText}, html = ${content.html}, plain = ${content.plain},
      -- The items are in the HTML only.
      source = '', source_format = 'html'
    where account_id = ${account.id}
      and id = ${campaignId}`);
  const variants = await tx.rows<
    { no: number } & Record<'subject' | 'previewText' | 'html' | 'plain', string | null>
  >(sql`
    select no, subject, preview_text as "previewText", html, plain
    from campaign_variant
    where account_id = ${account.id}
      and campaign_id = ${campaignId}`);
  const filled = (text: string | null, fill: (text: string, filling: Filling) => string) =>
    text === null ? null : fill(text, filling);
  for (const { no, subject, previewText, html, plain } of variants)
    await tx.run(sql`
      update campaign_variant
      set subject = ${filled(subject, fillLine)}, preview_text = ${filled(previewText, fillLine)},
        html = ${filled(html, fillHtml)}, plain = ${filled(plain, fillPlain)}
      where account_id = ${account.id}
        and campaign_id = ${campaignId}
        and no = ${no}`);
}
