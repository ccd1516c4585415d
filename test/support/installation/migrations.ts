// What tests of migrations need: an upload, a migration in this process, and what it has written.
import assert from 'node:assert/strict';
import { appendUpload, createUpload } from '../../../src/audience/import/file/upload.ts';
import { sql } from '../../../src/db/connect.ts';
import { formatId, parseId } from '../../../src/db/ids.ts';
import type { Source } from '../../../src/migration/files/item.ts';
import { runMigration } from '../../../src/migration/run.ts';
import type { TestApp } from './app.ts';

export type MigrationStatus = {
  state: string;
  reason: string;
  lists: {
    name: string;
    list: string;
    states: Record<string, number>;
    predicted: Record<string, number>;
    result: Record<string, number>;
  }[];
  others: Record<string, number>;
  problems: { list: string; reason: string; count: number; value: string }[];
};
export type Account = Awaited<ReturnType<TestApp['anotherAccount']>>;

export type MigrationTools = ReturnType<typeof migrationTools>;

export function migrationTools(t: TestApp) {
  async function uploaded(account: Account, name: string, bytes: Buffer): Promise<string> {
    const id = await createUpload(t.app.db, account.account.id, name);
    const all = async function* () {
      yield bytes;
    };
    await appendUpload(t.app.db, account.account.id, id, 0, all());
    return formatId(id);
  }

  const run = (account: Account, id: string, signal = new AbortController().signal) =>
    runMigration({ app: t.app, log: t.app.log, signal }, account.account.id, parseId(id));

  async function prepared(account: Account, source: Source, files: [string, Buffer][]): Promise<string> {
    const uploads = [];
    for (const [name, bytes] of files) uploads.push(await uploaded(account, name, bytes));
    return account.call<string>('migrationCreate', { source, uploads });
  }

  const statusOf = (account: Account, migration: string) =>
    account.call<MigrationStatus>('migrationGet', { migration });

  /** Runs a migration to its end; a failure is named with the state and the reason of the migration. */
  async function finish(account: Account, migration: string): Promise<void> {
    const end = await run(account, migration);
    if (end === 'finished') return;
    const { state, reason } = await statusOf(account, migration);
    assert.fail(`the run has ${end}; the migration is ${state}: ${reason || 'without a reason'}`);
  }

  /** Everything that a migration may write, as one text. */
  async function stored({ account: { id } }: Account): Promise<string> {
    const row = await t.app.db.row<{ text: string }>(sql`
      select (
          select string_agg(concat_ws('|', l.name, c.email, c.tags, s.status, s.fields, s.optin_ip, s.optin_at), e'\n'
            order by l.name, c.email)
          from subscription s
          join contact c on c.account_id = s.account_id and c.id = s.contact_id
          join list l on l.account_id = s.account_id and l.id = s.list_id
          where s.account_id = ${id}
        ) || (
          select coalesce(string_agg(concat_ws('|', value, reason), e'\n' order by value), '')
          from suppression
          where account_id = ${id}
        ) || (
          select coalesce(string_agg(concat_ws('|', name, source), e'\n' order by name), '')
          from template
          where account_id = ${id}
        ) as text`);
    return row!.text ?? '';
  }

  const subscribedOf = async ({ account: { id } }: Account) =>
    (
      await t.app.db.rows<{ email: string }>(sql`
        select distinct c.email
        from subscription s
        join contact c on c.account_id = s.account_id and c.id = s.contact_id
        where s.account_id = ${id}
          and s.status = 'subscribed'`)
    ).map(({ email }) => email);

  async function fieldsOf({ account: { id } }: Account, email: string) {
    const row = await t.app.db.row<{ fields: Record<string, string> }>(sql`
      select s.fields
      from subscription s
      join contact c on c.account_id = s.account_id and c.id = s.contact_id
      join list l on l.account_id = s.account_id and l.id = s.list_id
      where s.account_id = ${id}
        and c.email = ${email}
      order by l.created_at
      limit 1`);
    return { first: row!.fields['FNAME'], city: row!.fields['CITY'] };
  }
  return { run, finish, prepared, statusOf, stored, subscribedOf, fieldsOf };
}
