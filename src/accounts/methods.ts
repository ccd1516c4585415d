// The methods about the account itself: ping, its details and its API keys.
import { z } from 'zod';
import { callLimits } from '../base/call-limits.ts';
import { type Account, type Context, plans } from '../base/context.ts';
import { permissions } from '../base/permissions.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { formatDate } from '../method/date.ts';
import { withoutEffect } from '../method/family.ts';
import { method } from '../method/method.ts';
import { named } from '../method/named.ts';
import { arrayOf, boolean, id, integer, line, oneOf, params } from '../method/params.ts';
import { monthlyUse } from './account/monthly-quota.ts';
import { addKey, expireKey, listKeys, updateKey } from './keys/change.ts';
import { keyScopeNames } from './keys/key.ts';
import { listsOption, listsRecord } from './keys/lists.ts';
import { createTestKey } from './keys/test-key.ts';

const passwordUnused = withoutEffect('the API key is proof enough.');
const signIn = { username: passwordUnused, password: passwordUnused };

/** The largest number that every XML-RPC client can read. */
const noLimit = 2 ** 31 - 1;

const keyRecord = named(
  'ApiKey',
  z.object({
    id: z.string(),
    hint: z.string().meta({ description: 'The last four digits; the whole key is shown only when it is created.' }),
    label: z.string(),
    scope: z.enum(keyScopeNames),
    permissions: z.array(z.enum(permissions)).meta({ description: 'What a limited key may do; empty for others.' }),
    ...listsRecord,
    created_at: z.string(),
    last_used_at: z.string(),
    expires_at: z.string().meta({ description: 'When the key stops working; "" if never.' }),
    calls_per_minute: z.int().meta({ description: 'Its own limit of calls a minute; 0 if it has none.' }),
    calls_at_once: z.int().meta({ description: 'Its own limit of calls at the same time; 0 if it has none.' }),
    test: z.boolean().meta({ description: 'Whether what it sends stays in the built-in inbox.' }),
    networks: z.array(z.string()).meta({ description: 'The networks it may be used from; empty if from everywhere.' }),
    expired_at: z.string().meta({ description: 'Since when it no longer works: revoked, or past expires_at.' }),
  }),
);

const keyOptions = {
  label: line('What the key is for.', 200),
  scope: oneOf(
    'What it may do: full, write (no keys, users or settings), read, or limited to its permissions.',
    keyScopeNames,
  ),
  permissions: arrayOf(
    'If given, the scope is limited, and the key may do only this and ping(). To write, send, export or erase includes to read. No one gives a key more than they have.',
    oneOf('A permission.', permissions),
    permissions.length,
  ),
  expires_at: line('When it stops working, in GMT as YYYY-MM-DD HH:MM:SS; empty: never.', 19),
  networks: arrayOf(
    'The IP addresses and networks (such as 192.0.2.0/24) it may be used from; empty: from everywhere.',
    line('An IP address or a network.', 50),
    50,
  ),
  calls_per_minute: integer(
    'Calls a minute that it may make. 0: as many as the installation allows each key (API_RATE), which only keys of the operator may exceed.',
    0,
    callLimits.perMinute,
  ),
  calls_at_once: integer(
    'Calls that it may make at the same time. 0: as many as the installation allows each key (API_PARALLEL), which only keys of the operator may exceed.',
    0,
    callLimits.atOnce,
  ),
};

