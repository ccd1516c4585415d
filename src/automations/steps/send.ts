// Sends an email: the contact becomes a recipient of the step's campaign, which delivery sends.
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { type Message, message } from '../../base/messages.ts';
import { unwrittenHtml } from '../../campaigns/check/unwritten.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { addRows, roundedUp } from '../../delivery/launch/autoresponder-planner.ts';
import { id } from '../../method/params.ts';
import { done, stepKind } from './kind.ts';

export const send = stepKind({
  type: 'send',
  about: '(an email)',
  members: { campaign: z.string() },
  settings: { campaign: id('send: a draft, which the start turns into an email of the automation.').optional() },
  read: ({ campaign = '' }) => ({ campaign }),
  problem: (context, { automation }, { campaign }) => problemOfEmail(context, automation, campaign),
  async carryOut(context, of, { campaign: named }, due) {
    const { tx, account, now } = context;
    const campaign = parseId(named);
    const email = await tx.row(sql`
      select
      from campaign
      where account_id = ${account.id}
        and id = ${campaign}
        and type = 'auto'
        and status in ('launching', 'sending', 'paused')
      for key share`);
    if (!email) {
      const stopped = await emailOf(context, named);
      return {
        unfit: stopped
          ? message('automation.email_stopped', { title: stopped.title })
          : message('automation.email_gone'),
      };
    }
    await tx.run(sql`
      insert into occasion_plan (account_id, campaign_id, planned_to, changed_from)
      values (${account.id}, ${campaign}, now(), now())
      on conflict do nothing`);
    // Numbers the recipients.
    await tx.run(sql`
      select from occasion_plan where account_id = ${account.id} and campaign_id = ${campaign} for update`);
    const dueAt = roundedUp(now);
    const recipients = due.map(({ no, contact, email, domain }) => ({
      contact,
      list: of.list,
      email,
      domain,
      occasion: occasionOf(no),
      due_at: dueAt,
      late: false,
    }));
    await addRows(tx, { account: account.id, campaign }, recipients);
    return done;
  },
});

/** The key of a run among the occasions of an email: a run gets the email of a step once. */
const occasionOf = (no: number): string => `run ${no}`;

type Email = {
  title: string;
  type: string;
  status: string;
  isTest: boolean;
  html: string;
  auto: { event?: string; automation?: number } | null;
  languages: { language: string; html: string }[];
};

const emailOf = ({ tx, account }: Context, named: string): Promise<Email | undefined> =>
  tx.row<Email>(sql`
    select title, type, status, auto, html, exists (
        select from campaign_variant v where v.account_id = campaign.account_id and v.campaign_id = campaign.id and v.language = ''
      ) as "isTest", (
        select coalesce(jsonb_agg(jsonb_build_object('language', v.language, 'html', v.html) order by v.no), '[]')
        from campaign_variant v
        where v.account_id = campaign.account_id and v.campaign_id = campaign.id and v.language <> ''
      ) as languages
    from campaign
    where account_id = ${account.id}
      and id = ${parseId(named)}
      and type <> 'message'`);

/** A draft, or the email that an earlier start has made of one. */
async function problemOfEmail(context: Context, automation: number, named: string): Promise<Message | undefined> {
  const email = await emailOf(context, named);
  if (!email) return message('automation.email_missing');
  if (email.isTest) return message('automation.email_tested', { title: email.title });
  if (email.type === 'plain') return message('automation.email_plain', { title: email.title });
  const isOwn = email.auto?.event === 'automation' && email.auto.automation === automation;
  const isDraft = email.status === 'draft' && (email.type === 'html' || email.auto?.event === 'automation');
  const isRunning = isOwn && ['launching', 'sending', 'paused'].includes(email.status);
  if (!isDraft && !isRunning) return message('automation.email_used', { title: email.title });
  return unwrittenIn(email);
}

/** Whether an email says anything of its own; sample: what it began with. */
export const emailStates = ['empty', 'sample', 'written'] as const;

export function stateOfEmail(html: string): (typeof emailStates)[number] {
  const { state } = unwrittenHtml(html);
  return state === 'letter' || state === 'template' ? 'sample' : state;
}

/** The email or a version of it says nothing of its own. */
function unwrittenIn({ title, html, languages }: Email): Message | undefined {
  switch (stateOfEmail(html)) {
    case 'empty':
      return message('automation.email_empty', { title });
    case 'sample':
      return message('automation.email_sample', { title });
    case 'written': {
      const unwritten = languages.find((version) => stateOfEmail(version.html) !== 'written');
      return unwritten && message('automation.email_language_unwritten', { title, language: unwritten.language });
    }
  }
}

/** For a text about it. */
export const titleOfEmail = async (context: Context, named: string): Promise<string> =>
  (await emailOf(context, named))?.title ?? named;
