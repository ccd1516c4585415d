// The methods of a signed-in user: who they are, their accounts, their password and their sessions.
import { z } from 'zod';
import { plans } from '../../base/context.ts';
import { permissions, roles } from '../../base/permissions.ts';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { boolean, id, params, text } from '../../method/params.ts';
import { confirmedMinutes } from '../access/session.ts';
import { listsRecord } from '../keys/lists.ts';
import {
  changePassword,
  confirmSession,
  endSessions,
  listSessions,
  prepareConfirmation,
  prepareNewPassword,
  sessionGet,
  switchSession,
} from './signed-in-user.ts';

const account = named(
  'Account',
  z.object({
    id: z.string(),
    name: z.string(),
    company: z.string(),
    postal_address: z.string(),
    email: z.string(),
    phone: z.string(),
    website: z.string(),
    language: z.string(),
    time_zone: z.string(),
    plan: z.enum(plans),
    addons: z.array(z.string()),
    may_send: z.boolean(),
    suspended: z.boolean().meta({ description: 'Whether the operator has suspended it: nothing in it can be used.' }),
    test: z.boolean().meta({ description: 'Whether what it sends stays in the built-in inbox.' }),
    settings: z.record(z.string(), z.unknown()),
    created_at: z.string(),
  }),
);

export const sessionMethods = [
  method({
    name: 'sessionGet',
    group: 'sign-in',
    summary: 'Returns the caller, the account, and what the caller may do.',
    description:
      'For an API key, the members of user are empty, role is empty, and accounts holds the account of the key. totp is true when the user has a second factor.',
    params: params({}),
    returns: z.object({
      user: z.object({
        id: z.string(),
        email: z.string(),
        name: z.string(),
        language: z.string(),
        totp: z.boolean(),
      }),
      account,
      operator: z.boolean().meta({ description: 'Whether this is the account of the operator of the installation.' }),
      acting: z.object({ until: z.string(), home: z.string() }).meta({
        description:
          'Until when the operator acts in this account of another (accountSignIn), and the account to go back to; empty otherwise.',
      }),
      role: z.enum(['', ...roles]),
      permissions: z.array(z.enum(permissions)).meta({ description: 'All that the caller may do in this account.' }),
      ...listsRecord,
      accounts: z.array(z.object({ id: z.string(), name: z.string(), role: z.enum(['', ...roles]) })),
    }),
    faults: [],
    whileSuspended: true,
    scope: 'read',
    narrowed: true,
    reads: true,
    primary: true,
    example: { params: {} },
    run: sessionGet,
  }),
  method({
    name: 'sessionSwitch',
    group: 'sign-in',
    summary: 'Switches the session to another account of the signed-in user; the session gets a new token.',
    params: params({ account_id: id('The id of an account, as sessionGet() returns it.') }),
    returns: z.boolean(),
    faults: ['NOT_ALLOWED'],
    whileSuspended: true,
    scope: 'read',
    narrowed: true,
    person: true,
    example: { params: { account_id: '{{account}}' } },
    run: switchSession,
  }),
  method({
    name: 'sessionConfirm',
    group: 'sign-in',
    summary:
      'Confirms the password for this session. Required before changing API keys, users, webhooks or the main address.',
    description: `Signing in confirms a session for ${confirmedMinutes} minutes; after that, such methods return fault 137 until this one is called.`,
    params: params({
      password: text('The current password.', 1_000),
      totp: text('A second-factor code or recovery code, if one is set up.', 40).default(''),
    }),
    returns: z.boolean(),
    faults: ['PASSWORD_INVALID', 'CODE_INVALID', 'TOO_MANY_CALLS'],
    scope: 'read',
    narrowed: true,
    person: true,
    example: { params: { password: '{{password}}' } },
    prepare: prepareConfirmation,
    run: confirmSession,
  }),
  method({
    name: 'passwordUpdate',
    group: 'sign-in',
    summary: 'Changes the password of the signed-in user and ends all their other sessions.',
    description:
      'Keys the user got from login() end; those made with apikeyAdd() stay valid: check apikeys() if another person may have known the password.',
    params: params({
      old: text('The current password.', 1_000),
      new: text('The new password: at least 12 characters, not your name or address, not a common password.', 1_000),
    }),
    returns: z.boolean(),
    faults: ['PASSWORD_INVALID', 'TOO_MANY_CALLS'],
    scope: 'read',
    narrowed: true,
    person: true,
    example: { params: { old: '{{password}}', new: 'a heron by the quiet lake' } },
    prepare: prepareNewPassword,
    run: changePassword,
  }),
  method({
    name: 'sessions',
    group: 'sign-in',
    summary: 'Lists the sessions of the signed-in user, most recently used first.',
    params: params({}),
    returns: z.array(
      z.object({
        id: z.string(),
        current: z.boolean(),
        account: z.string(),
        created_at: z.string(),
        last_seen_at: z.string(),
        expires_at: z.string(),
        ip: z.string(),
        user_agent: z.string(),
      }),
    ),
    faults: [],
    scope: 'read',
    narrowed: true,
    reads: true,
    person: true,
    example: { params: {} },
    run: listSessions,
  }),
  method({
    name: 'sessionEnd',
    group: 'sign-in',
    summary: 'Ends a session of the signed-in user; its next request is refused.',
    params: params({
      id: id('The id of a session, as sessions() returns it.').optional(),
      others: boolean('End all sessions except the current one instead, and keys from login(); default false.').default(
        false,
      ),
    }),
    returns: z.boolean(),
    faults: ['SESSION_UNKNOWN'],
    whileSuspended: true,
    scope: 'read',
    narrowed: true,
    person: true,
    example: { params: { others: true } },
    run: endSessions,
  }),
];
