// Changes the account, one value per call, and the name and language of the signed-in user.
import { z } from 'zod';
import type { Context } from '../base/context.ts';
import { Fault, fault } from '../base/faults.ts';
import { message, packMessage } from '../base/messages.ts';
import { parseFrequencyCap } from '../base/relay/frequency-cap.ts';
import { giveUpHours } from '../base/relay/give-up.ts';
import { parseSendWindow } from '../base/relay/send-window.ts';
import { parseRamp } from '../base/relay/warm-up-ramp.ts';
import { reputationRules } from '../base/reputation-rules.ts';
import { isZone } from '../base/zones.ts';
import { type Sql, sql } from '../db/connect.ts';
import { enqueue } from '../jobs/queue.ts';
import { languages } from '../locales/languages.ts';
import { method } from '../method/method.ts';
import { anything, filledLine, isWebAddress, line, oneOf, params, problem, text } from '../method/params.ts';
import { readValue } from '../method/read-value.ts';
import { personOf } from './access/person.ts';
import { foreignDomain } from './account/foreign-domain.ts';
import { readSites } from './account/own-sites.ts';
import { type RetentionSetting, retentionDays } from './account/retention-days.ts';
import { noticeOfChange } from './notices/security-notice.ts';
import { isEmailAddress } from './people/user.ts';

const address = (description: string) =>
  text(description, 254).refine((value) => isEmailAddress(value as string), problem('user.not_an_address'));

/** What can be changed: its name, what it takes, and where it goes. */
const values: Record<string, { type: z.ZodType<unknown>; column?: Sql; setting?: string }> = {
  name: { type: filledLine('Name of the account.', 200), column: sql`name` },
  company: { type: line('Organisation.', 200), column: sql`company` },
  postal_address: { type: text('Postal address, several lines.', 1_000), column: sql`postal_address` },
  phone: { type: line('Telephone number.', 60), column: sql`phone` },
  website: {
    type: line('Web address.', 500).refine(
      (value) => value === '' || isWebAddress(value as string),
      problem('account.website'),
    ),
    column: sql`website`,
  },
  email: { type: address('Main address; notices go there.'), column: sql`email` },
  language: { type: oneOf('Language.', languages), column: sql`language` },
  time_zone: {
    type: text('Time zone.', 60).refine((value) => isZone(value as string), problem('parameter.not_a_time_zone')),
    column: sql`time_zone`,
  },
  sender_name: { type: line('Default sender name of new lists.', 200), setting: 'sender_name' },
  sender_email: { type: address('Sender address that new lists begin with.'), setting: 'sender_email' },
  unclear: {
    type: oneOf('Recipients whose message may have been sent: "resend" or "hold".', ['resend', 'hold']),
    setting: 'unclear',
  },
  when_past: {
    type: oneOf(
      'Recipients by whose clocks the time of a campaign with time_match is over when it starts: "at-once" or "next-day".',
      ['at-once', 'next-day'],
    ),
    setting: 'when_past',
  },
  frequency_cap: {
    type: text(
      'The most emails of campaigns that a contact gets within some days, messages:days, such as 3:7; "" for no limit.',
      10,
    ).refine(
      (value) => value === '' || parseFrequencyCap(value as string) !== undefined,
      problem('account.frequency_cap'),
    ),
    setting: 'frequency_cap',
  },
  send_window: {
    type: text(
      'Weekdays (1 is Monday) and hours in which campaigns are sent, such as "12345 08:00-20:00"; "" for any time.',
      20,
    ).refine((value) => value === '' || parseSendWindow(value as string) !== undefined, problem('account.send_window')),
    setting: 'send_window',
  },
  rate: {
    type: text('Maximum messages per second, such as 50; "" for no limit beyond that of the installation.', 20).refine(
      (value) => value === '' || (/^\d{1,6}(\.\d{1,3})?$/.test(value as string) && Number(value) > 0),
      problem('account.rate'),
    ),
    setting: 'rate',
  },
  reputation: {
    type: oneOf('What happens to a campaign with too many hard bounces or complaints: "warn" or "pause".', [
      'warn',
      'pause',
    ]),
    setting: 'reputation',
  },
  utm_source: { type: line('utm_source of campaigns that name none; "" for newsletter.', 200), setting: 'utm_source' },
  utm_medium: { type: line('utm_medium of campaigns that name none; "" for email.', 200), setting: 'utm_medium' },
  analytics_sites: {
    type: text('Hosts of your sites, separated by blanks, such as example.com shop.example.net.', 2_000).refine(
      (value) => readSites(value as string) !== undefined,
      problem('account.analytics_sites'),
    ),
    setting: 'analytics_sites',
  },
  conversion_days: {
    type: text('Days from a click to an event with a value that counts for it; 0 counts nothing.', 5).refine(
      (value) => /^\d{1,2}$/.test(value as string),
      problem('account.conversion_days'),
    ),
    setting: 'conversion_days',
  },
  warm_up: {
    type: text(
      'The daily ramp of a new sender, first:growth:max:date, such as 50:1.5:20000:2026-11-21; "" for none.',
      60,
    ).superRefine((value, context) => {
      const ramp = parseRamp(value as string);
      if (value !== '' && 'wrong' in ramp) context.addIssue({ code: 'custom', message: packMessage(ramp.wrong) });
    }),
    setting: 'warm_up',
  },
  ...Object.fromEntries(
    (Object.keys(retentionDays) as RetentionSetting[]).map((setting) => [
      setting,
      {
        type: text('Days; 0 keeps them permanently.', 5).refine(
          (value) => /^\d{1,4}$/.test(value as string),
          problem('account.days'),
        ),
        setting,
      },
    ]),
  ),
};

