// The command line for accounts, keys and people: what the operator of an installation decides.
import type { Command } from 'commander';
import type { App } from '../base/context.ts';
import { randomHex } from '../base/random.ts';
import { type Queries, sql, type Tx } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { clearAttemptsOf } from './access/attempts.ts';
import { linkMinutes } from './access/link-minutes.ts';
import { endOtherSessions } from './access/session.ts';
import { linkAddress, makeLinkToken } from './access/sign-in-link.ts';
import { addons, createAccount, findAccounts, listAccounts, needAccount, setAccount } from './account/account.ts';
import { noteOperator } from './audit/audit.ts';
import { createKey, type KeyScope, keyScopes } from './keys/key.ts';
import { acceptAll } from './people/invitation.ts';
import { addMember, createUser, findUser, isEmailAddress, setPassword } from './people/user.ts';
import { removeSecondFactor } from './sign-in/second-factor.ts';

type WithApp = (work: (app: App) => Promise<void>) => Promise<void>;

export function addAccountCommands(program: Command, withApp: WithApp): void {
  const account = program.command('account').description('list, create and change accounts; create API keys');
  account
    .command('list')
    .description('list the accounts')
    .action(() => withApp(printAccounts));
  account
    .command('create')
    .description('create an account with an owner and an API key; the password and the key are printed once')
    .requiredOption('--email <address>', 'email address of the account, with which its owner signs in')
    .option('--name <name>', 'name of the account', 'My organisation')
    .option('--another', 'create the account even if another one has this address')
    .action((options: CreateOptions) => withApp((app) => createAccountWithOwner(app, options)));
  account
    .command('set <account>')
    .description('change what an account may do; <account> is its id or email address')
    .option('--plan <plan>', 'free or pro')
    .option('--addons <list>', `add-ons separated by commas (${addons.join(', ')}), or "none"`)
    .option('--active <yes|no>', 'whether the account can be used')
    .option('--may-send <yes|no>', 'whether the account may send')
    .action((idOrEmail: string, options: SetOptions) => withApp((app) => changeAccount(app, idOrEmail, options)));
  account
    .command('key <account>')
    .description('create an API key and print it once')
    .option('--label <text>', 'what the key is for', '')
    .option('--scope <scope>', 'full, write (everything except keys, people and settings) or read', 'full')
    .action((idOrEmail: string, options: KeyOptions) => withApp((app) => addKey(app, idOrEmail, options)));

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

async function printAccounts({ db }: App): Promise<void> {
  for (const account of await listAccounts(db)) {
    const state = [
      account.plan,
      ...account.addons,
      ...(account.active ? [] : ['switched off']),
      ...(account.maySend ? [] : ['may not send']),
      ...(account.isTest ? ['test account'] : []),
    ];
    console.log(`${formatId(account.id)}  ${account.email}  ${account.name}  (${state.join(', ')})`);
  }
}

type CreateOptions = { email: string; name: string; another?: boolean };

async function createAccountWithOwner({ db }: App, options: CreateOptions): Promise<void> {
  if (!isEmailAddress(options.email)) throw new Error(`--email "${options.email}" is not an email address.`);
  const [same] = await findAccounts(db, options.email);
  if (same && !options.another)
    throw new Error(
      `Account ${formatId(same.id)} (${same.name}) already has the address "${options.email}". Nothing was created. To create another account with this address, add --another.`,
    );
  const password = randomHex(8);
  const created = await db.transaction(async (tx) => {
    const { id } = await createAccount(tx, options);
    const existing = await findUser(tx, options.email);
    if (existing && !existing.addressProven)
      throw new Error(
        `The user "${options.email}" exists, but has not confirmed this address. Nothing was created. Run "postrider user password ${options.email}" first: it sets a new password that only you know.`,
      );
    const owner = existing ?? (await createUser(tx, { email: options.email, password }));
    await addMember(tx, id, owner.id, 'owner');
    const { key } = await createKey(tx, id, { label: 'first key', scope: 'full' });
    await noteOperator(tx, [id], 'accountCreate', { subject: options.email });
    return { id, key, ownerExisted: existing !== undefined };
  });
  console.log(`account   ${formatId(created.id)}`);
  console.log(`login     ${options.email}${created.ownerExisted ? ' (existing user)' : `  password ${password}`}`);
  console.log(`API key   ${created.key}`);
}

type SetOptions = { plan?: string; addons?: string; active?: string; maySend?: string };

async function changeAccount({ db }: App, idOrEmail: string, options: SetOptions): Promise<void> {
  const { id } = await needAccount(db, idOrEmail);
  const change = accountChange(options);
  await db.transaction(async (tx) => {
    await setAccount(tx, id, change);
    const detail = Object.entries(options).map(([name, value]): [string, string] => [name, `${name} ${value}`]);
    await noteOperator(tx, [id], 'accountSet', { detail: Object.fromEntries(detail) });
  });
  console.log(`Account ${formatId(id)} was changed.`);
}

/** @throws Error for an invalid value of an option */
function accountChange(options: SetOptions): Parameters<typeof setAccount>[2] {
  if (options.plan !== undefined && options.plan !== 'free' && options.plan !== 'pro')
    throw new Error('--plan must be free or pro.');
  return {
    ...(options.plan ? { plan: options.plan } : {}),
    ...(options.addons === undefined ? {} : { addons: addonList(options.addons) }),
    ...(options.active === undefined ? {} : { active: isYes('--active', options.active) }),
    ...(options.maySend === undefined ? {} : { maySend: isYes('--may-send', options.maySend) }),
  };
}

function addonList(text: string): string[] {
  const list = text === 'none' ? [] : text.split(',').map((name) => name.trim());
  const unknown = list.find((name) => !(addons as readonly string[]).includes(name));
  if (unknown !== undefined) throw new Error(`There is no add-on "${unknown}". The add-ons are ${addons.join(', ')}.`);
  return list;
}

type KeyOptions = { label: string; scope: string };

async function addKey({ db }: App, idOrEmail: string, { label, scope }: KeyOptions): Promise<void> {
  const choices = Object.keys(keyScopes).filter((name) => name !== 'limited');
  if (!choices.includes(scope)) throw new Error(`--scope must be one of ${choices.join(', ')}.`);
  const account = await needAccount(db, idOrEmail);
  const key = await db.transaction(async (tx) => {
    const created = await createKey(tx, account.id, { label, scope: scope as KeyScope });
    await noteOperator(tx, [account.id], 'accountKey', { subject: label, detail: { scope } });
    return created.key;
  });
  console.log(key);
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

function isYes(option: string, text: string): boolean {
  if (text !== 'yes' && text !== 'no') throw new Error(`${option} must be yes or no.`);
  return text === 'yes';
}
