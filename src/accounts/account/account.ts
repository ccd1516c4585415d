// Accounts: reading one, creating one, setting its plan, add-ons and switches. An account owns everything else.
import type { Account } from '../../base/context.ts';
import { type Queries, type Sql, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { enqueue } from '../../jobs/queue.ts';

/** The add-ons an account can have. */
export const addons = ['inline_img'] as const;

/** The columns of an account, for use after `select`, spelled as the type has them. */
export const accountColumns: Sql = sql`
  account.id, account.name, account.email, account.company, account.postal_address as "postalAddress",
  account.phone, account.website, account.language, account.time_zone as "timeZone", account.plan, account.addons,
  account.active, account.may_send as "maySend", account.test_of is not null as "isTest", account.settings, account.created_at as "createdAt"`;

export async function accountById(db: Queries, id: number): Promise<Account | undefined> {
  return db.row<Account>(sql`select ${accountColumns} from account where id = ${id}`);
}

/** The accounts of a public id or a main email address: several may have the same address. */
export async function findAccounts(db: Queries, named: string): Promise<Account[]> {
  return db.rows<Account>(sql`
    select ${accountColumns}
    from account
    where id = ${parseId(named)}
      or lower(email) = lower(${named})
    order by created_at, id`);
}

/**
 * The one account of a public id or a main email address, which a test account shares with the account that it is of.
 * @throws Error when there is none; for several, one that lists their ids
 */
export async function needAccount(db: Queries, named: string): Promise<Account> {
  const [found, ...others] = withoutTests(await findAccounts(db, named));
  if (!found) throw new Error(`There is no account "${named}".`);
  if (others.length > 0) {
    const ids = [found, ...others].map((account) => `${formatId(account.id)} (${account.name})`).join(', ');
    throw new Error(`Several accounts have the address "${named}"; name one by its id: ${ids}.`);
  }
  return found;
}

/** Of several accounts, those that are no test account. */
export function withoutTests(accounts: Account[]): Account[] {
  return accounts.length > 1 ? accounts.filter(({ isTest }) => !isTest) : accounts;
}

export async function listAccounts(db: Queries): Promise<Account[]> {
  return db.rows<Account>(sql`select ${accountColumns} from account order by created_at, id`);
}

/** SQL: the id of the account of the installation's operator. */
export const operatorAccount = sql`select id from account order by created_at, id limit 1`;

/** SQL: whether the user of a session with a left-joined membership may use its account: as a member, or as the operator who acts in it. */
export const mayUseAccount = sql`(
  membership.role is not null
  or session.acting_until is not null and exists (
    select
    from membership own
    where own.user_id = session.user_id
      and own.role = 'owner'
      and own.account_id = (${operatorAccount})
  )
)`;

/** Whether this is the account of the installation's operator: the oldest one, which the first start made. */
export async function isOperatorAccount(db: Queries, account: { id: number }): Promise<boolean> {
  const oldest = await db.row<{ id: number }>(operatorAccount);
  return oldest?.id === account.id;
}

/** Creates an account; its main address is the default sender of its campaigns. A task adds templates to begin with. */
export async function createAccount(
  db: Queries,
  given: { name: string; email: string; language?: string; timeZone?: string },
): Promise<Account> {
  const row = await db.row<Account>(sql`
    insert into account (name, email, plan, language, time_zone)
    values (${given.name}, ${given.email}, 'pro', ${given.language ?? 'en'}, ${given.timeZone ?? 'UTC'})
    returning ${accountColumns}`);
  await enqueue(db, 'addStarterTemplates', { account_id: row!.id });
  return row!;
}

/** Changes what the operator of the installation decides about an account and its test account. */
export async function setAccount(
  db: Queries,
  id: number,
  change: { plan?: 'free' | 'pro'; addons?: string[]; active?: boolean; maySend?: boolean },
): Promise<void> {
  await db.run(sql`
    update account
    set plan = coalesce(${change.plan ?? null}, plan),
      addons = coalesce(${change.addons ?? null}::text[], addons),
      active = coalesce(${change.active ?? null}::boolean, active),
      may_send = coalesce(${change.maySend ?? null}::boolean, may_send)
    where id = ${id}
      or test_of = ${id}`);
}
