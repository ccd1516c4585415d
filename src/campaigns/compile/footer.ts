// The standard footer (auto_footer): the sender, its address, and the links to unsubscribe and to change one's data.
import { escapeHtml } from '../../base/html.ts';
import { text } from '../../locales/text.ts';
import type { CompiledList } from './compiled.ts';
import { findTags } from './merge-tags.ts';

/**
 * The footer as content with merge tags. The sender's name and address come from LIST tags, that is, from the list the
 * recipient is reached through; text in them that looks like a tag is therefore never taken for one.
 */
export function footerOf(lists: readonly CompiledList[], language: string): { html: string; plain: string } {
  const sender = ['*|LIST:COMPANY|*', ...(lists.some((list) => list.address !== '') ? ['*|LIST:ADDRESS|*'] : [])];
  const why = text(language, 'mail.footer-why');
  const [unsubscribe, profile] = [text(language, 'mail.unsubscribe'), text(language, 'mail.profile')];
  return {
    html: `<div style="margin:24px 0 0;padding:12px 0 0;border-top:1px solid #cccccc;font-family:Arial,Helvetica,sans-serif;font-size:12px;line-height:18px;color:#666666;text-align:center">${escapeHtml(why)}<br>
<a href="*|UNSUB|*" style="color:#666666">${escapeHtml(unsubscribe)}</a> &middot; <a href="*|UPDATE_PROFILE|*" style="color:#666666">${escapeHtml(profile)}</a><br>
${sender.join('<br>')}</div>`,
    plain: `\n\n-- \n${why}\n${unsubscribe}: *|UNSUB|*\n${profile}: *|UPDATE_PROFILE|*\n${sender.join('\n')}\n`,
  };
}

/**
 * The footer that each part gets. With auto_footer both parts get it. Without it, a part that has no unsubscribe link still
 * gets it, unless the sender has declined it.
 */
export function footerFor(
  campaign: { autoFooter: boolean; footerDeclined: boolean; html: string; plain: string },
  whole: { html: string; plain: string },
): { html: string; plain: string } {
  if (campaign.autoFooter) return whole;
  if (campaign.footerDeclined) return { html: '', plain: '' };
  return {
    html: hasUnsubscribe(campaign.html, 'address') ? '' : whole.html,
    plain: hasUnsubscribe(campaign.plain, 'text') ? '' : whole.plain,
  };
}

/** The tag is a whole address: behind a slash it leads nowhere. */
const hasUnsubscribe = (part: string, within: 'text' | 'address') =>
  findTags(part, within).some(
    (tag) => tag.name === 'UNSUB' && !/(?:\/|%2F)$/i.test(part.slice(Math.max(0, tag.start - 3), tag.start)),
  );
