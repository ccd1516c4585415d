// Why an account cannot be moved, in plain words: asked before anything is changed in either installation.
import { isOperatorAccount } from '../accounts/account/account.ts';
import { sealsAlike } from '../accounts/installation/seal-check.ts';
import { readTokenSecrets } from '../accounts/installation/token-secrets.ts';
import { type Database, databaseProblem, type Queries, raw, sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { placeOf } from '../jobs/sending-guard.ts';
import type { Accounts, Installations } from './installations.ts';
import { replicatedTables } from './plan.ts';

/** What keeps the account from being moved; empty if nothing does. */
export async function whatPreventsMove(both: Installations, accounts: Accounts): Promise<string[]> {
  const { source, target } = both;
  try {
    await target.row(sql`select`);
  } catch (error) {
    return [`The database in --to cannot be used: ${databaseProblem(error) ?? (error as Error).message}`];
  }
  if ((await placeOf(source)) === (await placeOf(target))) return ['Both URLs lead to the same database.'];
  const [here, there] = [await migrationsOf(source), await migrationsOf(target)];
  if (there.length === 0) return ['The database in --to is not one of Postrider. Run "postrider migrate" there first.'];
  if (here.join() !== there.join())
    return [
      `The two installations have different versions: the last migration here is ${here.at(-1)}, there ${there.at(-1)}. Upgrade the older one first.`,
    ];
  return [
    ...(await problemsOfServers(both)),
    ...(await problemsOfSecrets(both)),
    ...(await problemsOfAccount(both, accounts)),
    ...((await isOperatorAccount(source, accounts))
      ? [`Account ${formatId(accounts.id)} is that of the operator of this installation, which stays.`]
      : []),
    ...(await problemOfUrl(both)),
    ...(await problemOfSealKey(both)),
  ];
}

async function migrationsOf(db: Database): Promise<string[]> {
  const found = await db.row<{ is: boolean }>(sql`select to_regclass('migration') is not null as is`);
  if (!found!.is) return [];
  const rows = await db.rows<{ name: string }>(sql`select name from migration order by name`);
  return rows.map(({ name }) => name);
}

async function problemsOfServers({ source, target, sourceUrl }: Installations): Promise<string[]> {
  const problems: string[] = [];
  const from = (await source.row<{ level: string; slots: number; replicates: boolean }>(sql`
    select current_setting('wal_level') as level,
      current_setting('max_replication_slots')::int - (select count(*)::int from pg_replication_slots) as slots,
      rolsuper or rolreplication as replicates
    from pg_roles
    where rolname = current_user`))!;
  if (from.level !== 'logical')
    problems.push(
      `The server of this installation has wal_level = ${from.level}. Set wal_level = logical and restart PostgreSQL.`,
    );
  if (from.slots < 1)
    problems.push('The server of this installation has no free replication slot (max_replication_slots).');
  if (!from.replicates)
    problems.push(
      'The database user of this installation may not replicate. Run "alter role … replication" as a superuser.',
    );
  const to = (await target.row<{ subscribes: boolean; workers: number }>(sql`
    select rolsuper or coalesce(pg_has_role(oid, (select r.oid from pg_roles r where r.rolname = 'pg_create_subscription'), 'member'), false)
        as subscribes,
      least(current_setting('max_logical_replication_workers')::int, current_setting('max_worker_processes')::int) as workers
    from pg_roles
    where rolname = current_user`))!;
  if (!to.subscribes)
    problems.push(
      'The database user in --to may not create subscriptions. Use a superuser there, or since PostgreSQL 16 a member of pg_create_subscription.',
    );
  if (to.workers < 2)
    problems.push('The server in --to runs no workers for subscriptions (max_logical_replication_workers).');
  if (!/^postgres(ql)?:\/\/[^/?]*[^/?@:]/.test(sourceUrl))
    problems.push(
      'The new server cannot reach this database by its URL, which names a socket. Give one with --from, as the new server reaches it.',
    );
  return problems;
}

/** Links in sent messages, private keys and second factors are signed or sealed with the secret of the installation. */
async function problemsOfSecrets({ app, target }: Installations): Promise<string[]> {
  const there = await target.row<{ value: string }>(sql`select value from installation where key = 'secret'`);
  if (there?.value !== app.secret.toString('hex'))
    return [
      'The two installations have different secrets, so links in sent messages and sealed keys would not work there. All cells share the ' +
        'secrets of the first one: "postrider cell prepare --to DATABASE_URL" copies them to an installation without accounts.',
    ];
  const known = await readTokenSecrets(target, there.value);
  if (app.tokenSecrets().some((secret) => !known.includes(secret)))
    return [
      'The installation in --to lacks a secret of links that "rotate-secret" made here. Run "postrider cell prepare" again.',
    ];
  return [];
}

async function problemOfSealKey({ app, target }: Installations): Promise<string[]> {
  return (await sealsAlike(target, app)) ? [] : ['The two installations have different values of SEAL_KEY.'];
}

async function problemsOfAccount({ source, target }: Installations, { id, all }: Accounts): Promise<string[]> {
  const account = (await source.row<{ isTest: boolean; deleteAt: boolean }>(sql`
    select test_of is not null as "isTest", delete_at is not null as "deleteAt"
    from account
    where id = ${id}`))!;
  const problems: string[] = [];
  if (account.isTest) problems.push('This is a test account; it moves with the account that it belongs to.');
  if (account.deleteAt) problems.push('The account is about to be erased.');
  const leaving = await target.row<{ step: string }>(sql`
    select step
    from account_move
    where account = any (${[...all]}::int[])
      and step <> 'done'`);
  if (leaving)
    problems.push(
      `In the installation in --to, a move of the account has not ended (${leaving.step}). Run its command there again.`,
    );
  const tables = await replicatedTables(source);
  const unfollowed = tables.filter(({ isFollowed }) => !isFollowed).map(({ name }) => name);
  if (unfollowed.length > 0) problems.push(`Changes of these tables cannot be replicated: ${unfollowed.join(', ')}.`);
  for (const name of ['account', ...tables.map((table) => table.name)]) {
    const column = name === 'account' ? 'id' : 'account_id';
    const found = await target.row(
      sql`select from ${raw(`"${name}"`)} where ${raw(column)} = any (${[...all]}::int[]) limit 1`,
    );
    if (!found) continue;
    problems.push(
      `The installation in --to has data of an account with the same id (table ${name}). Installations share no ids unless one is a copy of the other.`,
    );
    break;
  }
  const slugs = await source.rows<{ slug: string }>(
    sql`select slug from archive where account_id = any (${[...all]}::int[]) and slug is not null`,
  );
  const taken = await target.rows<{ slug: string }>(
    sql`select slug from archive where slug = any (${slugs.map(({ slug }) => slug)}::text[])`,
  );
  for (const { slug } of taken) problems.push(`The address "${slug}" of its public archive is in use there.`);
  const people = await source.rows<{ key: string }>(sql`
    select u.email_key as key
    from membership m
    join app_user u on u.id = m.user_id
    where m.account_id = any (${[...all]}::int[])`);
  const unproven = await target.rows<{ email: string }>(sql`
    select email
    from app_user
    where email_key = any (${people.map(({ key }) => key)}::text[])
      and not address_proven`);
  for (const { email } of unproven)
    problems.push(
      `${email} is a user there whose address is not confirmed. Run "postrider user password ${email}" there first, so that no one else gets into the account.`,
    );
  return problems;
}

async function problemOfUrl({ app, target }: Installations): Promise<string[]> {
  const address = await addressOf(target);
  if (address === undefined)
    return ['The installation in --to has not run yet, so its public URL is not known. Start it once, with BASE_URL.'];
  return address === app.baseUrl
    ? [`Both installations have the public URL ${address}. Set BASE_URL of the new one.`]
    : [];
}

/** The public URL of an installation, as its processes use it; undefined if it has never run. */
export async function addressOf(db: Queries): Promise<string | undefined> {
  const rows = await db.rows<{ key: string; value: unknown }>(
    sql`select key, value from installation where key in ('base_url', 'served_url')`,
  );
  const stored = (name: string) => rows.find(({ key }) => key === name)?.value;
  const served = stored('served_url') as { url: string; source: string } | undefined;
  const chosen = stored('base_url') as string | undefined;
  return served?.source === 'operator' ? served.url : served && (chosen ?? served.url);
}