export const accountMethods = [
  method({
    name: 'ping',
    group: 'account',
    summary: 'Checks that the service responds and the key is valid.',
    params: params({}),
    returns: z.string(),
    faults: [],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: {} },
    run: async () => `Everything's Ok!`,
  }),
  method({
    name: 'getAccountDetails',
    group: 'account',
    summary: 'Returns the details of the account: names, addresses, plan, add-ons.',
    params: params({}),
    returns: z.object({
      user_id: z.string(),
      username: z.string(),
      name: z.string(),
      email: z.string(),
      company: z.string(),
      address: z.string(),
      phone: z.string(),
      website: z.string(),
      language: z.string(),
      timezone: z.string(),
      plan_type: z.enum(plans),
      is_pro: z.boolean(),
      addons: z.array(z.string()),
      may_send: z.boolean(),
      member_since: z.string(),
      is_trial: z.boolean().meta({ description: 'Always false.' }),
      emails_left: z.int().meta({
        description: `What is left of the monthly quota (UTC); ${noLimit} for an account without one, and for callers who are limited to some lists.`,
      }),
      first_payment: z.string().meta({ description: 'Always "".' }),
      last_payment: z.string().meta({ description: 'Always "".' }),
      times_logged_in: z.int().meta({ description: 'Sign-ins that are in the audit log.' }),
      last_login: z.string(),
      contact: z.object({
        fname: z.string(),
        lname: z.string(),
        email: z.string(),
        company: z.string(),
        address: z.string(),
        website: z.string(),
        phone: z.string(),
        fax: z.string(),
      }),
      orders: z.array(z.string()).meta({ description: 'Always empty.' }),
    }),
    faults: [],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: {} },
    run: accountDetails,
  }),
  method({
    name: 'apikeys',
    group: 'account',
    summary: 'Lists the API keys of the account; the keys themselves are not returned.',
    params: params({ expired: boolean('Also list revoked and expired keys; default false.').default(false) }),
    family: {
      params: signIn,
      answer: {
        meaning: 'each key also as apikey, of which only the last four digits are shown',
        returns: z.array(z.record(z.string(), z.unknown())),
        // The key cannot be read again; its place shows enough to recognize it.
        of: (keys) => keys.map((key) => ({ apikey: `${'*'.repeat(28)}${key.hint}`, ...key })),
      },
    },
    returns: z.array(keyRecord),
    faults: [],
    scope: 'admin',
    reads: true,
    example: { params: {} },
    run: listKeys,
  }),
  method({
    name: 'apikeyAdd',
    group: 'account',
    summary: 'Creates an API key and returns it; it cannot be read again later.',
    params: params({
      label: keyOptions.label.default(''),
      scope: keyOptions.scope.default('full'),
      permissions: keyOptions.permissions.default([]),
      expires_at: keyOptions.expires_at.default(''),
      networks: keyOptions.networks.default([]),
      ...listsOption,
      calls_per_minute: keyOptions.calls_per_minute.default(0),
      calls_at_once: keyOptions.calls_at_once.default(0),
      test: boolean(
        'A test key: single messages sent with it stay in the built-in inbox, whatever address they are to. It reads, and changes nothing else: testKeyCreate makes keys that may do everything, in an account for tests.',
      ).default(false),
    }),
    family: { params: signIn },
    returns: z.string(),
    faults: ['DATE_INVALID', 'LIST_UNKNOWN', 'TOO_LARGE'],
    scope: 'admin',
    example: { params: { label: 'newsletter script', scope: 'write', networks: ['192.0.2.0/24'] } },
    confirm: () => true,
    run: addKey,
  }),
  method({
    name: 'testKeyCreate',
    group: 'account',
    summary:
      "Creates a key of the account's test account, and that account if there is none yet; the key cannot be read again later.",
    description:
      'For programs that are being tested. In the test account every method works on lists, contacts, campaigns, automations and events of its own; what it sends, campaigns and confirmations too, goes through the same steps and stays in its built-in inbox (inboxMessages), whatever address it is to. It begins with the names, sender address, settings and owners of the account; the owners switch to it on their screens.',
    params: params({ label: keyOptions.label.default('') }),
    returns: z.object({
      account: z.string().meta({ description: 'The id of the test account.' }),
      name: z.string(),
      key: z.string(),
    }),
    faults: ['TOO_LARGE'],
    scope: 'admin',
    example: { params: { label: 'staging' } },
    confirm: () => true,
    run: createTestKey,
  }),
  method({
    name: 'apikeyUpdate',
    group: 'account',
    summary:
      'Changes the permissions, lists, allowed networks, limits and expiry of an API key. Omitted values do not change.',
    params: params({
      key: id('The id of a key as apikeys() returns it, or the key itself.'),
      label: keyOptions.label.optional(),
      scope: keyOptions.scope.optional(),
      permissions: keyOptions.permissions.optional(),
      expires_at: keyOptions.expires_at.optional(),
      networks: keyOptions.networks.optional(),
      ...listsOption,
      calls_per_minute: keyOptions.calls_per_minute.optional(),
      calls_at_once: keyOptions.calls_at_once.optional(),
    }),
    returns: z.boolean(),
    faults: ['KEY_INVALID', 'DATE_INVALID', 'LIST_UNKNOWN'],
    scope: 'admin',
    example: {
      params: { key: '{{key}}', label: 'newsletter script', permissions: ['campaigns:read', 'reports:read'] },
    },
    confirm: () => true,
    run: updateKey,
  }),
  method({
    name: 'apikeyExpire',
    group: 'account',
    summary: 'Revokes an API key, given as its id or the key itself; the next call with it is refused.',
    description: 'Without a key, it revokes the API key of the call.',
    params: params({ key: id('The id of a key as apikeys() returns it, or the key itself.').default('') }),
    family: { params: signIn },
    returns: z.boolean(),
    faults: ['KEY_INVALID'],
    scope: 'admin',
    example: { params: { key: '{{key}}' } },
    run: expireKey,
  }),
];

async function accountDetails({ tx, account, caller }: Context) {
  const signIns = await tx.row<{ count: number; lastAt: Date | null }>(sql`
    select count(*)::int as count, max(at) as "lastAt"
    from audit_entry
    where account_id = ${account.id}
      and lower(method) = 'signin'`);
  const { quota, used } = await monthlyUse(tx, account.id);
  // What others have sent is not for callers with a set of lists.
  const left = quota === null || caller.lists !== null ? noLimit : Math.max(0, quota - used);
  return {
    ...shownAccount(account),
    emails_left: left,
    times_logged_in: signIns!.count,
    last_login: formatDate(signIns!.lastAt),
  };
}

const shownAccount = (account: Account) => ({
  user_id: formatId(account.id),
  username: account.email,
  name: account.name,
  email: account.email,
  company: account.company,
  address: account.postalAddress,
  phone: account.phone,
  website: account.website,
  language: account.language,
  timezone: account.timeZone,
  plan_type: account.plan,
  is_pro: account.plan === 'pro',
  addons: account.addons,
  may_send: account.maySend,
  member_since: formatDate(account.createdAt),
  is_trial: false,
  first_payment: '',
  last_payment: '',
  contact: {
    fname: account.name,
    lname: '',
    email: account.email,
    company: account.company,
    address: account.postalAddress,
    website: account.website,
    phone: account.phone,
    fax: '',
  },
  orders: [],
});
