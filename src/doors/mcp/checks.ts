// What an assistant may not do although its key may: send a test to strangers, change what will be sent without a person's
// review, and make this program fetch an address that it chose, since an address can carry what it has read. A check gets the
// parameters as the method reads them, whatever their spelling, and refuses what it does not know.

import type { PrepareContext } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { arrangementOf } from '../../campaigns/draft/arrange.ts';
import type { OptionName } from '../../campaigns/draft/changes.ts';
import { type OptionChange, readChange } from '../../campaigns/draft/update.ts';
import type { Status } from '../../campaigns/model/campaign.ts';
import { unknownCampaign } from '../../campaigns/model/campaign.ts';
import type { Content } from '../../campaigns/model/options.ts';
import { firstStranger } from '../../campaigns/release/test-people.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';

/** @throws Fault NOT_ALLOWED, and those of parameters that cannot be read */
export type Check = (context: PrepareContext, params: never) => Promise<void>;

export const checks: Readonly<Record<string, Check>> = {
  campaignCreate: async (_context, { options, content }: { options: { inline_img: boolean }; content: Content }) => {
    needNoFetching('content.', content);
    if (options.inline_img) throw mayNotFetch('options.inline_img');
  },
  campaignUpdate: needFreeChange,
  campaignSendTest: needPeopleOfAccount,
};

/** What an assistant may change. `content` may name addresses of pictures, which inline_img fetches. */
const changeableBy: Record<OptionName, 'assistant' | 'content' | 'person'> = {
  subject: 'assistant',
  preview_text: 'assistant',
  title: 'assistant',
  from_name: 'assistant',
  from_email: 'assistant',
  to_email: 'assistant',
  sender: 'assistant',
  type: 'assistant',
  type_opts: 'assistant',
  auto: 'assistant',
  list_id: 'assistant',
  segment_id: 'assistant',
  exclude_list_id: 'assistant',
  exclude_segment_id: 'assistant',
  tracking: 'assistant',
  analytics: 'assistant',
  generate_text: 'assistant',
  auto_footer: 'assistant',
  authenticate: 'assistant',
  inline_css: 'assistant',
  time_match: 'assistant',
  best_hour: 'assistant',
  any_time: 'assistant',
  ln: 'assistant',
  plain: 'assistant',
  html: 'content',
  markdown: 'content',
  mjml: 'content',
  content: 'content',
  template_id: 'content',
  inline_img: 'person',
  url: 'person',
  archive: 'person',
  archive_type: 'person',
};

const contentOf: Record<keyof Content, 'assistant' | 'person'> = {
  html: 'assistant',
  markdown: 'assistant',
  mjml: 'assistant',
  plain: 'assistant',
  template_id: 'assistant',
  url: 'person',
  archive: 'person',
  archive_type: 'person',
};

/** Otherwise an assistant could change what a scheduled or a recurring campaign will send. */
async function needFreeChange({ app, account }: PrepareContext, given: OptionChange): Promise<void> {
  if (arrangementOf(given.name)) return;
  const { option, value } = readChange(given);
  const campaign = await app.db.row<{ status: Status; hasInlineImages: boolean; recurs: boolean }>(sql`
    select status, inline_img as "hasInlineImages", exists (
      select from recurring r where r.account_id = campaign.account_id and r.original_id = campaign.id
    ) as recurs
    from campaign
    where account_id = ${account.id}
      and id = ${parseId(given.cid)}
      and type <> 'message'`);
  if (!campaign) throw unknownCampaign(given.cid);
  if (campaign.status !== 'draft') throw fault('NOT_ALLOWED', 'door.tool_drafts_only', { status: campaign.status });
  if (campaign.recurs) throw fault('NOT_ALLOWED', 'door.tool_not_recurring', { member: 'cid' });
  // Off is as good as never on.
  if (option === 'inline_img' && value === false) return;
  const by = changeableBy[option];
  if (by === 'person' || (by === 'content' && campaign.hasInlineImages)) throw mayNotFetch(option);
  if (option === 'content') needNoFetching('', value as Content);
}

function needNoFetching(path: string, content: Content): void {
  for (const [name, value] of Object.entries(content))
    if (value !== undefined && contentOf[name as keyof Content] !== 'assistant') throw mayNotFetch(`${path}${name}`);
}

const mayNotFetch = (member: string) => fault('NOT_ALLOWED', 'door.tool_no_fetching', { member });

async function needPeopleOfAccount({ app, account }: PrepareContext, given: { test_emails: string[] }): Promise<void> {
  const stranger = await firstStranger(app.db, account, given.test_emails);
  if (stranger !== undefined) throw fault('NOT_ALLOWED', 'door.tool_people_only', { email: stranger.slice(0, 100) });
}
