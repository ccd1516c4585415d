// The original of a recurring campaign: the campaign that is copied for each issue. Either one that exists, or a draft made here, with
// a block that is repeated for each item.

import { needList } from '../audience/model/list.ts';
import type { Context } from '../base/context.ts';
import { fault } from '../base/faults.ts';
import { escapeHtml } from '../base/html.ts';
import { newDraft } from '../campaigns/draft/create.ts';
import { lockCampaign } from '../campaigns/model/campaign.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { languageFor, text } from '../locales/text.ts';
import type { SourceKind } from './feed/fetch.ts';

/** A campaign that can be copied. @throws Fault CAMPAIGN_UNKNOWN, RECURRING_INVALID */
export async function needOriginal(context: Context, cid: string): Promise<number> {
  const { tx, account } = context;
  const { id, type } = await lockCampaign(context, cid);
  const used = await tx.row(sql`
    select from recurring where account_id = ${account.id} and original_id = ${id}
    union all
    select from recurring_issue where account_id = ${account.id} and campaign_id = ${id}`);
  if (type === 'auto' || used) throw fault('RECURRING_INVALID', 'recurring.content_invalid', { member: 'campaign' });
  return id;
}

/** Makes a draft for a list, from the sender of the list. @throws Fault LIST_UNKNOWN and those of campaignCreate */
export async function createOriginal(
  context: Context,
  given: { title: string; list: string; source: SourceKind },
): Promise<number> {
  const { account } = context;
  const list = await needList(context, given.list, 'list');
  const row = await context.tx.row<{ language: string }>(sql`
    select default_language as language from list where account_id = ${account.id} and id = ${list.id}`);
  const language = languageFor(row?.language, account.language);
  const cid = await newDraft(context, {
    list: list.id,
    title: given.title,
    subject: given.source === 'feed' ? '*|RSSFEED:TITLE|*: *|RSSITEM:TITLE|*' : given.title,
    html: given.source === 'feed' ? feedLetter(language) : '<p>*|RSSFEED:URL|*</p>',
    fallbackName: given.title,
    language,
  });
  return parseId(cid);
}

const feedLetter = (language: string) => `<!doctype html>
<html>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body style="margin:0;padding:0;background:#f4f4f5">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:#f4f4f5"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" style="width:100%;max-width:600px;background:#ffffff"><tr><td style="padding:32px;font-family:Arial,Helvetica,sans-serif;color:#18181b;font-size:16px;line-height:1.5">
<p style="margin:0 0 24px;font-size:14px;color:#52525b">${escapeHtml(text(language, 'recurring.new-on'))} <a href="*|RSSFEED:URL|*" style="color:#52525b">*|RSSFEED:TITLE|*</a></p>
*|RSSITEMS:|*
<h2 style="margin:0 0 4px;font-size:22px;line-height:1.3"><a href="*|RSSITEM:URL|*" style="color:#18181b;text-decoration:none">*|RSSITEM:TITLE|*</a></h2>
<p style="margin:0 0 12px;font-size:13px;color:#71717a">*|RSSITEM:DATE|*</p>
<p style="margin:0 0 12px">*|RSSITEM:IMAGE|*</p>
<p style="margin:0 0 12px">*|RSSITEM:CONTENT|*</p>
<p style="margin:0 0 32px"><a href="*|RSSITEM:URL|*" style="color:#1d4ed8">${escapeHtml(text(language, 'recurring.read-more'))}</a></p>
*|END:RSSITEMS|*
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
