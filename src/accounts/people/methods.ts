// Methods for the users of an account: list, invite, change the role, remove. Roles and memberships are read on every
// request, so a change applies to the next one. The account always keeps an owner.
import { z } from 'zod';
import type { Role } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { enqueue } from '../../jobs/queue.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { id, oneOf, params, text } from '../../method/params.ts';
import { linkAddress, makeLinkToken } from '../sign-in/sign-in-link.ts';
import { roles } from './roles.ts';
import { addMember, createUserWithoutPassword, findUser, isEmailAddress } from './user.ts';

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
    async run({ account, tx }) {
      const rows = await tx.rows<Row>(sql`
        select app_user.id, app_user.email, app_user.name, membership.role,
          app_user.totp_confirmed_at is not null as totp, app_user.invited, membership.created_at, app_user.last_login_at
        from membership
        join app_user on app_user.id = membership.user_id
        where membership.account_id = ${account.id}
        order by membership.created_at, app_user.id`);
      return rows.map((row) => ({
        ...row,
        id: formatId(row.id),
        created_at: formatDate(row.created_at),
        last_login_at: formatDate(row.last_login_at),
      }));
    },
  }),
  method({
    name: 'userInvite',
    group: 'account',
    summary: 'Adds a user to the account and sends new users a link to set a password.',
    description:
      'The link is valid for seven days and works once; inviting a user who has not used it sends a new one. An installation without a relay returns the link so that you can pass it on; otherwise link is empty.',
    params: params({
      email: text('The email address of the user.', 254),
      role,
      name: text('The name of the user.', 200).default(''),
    }),
    returns: z.object({ id: z.string(), link: z.string() }),
    faults: ['ADDRESS_INVALID', 'USER_EXISTS'],
    scope: 'admin',
    example: { params: { email: '{{newcomer}}', role: 'editor', name: 'Ada' } },
    async run({ app, account, tx }, given) {
      if (!isEmailAddress(given.email)) throw fault('ADDRESS_INVALID', 'user.not_an_address', { member: 'email' });
      const known = await findUser(tx, given.email);
      const belongs = known ? await accountsOf(tx, known.id) : [];
      if (known && belongs.includes(account.id)) {
        if (!known.invited) throw fault('USER_EXISTS', 'user.is_member');
        await needMember(tx, account.id, formatId(known.id), given.role);
      }
      const { id: userId } = known ?? (await createUserWithoutPassword(tx, given));
      await addMember(tx, account.id, userId, given.role);
      if (known && !known.invited) return { id: formatId(userId), link: '' };
      if (app.config.smtpUrls.length === 0) {
        // The link signs its holder in as the user, so one account does not see it when another has invited them too.
        if (belongs.some((accountId) => accountId !== account.id)) return { id: formatId(userId), link: '' };
        const token = await makeLinkToken(tx, 'invite', userId);
        return { id: formatId(userId), link: linkAddress(app.baseUrl, 'invite', token) };
      }
      await enqueue(tx, 'sendSignInLink', { email: given.email.trim(), purpose: 'invite', account_id: account.id });
      return { id: formatId(userId), link: '' };
    },
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
    async run({ account, tx }, given) {
      const userId = await needMember(tx, account.id, given.id, given.role);
      await addMember(tx, account.id, userId, given.role);
      return true;
    },
  }),
  method({
    name: 'userRemove',
    group: 'account',
    summary: 'Removes a user from the account, effective from their next request.',
    description: 'Everything the user created stays. API keys stay valid: check apikeys() too.',
    params: params({ id: id('The id of a user, as users() returns it.') }),
    returns: z.boolean(),
    faults: ['USER_UNKNOWN', 'LAST_OWNER'],
    scope: 'admin',
    example: { params: { id: '{{user}}' } },
    async run({ account, tx }, given) {
      const userId = await needMember(tx, account.id, given.id, undefined);
      await tx.run(sql`delete from membership where account_id = ${account.id} and user_id = ${userId}`);
      await tx.run(sql`delete from session where account_id = ${account.id} and user_id = ${userId}`);
      return true;
    },
  }),
];

type Row = {
  id: number;
  email: string;
  name: string;
  role: string;
  totp: boolean;
  invited: boolean;
  created_at: Date;
  last_login_at: Date | null;
};

/**
 * The user id of a member who is about to get the role `next`, or to be removed.
 * @throws Fault USER_UNKNOWN, LAST_OWNER
 */
async function needMember(tx: Queries, accountId: number, named: string, next: Role | undefined): Promise<number> {
  // Locks all members: when two owners remove each other at the same time, one of them stays.
  const members = await tx.rows<{ userId: number; role: Role }>(sql`
    select user_id as "userId", role
    from membership
    where account_id = ${accountId}
    order by user_id
    for update`);
  const member = members.find(({ userId }) => userId === parseId(named));
  if (!member) throw fault('USER_UNKNOWN', 'user.unknown');
  const owners = members.filter((other) => other.role === 'owner' && (other !== member || next === 'owner'));
  if (member.role === 'owner' && owners.length === 0) throw fault('LAST_OWNER', 'user.last_owner');
  return member.userId;
}

async function accountsOf(tx: Queries, userId: number): Promise<number[]> {
  const rows = await tx.rows<{ id: number }>(sql`
    select account_id as id
    from membership
    where user_id = ${userId}`);
  return rows.map((row) => row.id);
}
