// The standard header and footer (auto_footer). The header is a link to the message in a browser. The footer has the
// sender, its address, and the links to unsubscribe and to change one's data. It is also added where a part of the message
// has no unsubscribe link. Both are in the language of the campaign.
import { escapeHtml } from '../../base/html.ts';
import { isRightToLeft } from '../../locales/languages.ts';
import { text } from '../../locales/text.ts';
import type { CompiledList } from '../markup/compiled.ts';
import { findTags } from '../markup/merge-tags.ts';
import { scanHtml, ZoneFinder } from '../markup/scan-html.ts';

/** What the list says, or the usual sentence. */
const reminderTag = '*|LIST:DESCRIPTION|*';

export type Frame = { html: string; plain: string };

/** Attributes: what is around it may be in another language. */
const directionOf = (language: string): string => (isRightToLeft(language) ? ` lang="${language}" dir="rtl"` : '');

/** The header as content with merge tags. */
export function headerOf(language: string): Frame {
  const view = text(language, 'mail.view');
  return {
    html: `<div${directionOf(language)} style="margin:0 0 12px;font-family:Arial,Helvetica,sans-serif;font-size:12px;line-height:18px;text-align:center"><a href="*|ARCHIVE|*" style="color:#666666">${escapeHtml(view)}</a></div>`,
    plain: `${view}: *|ARCHIVE|*`,
  };
}

/**
 * The footer as content with merge tags. The sender's name and address come from LIST tags, that is, from the list the
 * recipient is reached through; text in them that looks like a tag is therefore never taken for one.
 */
export function footerOf(lists: readonly CompiledList[], language: string): Frame {
  const sender = ['*|LIST:COMPANY|*', ...(lists.some((list) => list.address !== '') ? ['*|LIST:ADDRESS|*'] : [])];
  const usual = text(language, 'mail.footer-why');
  const hasReminder = lists.some(({ reminder = usual }) => reminder !== usual);
  const [unsubscribe, profile] = [text(language, 'mail.unsubscribe'), text(language, 'mail.profile')];
  return {
    html: `<div${directionOf(language)} style="margin:24px 0 0;padding:12px 0 0;border-top:1px solid #cccccc;font-family:Arial,Helvetica,sans-serif;font-size:12px;line-height:18px;color:#666666;text-align:center">${hasReminder ? reminderTag : escapeHtml(usual)}<br>
<a href="*|UNSUB|*" style="color:#666666">${escapeHtml(unsubscribe)}</a> &middot; <a href="*|UPDATE_PROFILE|*" style="color:#666666">${escapeHtml(profile)}</a><br>
${sender.map((tag) => (isRightToLeft(language) ? `<bdi>${tag}</bdi>` : tag)).join('<br>')}</div>`,
    plain: `\n\n-- \n${hasReminder ? reminderTag : usual}\n${unsubscribe}: *|UNSUB|*\n${profile}: *|UPDATE_PROFILE|*\n${sender.join('\n')}\n`,
  };
}

/** The footer that each part gets: with auto_footer both, without it each part that has no unsubscribe link. */
export function footerFor(campaign: { autoFooter: boolean; html: string; plain: string }, whole: Frame): Frame {
  if (campaign.autoFooter) return whole;
  return {
    html: htmlUnsubscribes(campaign.html) ? '' : whole.html,
    plain: plainUnsubscribes(campaign.plain) ? '' : whole.plain,
  };
}

/** Whether readers of the HTML find an unsubscribe link: a tag in a comment, a style or a picture's address is none. */
export function htmlUnsubscribes(html: string): boolean {
  const [inText, inLinks] = [unsubscribeTags(html, 'text'), unsubscribeTags(html, 'address')];
  if (inText.length + inLinks.length === 0) return false;
  const { zones } = scanHtml(html);
  // A finder only goes forward.
  const [textZones, linkZones] = [new ZoneFinder(zones), new ZoneFinder(zones)];
  return (
    inText.some((start) => textZones.at(start) === null) ||
    inLinks.some((start) => {
      const zone = linkZones.at(start);
      return zone?.zone === 'attribute' && zone.name === 'href';
    })
  );
}

export const plainUnsubscribes = (plain: string): boolean => unsubscribeTags(plain, 'text').length > 0;

/** Where the tags start that are a whole address: behind a slash one leads nowhere. */
const unsubscribeTags = (part: string, within: 'text' | 'address'): number[] =>
  findTags(part, within)
    .filter(({ name, start }) => name === 'UNSUB' && !/(?:\/|%2F)$/i.test(part.slice(Math.max(0, start - 3), start)))
    .map(({ start }) => start);
