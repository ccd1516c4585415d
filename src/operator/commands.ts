// The command line for accounts and their keys: what the operator of an installation decides. Changes go through the methods of the
// operator; only creating one does not, since it also makes the first account of an installation.
import type { Command } from 'commander';
import {
  addons,
  createAccount,
  findAccounts,
  listAccounts,
  needAccount,
  operatorAccount,
} from '../accounts/account/account.ts';
import { noteOperator } from '../accounts/audit/audit.ts';
import { createKey, type KeyScope, keyScopeNames } from '../accounts/keys/key.ts';
import { addMember, createUser, findUser, isEmailAddress } from '../accounts/people/user.ts';
import type { App } from '../base/context.ts';
import { randomHex } from '../base/random.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { changeTerms, type Terms } from './accounts.ts';

type WithApp = (work: (app: App) => Promise<void>) => Promise<void>;
/** Calls a method for an account, as the program itself. */
export type CallAs = (app: App, method: string, params: Record<string, unknown>, accountId: number) => Promise<unknown>;

export function addAccountCommands(program: Command, withApp: WithApp, call: CallAs): void {
  const account = program.command('account').description('list, create, change and delete accounts; create API keys');
  account
    .command('list')
    .description('list the accounts')
    .action(() => withApp(printAccounts));
  withTerms(
    account
      .command('create')
      .description('create an account with an owner and an API key; the password and the key are printed once')
      .requiredOption('--email <address>', 'email address of the account, with which its owner signs in')
      .option('--name <name>', 'name of the account', 'My organisation')
      .option('--another', 'create the account even if another one has this address'),
  ).action((options: CreateOptions) => withApp((app) => createAccountWithOwner(app, options)));
  withTerms(
    account
      .command('set <account>')
      .description('change what an account may do; <account> is its id or email address')
      .option('--active <yes|no>', 'whether the account can be used; its campaigns wait while it cannot')
      .option('--may-send <yes|no>', 'whether the account may send'),
  ).action((idOrEmail: string, options: TermOptions) =>
    withApp(async (app) => {
      const { id } = await needAccount(app.db, idOrEmail);
      await asOperator(app, call, 'accountLimitsUpdate', { account: formatId(id), ...termsOf(options) });
      console.log(`Account ${formatId(id)} was changed.`);
    }),
  );
  account
    .command('delete <account>')
    .description('suspend an account, and erase it with everything in it after some days')
    .option('--days <days>', 'days until it is erased', '30')
    .action((idOrEmail: string, { days }: { days: string }) =>
      withApp(async (app) => {
        const { id } = await needAccount(app.db, idOrEmail);
        const at = await asOperator(app, call, 'accountDelete', { account: formatId(id), days });
        console.log(`Account ${formatId(id)} is suspended and will be erased at ${at} GMT.`);
      }),
    );
  account
    .command('restore <account>')
    .description('take the deletion of an account back')
    .action((idOrEmail: string) =>
      withApp(async (app) => {
        const { id } = await needAccount(app.db, idOrEmail);
        await asOperator(app, call, 'accountRestore', { account: formatId(id) });
        console.log(`Account ${formatId(id)} can be used again.`);
      }),
    );
  account
    .command('key <account>')
    .description('create an API key and print it once')
    .option('--label <text>', 'what the key is for', '')
    .option('--scope <scope>', 'full, write (everything except keys, people and settings) or read', 'full')
    .action((idOrEmail: string, options: KeyOptions) => withApp((app) => addKey(app, idOrEmail, options)));
}

/** What create and set have in common. */
const withTerms = (command: Command): Command =>
  command
    .option('--plan <plan>', 'free or pro')
    .option('--addons <list>', `add-ons separated by commas (${addons.join(', ')}), or "none"`)
    .option('--monthly-quota <emails>', 'the most emails a month; 0 for no limit')
    .option('--rate <emails>', 'the most emails a second; 0 for no limit')
    .option('--relays <ids>', 'the relays limited to it, separated by commas, or "none"');

type TermOptions = {
  plan?: string;
  addons?: string;
  active?: string;
  maySend?: string;
  monthlyQuota?: string;
  rate?: string;
  relays?: string;
};