const defaultDays = Object.entries(retentionDays)
  .map(([setting, days]) => `${days} (${setting})`)
  .join(', ');

export const updateMethods = [
  method({
    name: 'accountUpdate',
    group: 'account',
    summary: 'Changes one value of the account.',
    description: `name is one of ${Object.keys(values).join(', ')}. unclear decides what happens to recipients whose message may or may not have been sent when a connection broke: "resend" (the default; the copy is marked as one) or "hold" (they wait for campaignResolve; after ${giveUpHours} hours they count as not delivered). when_past decides when recipients get a campaign with time_match whose time has already passed in their time zone when it starts: "at-once" (the default) or at that time on the "next-day". frequency_cap limits how many emails of campaigns (autoresponders and automations included) a contact gets within up to 90 days: further ones are skipped with the reason capped; of two campaigns that are sent at the same time the one that began earlier goes first; single messages, confirmations and other emails of the program neither count nor are limited. send_window limits campaigns, autoresponders and automations to these weekdays and hours by the clocks of each contact (autoresponders and automations: of the account): outside of them they wait, unless the campaign has the option any_time; single messages, test messages, confirmations and other emails of the program do not wait; a change takes effect at once, also on what waits for the window. rate is the maximum number of messages per second of all campaigns together. warm_up limits the messages per day (UTC): first up to and including its date, then growth times as many each day, and unlimited once most is reached; recipients over the limit wait for the next day. reputation decides what happens while a campaign is being sent and of at least ${reputationRules.minMessages} messages ${reputationRules.pauseBounces * 100} % are hard bounces or ${reputationRules.pauseComplaints * 100} % were reported as spam (at least ${reputationRules.minComplaints} times): "warn" (the default; it continues, and reports show it) or "pause" (it is paused until a person resumes it; not autoresponders and automations, which have no end). utm_source and utm_medium are what campaigns with analytics add to links when they name no others. analytics_sites are the hosts, with their subdomains, whose links get the parameters; "" stands for all but social networks, video and map services, app stores and links that are signed. conversion_days (0 to 99, by default 5) is how many days after a click an event with a value counts for that email: campaignConversions. keep_recipients_days (who got, opened and clicked each campaign, autoresponder and email of an automation), keep_hits_days (single opens and clicks with their IP addresses and user agents), keep_inbox_days (messages caught by the inbox), keep_webhook_attempts_days, keep_audit_days, keep_message_content_days (what single messages contained), keep_messages_days (the log of single messages), keep_automation_runs_days (the steps that contacts went through in automations that they have left) and keep_events_days (what eventSend reported about contacts) are the days after which these are deleted at night, 0 for never, by default ${defaultDays}; the numbers in reports and of steps stay. Hits, events and webhook attempts are stored by month: those of the account that keeps them longest are deleted when the whole month is old enough. Recipients of campaigns are deleted by the month in which their campaign was sent, those of autoresponders and automations by the day on which their message ended. The operator may set a shorter limit for recipients.`,
    params: params({ name: text('What is changed.', 60), value: anything('The new value.') }),
    returns: z.boolean(),
    faults: ['ACCOUNT_OPTION_INVALID'],
    scope: 'admin',
    permission: 'account:write',
    example: { params: { name: 'company', value: 'Analytical Engines Ltd' } },
    confirm: ({ name }) => name === 'email',
    run: updateAccount,
  }),
  method({
    name: 'personUpdate',
    group: 'account',
    summary: 'Changes the name or the language of the signed-in user.',
    params: params({ name: oneOf('What is changed.', ['name', 'language']), value: line('The new value.', 200) }),
    returns: z.boolean(),
    faults: ['ACCOUNT_OPTION_INVALID'],
    scope: 'read',
    narrowed: true,
    person: true,
    example: { params: { name: 'name', value: 'Ada Lovelace' } },
    run: updatePerson,
  }),
];

