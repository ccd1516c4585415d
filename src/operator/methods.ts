// The methods of the operator about all accounts of the installation.
import { z } from 'zod';
import { actingMinutes } from '../accounts/access/acting-minutes.ts';
import { addons } from '../accounts/account/account.ts';
import { plans } from '../base/context.ts';
import { isZone } from '../base/zones.ts';
import { languages } from '../locales/languages.ts';
import { method } from '../method/method.ts';
import { named } from '../method/named.ts';
import { paging } from '../method/paging.ts';
import {
  arrayOf,
  boolean,
  decimal,
  filledLine,
  id,
  integer,
  line,
  oneOf,
  params,
  problem,
  text,
  unlessEmpty,
} from '../method/params.ts';
import { accountStates, listAllAccounts } from './account-list.ts';
import { createAccountFor, deleteAccount, exportAccount, restoreAccount, signInAs, updateTerms } from './accounts.ts';

const record = named(
  'OperatedAccount',
  z.object({
    id: z.string(),
    name: z.string(),
    email: z.string().meta({ description: 'The main address; notices go there.' }),
    company: z.string(),
    operator: z.boolean().meta({ description: 'Whether it is the account of the operator.' }),
    state: z.enum(accountStates).meta({
      description:
        'suspended: no one can use it, and nothing is begun; quota_used: its campaigns wait for the next month; deleted: it is erased at delete_at.',
    }),
    plan: z.enum(plans),
    addons: z.array(z.string()),
    may_send: z.boolean(),
    monthly_quota: z.int().meta({ description: 'Emails a month (UTC); 0 without a limit.' }),
    emails_this_month: z.int().meta({
      description:
        'Emails of campaigns, autoresponders and automations, and single messages, since the month began (UTC).',
    }),
    rate: z.number().meta({ description: 'The most emails a second; 0 without a limit of the operator.' }),
    relays: z
      .array(z.string())
      .meta({ description: 'The relays that are limited to it; empty if it uses those of all.' }),
    bounce_rate: z.number().meta({ description: 'Of the last 30 days, from 0 to 1.' }),
    complaint_rate: z.number().meta({ description: 'Of the last 30 days, from 0 to 1.' }),
    last_campaign: z
      .object({ id: z.string(), title: z.string(), at: z.string() })
      .meta({ description: 'Empty before the first one.' }),
    inactive_domains: z.array(z.string()).meta({ description: 'Sender domains that cannot be used, 20 at most.' }),
    has_owner: z.boolean().meta({ description: 'False until an owner has accepted the invitation.' }),
    created_at: z.string(),
    delete_at: z.string().meta({ description: 'When it is erased; "" if it is not to be.' }),
  }),
);

const terms = {
  may_send: boolean('Whether it may send.').optional(),
  plan: oneOf('The plan; free: it sends from its main address only.', plans).optional(),
  addons: arrayOf('The add-ons it has.', oneOf('An add-on.', addons), addons.length).optional(),
  monthly_quota: integer('Emails a month (UTC); 0 for no limit.', 0, 2_000_000_000).optional(),
  rate: decimal(
    'The most emails a second of all its campaigns together; 0 for no limit of the operator.',
    0,
    1_000_000,
  ).optional(),
  relays: arrayOf(
    'The ids of relays that are limited to accounts: its emails go to these, and to no others. Empty: to those that are for all.',
    id('A relay.'),
    100,
  ).optional(),
};

const accountId = id('The id of an account, as accounts() returns it.');

