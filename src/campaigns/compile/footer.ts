// The standard signature (auto_footer): who sends this, from where, and how to leave or change one's data.
import { text } from '../../locales/text.ts';
import type { CompiledList } from './compiled.ts';
import { findTags } from './merge.ts';

/**
 * The signature as content with tags in it: the sender's name and address come in by the tags of the list that a
 * recipient is reached through, so that what looks like a tag in them is never taken for one.
 */
export function footerOf(lists: readonly CompiledList[], language: string): { html: string; plain: string } {
  const sender = ['*|LIST:COMPANY|*', ...(lists.some((list) => list.address !== '') ? ['*|LIST:ADDRESS|*'] : [])];
  const why = text(language, 'mail.footer-why');
  const [unsubscribe, profile] = [text(language, 'mail.unsubscribe'), text(language, 'mail.profile')];
  return {
    html: `<div style="margin:24px 0 0;padding:12px 0 0;border-top:1px solid #cccccc;font-family:Arial,Helvetica,sans-serif;font-size:12px;line-height:18px;color:#666666;text-align:center">${escapeText(why)}<br>
<a href="*|UNSUB|*" style="color:#666666">${escapeText(unsubscribe)}</a> &middot; <a href="*|UPDATE_PROFILE|*" style="color:#666666">${escapeText(profile)}</a><br>
${sender.join('<br>')}</div>`,
    plain: `\n\n-- \n${why}\n${unsubscribe}: *|UNSUB|*\n${profile}: *|UPDATE_PROFILE|*\n${sender.join('\n')}\n`,
  };
}

/**
 * What of the footer a mail gets: all of it where it is wanted; where it is not, the part that has no link to unsubscribe
 * gets it all the same, unless the sender has declined it altogether.
 */
export function footerFor(
  campaign: { autoFooter: boolean; footerDeclined: boolean; html: string; plain: string },
  whole: { html: string; plain: string },
): { html: string; plain: string } {
  if (campaign.autoFooter) return whole;
  if (campaign.footerDeclined) return { html: '', plain: '' };
  return {
    html: canLeave(campaign.html) ? '' : whole.html,
    plain: canLeave(campaign.plain) ? '' : whole.plain,
  };
}

const canLeave = (part: string) => findTags(part, 'address').some((tag) => tag.name === 'UNSUB');

const escapeText = (line: string) => line.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
