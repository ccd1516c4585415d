// Methods for the users of an account: list, invite, change the role, remove; and for the invitations of a user.
import { z } from 'zod';
import { permissions, roles } from '../../base/permissions.ts';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { arrayOf, id, line, oneOf, params, text } from '../../method/params.ts';
import { linkMinutes } from '../access/link-minutes.ts';
import { listsOption, listsRecord } from '../keys/lists.ts';
import { acceptInvitation, declineInvitation, inviteUser, listInvitations } from './invitation.ts';
import { changeRole, listUsers, removeUser } from './membership.ts';

const rights = {
  role: oneOf(
    'owner: everything; editor: lists, campaigns and sending; author: writes campaigns and templates, and sends nothing; viewer: reads everything, and exports nothing; analyst: reads campaigns and reports, without the addresses of contacts; custom: the permissions.',
    roles,
  ),
  permissions: arrayOf(
    'Of the role custom, what the person may do. To write, send, export or erase includes to read, and everyone may read the account. No one gives more than they have.',
    oneOf('A permission.', permissions),
    permissions.length,
  ).default([]),
};

export const userMethods = [
  method({
    name: 'users',
    group: 'account',
    summary: 'Lists the users of the account with their roles, and the addresses that are invited.',
    description:
      'An invited address has no second factor, no sign-in and the name of the invitation, whether it belongs to a user or not.',
    params: params({}),
    returns: z.array(
      named(
        'User',
        z.object({
          id: z.string(),
          email: z.string(),
          name: z.string(),
          role: z.enum(roles),
          permissions: z.array(z.enum(permissions)).meta({ description: 'Of the role custom; empty for others.' }),
          ...listsRecord,
          totp: z.boolean().meta({ description: 'Whether the user has a second factor.' }),
          invited: z.boolean().meta({ description: 'Whether the invitation is not accepted yet.' }),
          created_at: z.string(),
          last_login_at: z.string(),
          invited_by: z
            .string()
            .meta({ description: 'Who invited, by name or address; empty for others, and when a program did.' }),
          expires_at: z.string().meta({ description: 'When the invitation ends; empty for users.' }),
        }),
      ),
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
    summary: 'Invites an email address to join the account.',
    description: `The invitation is sent by email and is valid for ${linkMinutes.invite / 1440} days; inviting the address again replaces it. A person without a password sets one by its link; a user of another account accepts or declines it when signed in: invitations(). An installation without a relay returns the link so that you can pass it on; otherwise link is empty, and an address gets three links in 15 minutes at most. The answer is the same whether the address belongs to a user or not.`,
    params: params({
      email: text('The email address to invite.', 254),
      ...rights,
      name: line('The name of a new user.', 200).default(''),
      ...listsOption,
    }),
    returns: z.object({ id: z.string(), link: z.string() }),
    faults: ['ADDRESS_INVALID', 'USER_EXISTS', 'LIST_UNKNOWN', 'TOO_MANY_CALLS', 'NOT_ALLOWED'],
    scope: 'admin',
    example: { params: { email: '{{newcomer}}', role: 'editor', name: 'Ada' } },
    confirm: () => true,
    run: inviteUser,
  }),
  method({
    name: 'userUpdate',
    group: 'account',
    summary: 'Changes what a user may do and on which lists, effective from their next request, or of an invitation.',
    description: 'Without lists and all_lists the lists stay as they are; an owner has all.',
    params: params({ id: id('The id of a user, as users() returns it.'), ...rights, ...listsOption }),
    returns: z.boolean(),
    faults: ['USER_UNKNOWN', 'LAST_OWNER', 'LIST_UNKNOWN', 'NOT_ALLOWED'],
    scope: 'admin',
    example: { params: { id: '{{user}}', role: 'viewer' } },
    confirm: () => true,
    run: changeRole,
  }),
  method({
    name: 'userDelete',
    group: 'account',
    summary: 'Removes a user from the account, effective from their next request, or withdraws an invitation.',
    description:
      'Everything the user created stays. Keys the user got from login() end; those made with apikeyAdd() stay valid: check apikeys() too.',
    params: params({ id: id('The id of a user, as users() returns it.') }),
    returns: z.boolean(),
    faults: ['USER_UNKNOWN', 'LAST_OWNER', 'NOT_ALLOWED'],
    scope: 'admin',
    example: { params: { id: '{{user}}' } },
    confirm: () => true,
    run: removeUser,
  }),
  method({
    name: 'invitations',
    group: 'account',
    summary: 'Lists the invitations to other accounts that wait for the signed-in user.',
    description:
      'Users who joined by a link that was not mailed to them have none until they have proven their address by a link for a lost password.',
    params: params({}),
    returns: z.array(
      named(
        'Invitation',
        z.object({
          id: z.string(),
          account: z.string().meta({ description: 'The name of the account.' }),
          account_id: z
            .string()
            .meta({ description: 'The id of the account, for sessionSwitch() once it is accepted.' }),
          invited_by: z.string().meta({ description: 'Who invited, by name or address; empty when a program did.' }),
          role: z.enum(roles),
          created_at: z.string(),
          expires_at: z.string(),
        }),
      ),
    ),
    faults: [],
    whileSuspended: true,
    scope: 'read',
    narrowed: true,
    reads: true,
    person: true,
    example: { params: {} },
    run: listInvitations,
  }),
  method({
    name: 'invitationAccept',
    group: 'account',
    summary: 'Makes the signed-in user a member of the account that invited; sessionSwitch() then switches to it.',
    params: params({ id: id('The id of an invitation, as invitations() returns it.') }),
    returns: z.boolean(),
    faults: ['INVITATION_UNKNOWN'],
    whileSuspended: true,
    scope: 'read',
    narrowed: true,
    person: true,
    example: { params: { id: '{{invitation}}' } },
    run: acceptInvitation,
  }),
  method({
    name: 'invitationDecline',
    group: 'account',
    summary: 'Declines an invitation of the signed-in user.',
    params: params({ id: id('The id of an invitation, as invitations() returns it.') }),
    returns: z.boolean(),
    faults: ['INVITATION_UNKNOWN'],
    whileSuspended: true,
    scope: 'read',
    narrowed: true,
    person: true,
    example: { params: { id: '{{invitation}}' } },
    run: declineInvitation,
  }),
];