export const operatorMethods = [
  method({
    name: 'accounts',
    group: 'account',
    summary: 'Lists the accounts of the installation, with what they send and what needs attention.',
    description: 'By name, without test accounts.',
    params: params({
      query: line('A part of the name, the address or the organisation, in any case.', 200).default(''),
      account: line('Only the account with this id.', 20).default(''),
      state: unlessEmpty(oneOf('Only accounts in this state.', accountStates)),
      ...paging(50, 500),
    }),
    returns: z.object({ total: z.int(), data: z.array(record) }),
    faults: ['START_OUT_OF_RANGE', 'LIMIT_OUT_OF_RANGE'],
    scope: 'admin',
    operator: true,
    owner: true,
    reads: true,
    example: { params: { query: 'example' } },
    run: (context, { state, ...given }) => listAllAccounts(context, { state: state ?? '', ...given }),
  }),
  method({
    name: 'accountCreate',
    group: 'account',
    summary: 'Creates an account and invites its owner.',
    description:
      'The owner gets the invitation by email; an installation without a relay returns its link to pass on. If the address is that of the signed-in user, the user is the owner at once.',
    params: params({
      name: filledLine('Name of the account.', 200),
      email: text('The email address of its owner; it is the main address of the account too.', 254),
      language: oneOf('Language.', languages).default('en'),
      time_zone: text('Time zone.', 60)
        .refine((value) => isZone(value as string), problem('parameter.not_a_time_zone'))
        .default('UTC'),
      ...terms,
      plan: oneOf('The plan; free: it sends from its main address only.', plans).default('pro'),
    }),
    returns: z.object({
      account: z.string().meta({ description: 'The id of the account.' }),
      invited: z.boolean().meta({ description: 'False if the signed-in user is its owner already.' }),
      link: z.string().meta({ description: 'The link of the invitation, where it is not sent by email.' }),
    }),
    faults: ['ADDRESS_INVALID', 'TOO_MANY_CALLS'],
    scope: 'admin',
    operator: true,
    owner: true,
    example: { params: { name: 'Example Ltd', email: '{{newcomer}}', monthly_quota: 50_000 } },
    confirm: () => true,
    run: createAccountFor,
  }),
  method({
    name: 'accountLimitsUpdate',
    group: 'account',
    summary:
      'Changes what the operator decides about an account: whether it is active, its plan, quota, rate and relays.',
    description:
      'Omitted values do not change. An account that is not active is suspended: no one can use it, and its campaigns wait; what has been handed to a relay is finished. A quota that is raised takes effect at once, one that is lower than what was sent this month stops further emails of campaigns until the next month. accountUpdate changes what the account decides itself.',
    params: params({
      account: accountId,
      name: filledLine('Name of the account.', 200).optional(),
      active: boolean('Whether it can be used; not for the account of the operator.').optional(),
      ...terms,
    }),
    returns: z.boolean(),
    faults: [],
    scope: 'admin',
    operator: true,
    owner: true,
    example: { params: { account: '{{client}}', monthly_quota: 100_000 } },
    confirm: () => true,
    run: updateTerms,
  }),
  method({
    name: 'accountExport',
    group: 'account',
    summary: 'Returns the URL of a file with what was made in an account, such as before it is deleted.',
    description:
      'GET the URL within an hour, with the session, or with the key in an Authorization header (Bearer). The file has a JSON object a line, with the name of its table: the account, lists, fields, segments, templates, campaigns, automations, suppressions, contacts and subscriptions. It has no passwords, keys or secrets, and no recipients of single campaigns.',
    params: params({ account: accountId }),
    returns: z.object({ url: z.string() }),
    faults: [],
    scope: 'admin',
    operator: true,
    owner: true,
    example: { params: { account: '{{client}}' } },
    confirm: () => true,
    run: exportAccount,
  }),
  method({
    name: 'accountDelete',
    group: 'account',
    summary: 'Suspends an account, and erases it with everything in it after some days. Returns when.',
    description:
      'Until then accountRestore takes it back. Deleting it again moves the day. Users who are in no other account are erased with it. Not for the account of the operator.',
    params: params({ account: accountId, days: integer('Days until it is erased.', 1, 365).default(30) }),
    returns: z.string(),
    faults: [],
    scope: 'admin',
    operator: true,
    owner: true,
    example: { params: { account: '{{client}}', days: 30 } },
    confirm: () => true,
    run: deleteAccount,
  }),
  method({
    name: 'accountRestore',
    group: 'account',
    summary: 'Takes the deletion of an account back: it can be used again, and what waited in it continues.',
    params: params({ account: accountId }),
    returns: z.boolean(),
    faults: [],
    scope: 'admin',
    operator: true,
    owner: true,
    example: { params: { account: '{{deleted_client}}' } },
    confirm: () => true,
    run: restoreAccount,
  }),
  method({
    name: 'accountSignIn',
    group: 'account',
    summary: 'Signs the operator in to the account of another for a while, with the rights of an owner.',
    description: `The session moves to the account, under a new token, and ends after ${actingMinutes} minutes; sessionSwitch leads back before. Passwords, keys and people cannot be changed, nor anything else that needs a confirmed session. The account gets a notice, sees it on Home and in its audit log, which names the person with every change. Returns until when (GMT); "" if the person is a member of the account, and has simply switched to it.`,
    params: params({ account: accountId }),
    returns: z.string(),
    faults: [],
    scope: 'admin',
    operator: true,
    owner: true,
    person: true,
    example: { params: { account: '{{client}}' } },
    confirm: () => true,
    run: signInAs,
  }),
];