async function updateAccount(
  { account, caller, tx }: Context,
  { name, value }: { name: string; value?: unknown },
): Promise<true> {
  const known = Object.hasOwn(values, name) ? values[name] : undefined;
  if (!known)
    throw fault('ACCOUNT_OPTION_INVALID', 'account.unknown_option', {
      member: 'name',
      name,
      choices: Object.keys(values).join(', '),
    });
  const given = readAs(known.type, name, value);
  const foreign = name === 'email' ? await foreignDomain(tx, account.id, given) : undefined;
  if (foreign !== undefined)
    throw fault('ACCOUNT_OPTION_INVALID', 'account.foreign_domain', { member: name, domain: foreign });
  if (name === 'email' && given !== account.email)
    // To the former address, where a stranger who changes it cannot read it.
    await noticeOfChange(tx, account.id, {
      what: message('notice.email', { email: given }),
      ip: caller.ip,
      to: account.email,
    });
  await tx.run(
    known.column
      ? sql`update account set ${known.column} = ${given} where id = ${account.id}`
      : sql`
          update account
          set settings = settings || jsonb_build_object(${known.setting}::text, ${given}::text)
          where id = ${account.id}`,
  );
  if (name === 'language') await enqueue(tx, 'translateStarterTemplates', { account_id: account.id });
  if (name === 'company' || name === 'name' || name === 'postal_address')
    await enqueue(tx, 'redrawPreviews', { account_id: account.id }, { key: `previews ${account.id}` });
  if (name === 'send_window' || name === 'time_zone') await enqueue(tx, 'windowChanged', { account_id: account.id });
  return true;
}

async function updatePerson(
  { caller, tx }: Context,
  { name, value }: { name: 'name' | 'language'; value: string },
): Promise<true> {
  if (name === 'language' && !languages.includes(value))
    throw fault('ACCOUNT_OPTION_INVALID', 'parameter.not_one_of', {
      member: name,
      choices: languages.join(', '),
    });
  const column = name === 'name' ? sql`name` : sql`language`;
  await tx.run(sql`update app_user set ${column} = ${value} where id = ${personOf(caller).userId}`);
  return true;
}

/** @throws Fault ACCOUNT_OPTION_INVALID naming the setting */
function readAs(type: z.ZodType<unknown>, name: string, value: unknown): string {
  try {
    return String(readValue(z.strictObject({ [name]: type }), { [name]: value })[name]);
  } catch (error) {
    throw error instanceof Fault ? new Fault('ACCOUNT_OPTION_INVALID', error.text) : error;
  }
}
