// The command line for accounts, keys and people: what the operator of an installation decides.
import type { Command } from 'commander';
import type { App } from '../base/context.ts';
import { randomHex } from '../base/random.ts';
import { type Queries, sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { addons, createAccount, findAccounts, listAccounts, needAccount, setAccount } from './account.ts';
import { noteOperator } from './audit/audit.ts';
import { createKey, type KeyScope, keyScopes } from './keys/key.ts';
import { addMember, createUser, findUser, isEmailAddress, setPassword } from './people/user.ts';
import { forgetTriesOf } from './sign-in/attempts.ts';
import { removeSecondFactor } from './sign-in/second-factor.ts';
import { endOtherSessions } from './sign-in/session.ts';

export function addAccountCommands(program: Command, withApp: (work: (app: App) => Promise<void>) => Promise<void>) {
  const account = program.command('account').description('accounts, their plan, add-ons and API keys');

  account
    .command('list')
    .description('list the accounts')
    .action(() =>
      withApp(async ({ db }) => {
        for (const one of await listAccounts(db)) {
          const state = [
            one.plan,
            ...one.addons,
            ...(one.active ? [] : ['switched off']),
            ...(one.maySend ? [] : ['may not send']),
          ];
          console.log(`${formatId(one.id)}  ${one.email}  ${one.name}  (${state.join(', ')})`);
        }
      }),
    );

  account
    .command('create')
    .description('create an account with an owner and an API key, which are printed once')
    .requiredOption('--email <address>', 'main address of the account and login of its owner')
    .option('--name <name>', 'name of the account', 'My organisation')
    .option('--another', 'create it although an account has this address already')
    .action((options: { email: string; name: string; another?: boolean }) =>
      withApp(async ({ db }) => {
        if (!isEmailAddress(options.email)) throw new Error(`--email "${options.email}" is not an e-mail address`);
        const [same] = await findAccounts(db, options.email);
        if (same && !options.another)
          throw new Error(
            `Account ${formatId(same.id)} (${same.name}) has the address "${options.email}" already; nothing was created. With --another a further one is.`,
          );
        const password = randomHex(8);
        const made = await db.transaction(async (tx) => {
          const created = await createAccount(tx, options);
          const known = await findUser(tx, options.email);
          const user = known ?? (await createUser(tx, { email: options.email, password }));
          await addMember(tx, created.id, user.id, 'owner');
          const { key } = await createKey(tx, created.id, { label: 'first key', scope: 'full' });
          await noteOperator(tx, [created.id], 'accountCreate', { subject: options.email });
          return { id: created.id, key, known: known !== undefined };
        });
        console.log(`account   ${formatId(made.id)}`);
        console.log(`login     ${options.email}${made.known ? ' (existing user)' : `  password ${password}`}`);
        console.log(`API key   ${made.key}`);
      }),
    );

  account
    .command('set <account>')
    .description('change what an account may do; <account> is its id or e-mail address')
    .option('--plan <plan>', 'free or pro')
    .option('--addons <list>', `add-ons separated by commas (${addons.join(', ')}), or "none"`)
    .option('--active <yes|no>', 'switch the account on or off')
    .option('--may-send <yes|no>', 'allow or forbid sending')
    .action((named: string, options: { plan?: string; addons?: string; active?: string; maySend?: string }) =>
      withApp(async ({ db }) => {
        const found = await needAccount(db, named);
        if (options.plan !== undefined && options.plan !== 'free' && options.plan !== 'pro')
          throw new Error('--plan is free or pro');
        const list =
          options.addons === undefined
            ? undefined
            : options.addons === 'none'
              ? []
              : options.addons.split(',').map((one) => one.trim());
        const wrong = list?.find((one) => !(addons as readonly string[]).includes(one));
        if (wrong !== undefined) throw new Error(`There is no add-on "${wrong}"; there are ${addons.join(', ')}`);
        const change = {
          ...(options.plan ? { plan: options.plan as 'free' | 'pro' } : {}),
          ...(list ? { addons: list } : {}),
          ...(options.active === undefined ? {} : { active: yes('--active', options.active) }),
          ...(options.maySend === undefined ? {} : { maySend: yes('--may-send', options.maySend) }),
        };
        await db.transaction(async (tx) => {
          await setAccount(tx, found.id, change);
          const detail = Object.entries(options).map(([name, value]): [string, string] => [name, `${name} ${value}`]);
          await noteOperator(tx, [found.id], 'accountSet', { detail: Object.fromEntries(detail) });
        });
        console.log(`${formatId(found.id)} is changed.`);
      }),
    );

  account
    .command('key <account>')
    .description('make an API key and print it once')
    .option('--label <text>', 'what it is for', '')
    .option('--scope <scope>', 'full, write (all but keys, people and settings) or read', 'full')
    .action((named: string, options: { label: string; scope: string }) =>
      withApp(async ({ db }) => {
        if (!Object.hasOwn(keyScopes, options.scope))
          throw new Error(`--scope is one of ${Object.keys(keyScopes).join(', ')}`);
        const found = await needAccount(db, named);
        const key = await db.transaction(async (tx) => {
          const made = await createKey(tx, found.id, { label: options.label, scope: options.scope as KeyScope });
          await noteOperator(tx, [found.id], 'accountKey', {
            subject: options.label,
            detail: { scope: options.scope },
          });
          return made.key;
        });
        console.log(key);
      }),
    );

  const user = program.command('user').description('people who sign in: lost passwords, second factors and lock-outs');

  user
    .command('password <email>')
    .description('set a new random password and print it once; ends all sessions of the user')
    .action((email: string) =>
      withApp(async ({ db }) => {
        const found = await needUser(db, email);
        const password = randomHex(8);
        await db.transaction(async (tx) => {
          await setPassword(tx, found.id, password);
          await noteForAccounts(tx, found.id, 'userPassword', email);
        });
        console.log(password);
      }),
    );

  user
    .command('reset-second-factor <email>')
    .description('remove the second factor of a user who has lost the device and recovery codes; ends all sessions')
    .action((email: string) =>
      withApp(async ({ db }) => {
        const found = await needUser(db, email);
        const had = await db.transaction(async (tx) => {
          const removed = await removeSecondFactor(tx, found.id);
          await endOtherSessions(tx, found.id, -1);
          await noteForAccounts(tx, found.id, 'userResetSecondFactor', email);
          return removed;
        });
        console.log(
          had
            ? `${email} signs in with the password alone now, and can set up a second factor again.`
            : `${email} has no second factor; all sessions were ended.`,
        );
      }),
    );

  user
    .command('unlock <email>')
    .description('let a user sign in again right away after too many wrong passwords or codes')
    .action((email: string) =>
      withApp(async ({ db }) => {
        const found = await needUser(db, email);
        const count = await db.transaction(async (tx) => {
          await noteForAccounts(tx, found.id, 'userUnlock', email);
          return forgetTriesOf(tx, { userId: found.id, email });
        });
        console.log(
          count > 0
            ? `${email} may try again at once.`
            : `No wrong tries of ${email} were counted; nothing was locked.`,
        );
      }),
    );
}

/** @throws Error when there is none */
async function needUser(db: Queries, email: string): Promise<{ id: number }> {
  const found = await findUser(db, email);
  if (!found) throw new Error(`There is no user "${email}"`);
  return found;
}

/** Records in the audit log of each account of the user what the operator did. */
async function noteForAccounts(tx: Queries, userId: number, method: string, email: string): Promise<void> {
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

function yes(option: string, text: string): boolean {
  if (text !== 'yes' && text !== 'no') throw new Error(`${option} is yes or no`);
  return text === 'yes';
}
