// The command line for people: what the operator of an installation does when someone cannot sign in.
import type { Command } from 'commander';
import type { App } from '../base/context.ts';
import { randomHex } from '../base/random.ts';
import { type Queries, sql, type Tx } from '../db/connect.ts';
import { clearAttemptsOf } from './access/attempts.ts';
import { linkMinutes } from './access/link-minutes.ts';
import { endOtherSessions } from './access/session.ts';
import { linkAddress, makeLinkToken } from './access/sign-in-link.ts';
import { noteOperator } from './audit/audit.ts';
import { acceptAll } from './people/invitation.ts';
import { createUser, findUser, setPassword } from './people/user.ts';
import { removeSecondFactor } from './sign-in/second-factor.ts';

type WithApp = (work: (app: App) => Promise<void>) => Promise<void>;

export function addUserCommands(program: Command, withApp: WithApp): void {
  const user = program
    .command('user')
    .description('reset passwords and second factors, unlock users, print sign-in links');
  user
    .command('password <email>')
    .description(
      'set a new random password for a user or an invited address and print it once; ends all sessions of the user',
    )
    .action((email: string) => withApp((app) => resetPassword(app, email)));
  user
    .command('link <email>')
    .description(
      `print a link that signs a user in once, without a password or identity provider, within ${linkMinutes['sign in']} minutes`,
    )
    .action((email: string) => withApp((app) => printLink(app, email)));
  user
    .command('reset-second-factor <email>')
    .description('remove the second factor of a user who lost their device and recovery codes; ends all sessions')
    .action((email: string) => withApp((app) => resetSecondFactor(app, email)));
  user
    .command('unlock <email>')
    .description('unlock a user after too many wrong passwords or codes')
    .action((email: string) => withApp((app) => unlock(app, email)));
}

/** Creates the user of an invited address that has none: the invitation email may not have arrived. */
async function resetPassword({ db }: App, email: string): Promise<void> {
  const password = randomHex(8);
  await db.transaction(async (tx) => {
    const user = await findUser(tx, email);
    if (user) await setPassword(tx, user.id, password);
    const { id } = user ?? (await createUser(tx, { email, password }));
    const accepted = user ? 0 : await acceptAll(tx, { id, email });
    if (!user && accepted === 0) throw noSuchUser(email);
    await noteForAccounts(tx, id, 'userPassword', email);
  });
  console.log(password);
}

/** For the case that the identity provider is down or its settings are wrong. */
async function printLink({ db, baseUrl }: App, email: string): Promise<void> {
  const user = await needUser(db, email);
  const token = await db.transaction(async (tx) => {
    await noteForAccounts(tx, user.id, 'userLink', email);
    return makeLinkToken(tx, 'sign in', user.id);
  });
  console.log(linkAddress(baseUrl, 'sign in', token));
}

async function resetSecondFactor({ db }: App, email: string): Promise<void> {
  const user = await needUser(db, email);
  const removed = await db.transaction(async (tx) => {
    const hadOne = await removeSecondFactor(tx, user.id);
    await endOtherSessions(tx, user.id, -1);
    await noteForAccounts(tx, user.id, 'userResetSecondFactor', email);
    return hadOne;
  });
  console.log(
    removed
      ? `${email} now signs in with the password only and can set up a second factor again.`
      : `${email} has no second factor. All sessions were ended.`,
  );
}

async function unlock({ db }: App, email: string): Promise<void> {
  const user = await needUser(db, email);
  const count = await db.transaction(async (tx) => {
    const cleared = await clearAttemptsOf(tx, { userId: user.id, email });
    if (cleared > 0) await noteForAccounts(tx, user.id, 'userUnlock', email);
    return cleared;
  });
  console.log(
    count > 0 ? `${email} can sign in again now.` : `${email} was not locked: there were no failed attempts.`,
  );
}

/** @throws Error when there is none */
async function needUser(db: Queries, email: string): Promise<{ id: number }> {
  const found = await findUser(db, email);
  if (!found) throw noSuchUser(email);
  return found;
}

const noSuchUser = (email: string) => new Error(`There is no user "${email}".`);

/** Records in the audit log of each account of the user what the operator did. */
async function noteForAccounts(tx: Tx, userId: number, method: string, email: string): Promise<void> {
  const accounts = await tx.rows<{ id: number }>(sql`
    select account_id as id
    from membership
    where user_id = ${userId}`);
  await noteOperator(
    tx,
    accounts.map(({ id }) => id),
    method,
    { subject: email },
  );
}
