// Methods for the users of an account: list, invite, change the role, remove.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { id, line, oneOf, params, text } from '../../method/params.ts';
import { changeRole, inviteUser, listUsers, removeUser } from './membership.ts';
import { roles } from './roles.ts';

const role = oneOf('owner: everything; editor: lists, campaigns and sending; viewer: read only.', roles);

export const userMethods = [
  method({
    name: 'users',
    group: 'account',
    summary: 'Lists the users of the account with their roles.',
    params: params({}),
    returns: z.array(
      z.object({
        id: z.string(),
        email: z.string(),
        name: z.string(),
        role: z.string(),
        totp: z.boolean().meta({ description: 'Whether the user has a second factor.' }),
        invited: z.boolean().meta({ description: 'Whether the user has not set a password yet.' }),
        created_at: z.string(),
        last_login_at: z.string(),
      }),
    ),
    faults: [],
    scope: 'admin',
    reads: true,
    example: { params: {} },
    run: listUsers,
  }),
  method({
    name: 'userInvite',
    group: 'account',
    summary: 'Adds a user to the account and sends new users a link to set a password.',
    description:
      'The link is valid for seven days and works once; inviting a user who has not used it sends a new one. An installation without a relay returns the link so that you can pass it on; otherwise link is empty, and an address gets three links in 15 minutes at most. A user of another account is added at once if they have proven their address by a link that was mailed to it; otherwise the invitation is refused.',
    params: params({
      email: text('The email address of the user.', 254),
      role,
      name: line('The name of the user.', 200).default(''),
    }),
    returns: z.object({ id: z.string(), link: z.string() }),
    faults: ['ADDRESS_INVALID', 'USER_EXISTS', 'NOT_ALLOWED', 'TOO_MANY_CALLS'],
    scope: 'admin',
    example: { params: { email: '{{newcomer}}', role: 'editor', name: 'Ada' } },
    confirm: () => true,
    run: inviteUser,
  }),
  method({
    name: 'userUpdate',
    group: 'account',
    summary: 'Changes the role of a user, effective from their next request.',
    params: params({ id: id('The id of a user, as users() returns it.'), role }),
    returns: z.boolean(),
    faults: ['USER_UNKNOWN', 'LAST_OWNER'],
    scope: 'admin',
    example: { params: { id: '{{user}}', role: 'viewer' } },
    confirm: () => true,
    run: changeRole,
  }),
  method({
    name: 'userRemove',
    group: 'account',
    summary: 'Removes a user from the account, effective from their next request.',
    description:
      'Everything the user created stays. Keys the user got from login() end; those made with apikeyAdd() stay valid: check apikeys() too.',
    params: params({ id: id('The id of a user, as users() returns it.') }),
    returns: z.boolean(),
    faults: ['USER_UNKNOWN', 'LAST_OWNER'],
    scope: 'admin',
    example: { params: { id: '{{user}}' } },
    run: removeUser,
  }),
];
