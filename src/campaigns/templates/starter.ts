// The templates that every new account starts with, one for each layout. The account gets copies that it can change.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Queries, sql } from '../../db/connect.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Payload, TaskContext } from '../../jobs/tasks.ts';

const read = (file: string) => readFileSync(join(import.meta.dirname, 'starter', `${file}.html`), 'utf8');

export const starterTemplates = [
  { name: 'Letter', layout: 'basic', source: read('basic') },
  { name: 'News with a column on the left', layout: 'left column', source: read('left-column') },
  { name: 'News with a column on the right', layout: 'right column', source: read('right-column') },
  { name: 'Postcard', layout: 'postcard', source: read('postcard') },
] as const;

/** Adds the starter templates whose names the account does not have yet. */
export async function addStarterTemplates(db: Queries, accountId: number): Promise<void> {
  const rows = await db.rows<{ id: number }>(sql`
    insert into template (account_id, name, layout, source, created_at)
    select account.id, given.name, given.layout, given.source, clock_timestamp()
    from account,
      jsonb_to_recordset(${JSON.stringify(starterTemplates)}::jsonb) as given(name text, layout text, source text)
    where account.id = ${accountId}
      and not exists (
        select from template t
        where t.account_id = account.id and t.name = given.name
      )
    returning id`);
  for (const { id } of rows) await requestPreview(db, accountId, id);
}

/** Queues a new preview picture of a template; several changes in a row cause one. */
export async function requestPreview(db: Queries, accountId: number, templateId: number): Promise<void> {
  await enqueue(
    db,
    'drawPreview',
    { account_id: accountId, template_id: templateId },
    { key: `preview ${accountId} ${templateId}` },
  );
}

/** A task, because the code that creates accounts must not depend on templates. */
export async function addTemplatesTask(
  { app }: TaskContext,
  { account_id }: Payload<'addStarterTemplates'>,
): Promise<void> {
  await app.db.transaction((tx) => addStarterTemplates(tx, account_id));
}
