// The methods about the people of an account: who they are, inviting one, their role, their leaving. A role or a
// membership is read at every request, so a change acts on the next one. There is always an owner.
import { z } from 'zod';
import type { Role } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { enqueue } from '../../jobs/queue.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { id, params, text, word } from '../../method/params.ts';
import { linkAddress, makeLinkToken } from '../sign-in/sign-in-link.ts';
import { addMember, addressProblem, createUserWithoutPassword, findUser, roleScopes } from './user.ts';

const roles = Object.keys(roleScopes) as [Role, ...Role[]];
const role = word('owner: everything; editor: lists, campaigns and sending; viewer: reading only.', roles);

export const userMethods = [
  method({
    name: 'users',
    group: 'account',
    summary: 'Lists the people of the account with their roles.',
    params: params({}),
    returns: z.array(
      z.object({
        id: z.string(),
        email: z.string(),
        name: z.string(),
        role: z.string(),
        totp: z.boolean().meta({ description: 'Whether the person has a second factor.' }),
        invited: z.boolean().meta({ description: 'Whether the person has not set a password yet.' }),
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
    summary: 'Adds a person to the account; somebody new is sent a link by which to set a password.',
    description:
      'The link is good for seven days and one use; a further invitation of somebody who has not used theirs sends a new one. An installation without a relay returns the link, to be passed on by hand; otherwise link is empty.',
    params: params({
      email: text('The address of the person.', 254),
      role,
      name: text('The name of the person.', 200).default(''),
    }),
    returns: z.object({ id: z.string(), link: z.string() }),
    faults: ['ADDRESS_INVALID', 'USER_EXISTS'],
    scope: 'admin',
    example: { params: { email: '{{newcomer}}', role: 'editor', name: 'Ada' } },
    async run({ app, account, tx }, given) {
      const problem = addressProblem(given.email);
      if (problem) throw new Fault('ADDRESS_INVALID', `email ${problem}`);
      const known = await findUser(tx, given.email);
      const belongs = known ? await accountsOf(tx, known.id) : [];
      if (known && belongs.includes(account.id)) {
        if (!known.invited) throw new Fault('USER_EXISTS', 'email is the address of somebody in the account already');
        await needMember(tx, account.id, formatId(known.id), given.role);
      }
      const { id: userId } = known ?? (await createUserWithoutPassword(tx, given));
      await addMember(tx, account.id, userId, given.role);
      if (known && !known.invited) return { id: formatId(userId), link: '' };
      if (app.config.smtpUrls.length === 0) {
        // Whoever holds the link becomes the person: it is not shown to one account when another waits for them too.
        if (belongs.some((one) => one !== account.id)) return { id: formatId(userId), link: '' };
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
    summary: 'Gives a person of the account another role, from their next request on.',
    params: params({ id: id('The person, as users() tells it.'), role }),
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
    summary: 'Takes a person out of the account, from their next request on.',
    description: 'What the person has made stays. API keys stay valid: look through apikeys() too.',
    params: params({ id: id('The person, as users() tells it.') }),
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
 * The member of a public id, who is to get a role or none.
 * @throws Fault USER_UNKNOWN, LAST_OWNER
 */
async function needMember(tx: Queries, accountId: number, named: string, next: Role | undefined): Promise<number> {
  // All of them are locked: of two owners who remove each other at once, one stays.
  const members = await tx.rows<{ userId: number; role: Role }>(sql`
    select user_id as "userId", role
    from membership
    where account_id = ${accountId}
    order by user_id
    for update`);
  const member = members.find((one) => one.userId === parseId(named));
  if (!member) throw new Fault('USER_UNKNOWN', 'id is nobody in this account');
  const owners = members.filter((one) => one.role === 'owner' && (one !== member || next === 'owner'));
  if (member.role === 'owner' && owners.length === 0)
    throw new Fault('LAST_OWNER', 'id is the only owner of the account; make somebody else an owner first');
  return member.userId;
}

async function accountsOf(tx: Queries, userId: number): Promise<number[]> {
  const rows = await tx.rows<{ id: number }>(sql`
    select account_id as id
    from membership
    where user_id = ${userId}`);
  return rows.map((row) => row.id);
}