/** @throws Error for an invalid value of an option */
function termsOf(options: TermOptions): Terms {
  const { plan, addons: named, active, maySend, monthlyQuota, rate, relays } = options;
  if (plan !== undefined && plan !== 'free' && plan !== 'pro') throw new Error('--plan must be free or pro.');
  return {
    ...(plan && { plan }),
    ...(named !== undefined && { addons: addonList(named) }),
    ...(active !== undefined && { active: isYes('--active', active) }),
    ...(maySend !== undefined && { may_send: isYes('--may-send', maySend) }),
    ...(monthlyQuota !== undefined && { monthly_quota: numberOf('--monthly-quota', monthlyQuota, /^\d{1,9}$/) }),
    ...(rate !== undefined && { rate: numberOf('--rate', rate, /^\d{1,6}(\.\d{1,3})?$/) }),
    ...(relays !== undefined && { relays: listOf(relays) }),
  };
}

async function asOperator(app: App, call: CallAs, method: string, params: Record<string, unknown>): Promise<unknown> {
  const operator = await app.db.row<{ id: number }>(operatorAccount);
  return call(app, method, params, operator!.id);
}

async function printAccounts({ db }: App): Promise<void> {
  const more = await db.rows<{ id: number; quota: number | null; deleteAt: string | null }>(sql`
    select id, monthly_quota as quota, to_char(nullif(delete_at, '-infinity') at time zone 'UTC', 'YYYY-MM-DD') as "deleteAt"
    from account`);
  for (const account of await listAccounts(db)) {
    const { quota, deleteAt } = more.find(({ id }) => id === account.id)!;
    const state = [
      account.plan,
      ...account.addons,
      ...(quota === null ? [] : [`${quota} emails a month`]),
      ...(account.active ? [] : ['switched off']),
      ...(deleteAt === null ? [] : [`erased on ${deleteAt}`]),
      ...(account.maySend ? [] : ['may not send']),
      ...(account.isTest ? ['test account'] : []),
    ];
    console.log(`${formatId(account.id)}  ${account.email}  ${account.name}  (${state.join(', ')})`);
  }
}

type CreateOptions = TermOptions & { email: string; name: string; another?: boolean };

async function createAccountWithOwner({ db }: App, options: CreateOptions): Promise<void> {
  if (!isEmailAddress(options.email)) throw new Error(`--email "${options.email}" is not an email address.`);
  const terms = termsOf(options);
  const [same] = await findAccounts(db, options.email);
  if (same && !options.another)
    throw new Error(
      `Account ${formatId(same.id)} (${same.name}) already has the address "${options.email}". Nothing was created. To create another account with this address, add --another.`,
    );
  const password = randomHex(8);
  const created = await db.transaction(async (tx) => {
    const { id } = await createAccount(tx, options);
    await changeTerms(tx, id, terms);
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

const listOf = (text: string): string[] => (text === 'none' ? [] : text.split(',').map((name) => name.trim()));

function addonList(text: string): string[] {
  const list = listOf(text);
  const unknown = list.find((name) => !(addons as readonly string[]).includes(name));
  if (unknown !== undefined) throw new Error(`There is no add-on "${unknown}". The add-ons are ${addons.join(', ')}.`);
  return list;
}

function numberOf(option: string, text: string, form: RegExp): number {
  if (!form.test(text)) throw new Error(`${option} must be a number.`);
  return Number(text);
}

type KeyOptions = { label: string; scope: string };

async function addKey({ db }: App, idOrEmail: string, { label, scope }: KeyOptions): Promise<void> {
  const choices = keyScopeNames.filter((name) => name !== 'limited');
  if (!choices.some((name) => name === scope)) throw new Error(`--scope must be one of ${choices.join(', ')}.`);
  const account = await needAccount(db, idOrEmail);
  const key = await db.transaction(async (tx) => {
    const created = await createKey(tx, account.id, { label, scope: scope as KeyScope });
    await noteOperator(tx, [account.id], 'accountKey', { subject: label, detail: { scope } });
    return created.key;
  });
  console.log(key);
}

function isYes(option: string, text: string): boolean {
  if (text !== 'yes' && text !== 'no') throw new Error(`${option} must be yes or no.`);
  return text === 'yes';
}
