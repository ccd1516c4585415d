// The templates that every new account starts with, in its language and drawn from its brand. The account gets copies that it can
// change; those that it has not changed follow the brand and the language of the account.
import { createHash } from 'node:crypto';
import type { App } from '../../base/context.ts';
import { type Queries, sql, type Tx } from '../../db/connect.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Payload, TaskContext } from '../../jobs/tasks.ts';
import { brandOf } from '../model/brand.ts';
import type { Brand } from '../model/plain-brand.ts';
import { catalogue, starterKeys, starterLanguages, starterNames } from './catalogue.ts';
import { artUrl, storeArt } from './pictures.ts';
import { starterLanguage, starterSource } from './source.ts';

/** Adds the starter templates whose names the account does not have yet, in its language and the look of its brand. */
export async function addStarterTemplates({ baseUrl }: Pick<App, 'baseUrl'>, tx: Tx, accountId: number): Promise<void> {
  const brand = await brandOf(tx, accountId);
  const language = await languageOf(tx, accountId);
  const of = { brand, language, addressOf: artUrl(baseUrl, accountId) };
  const given = starterKeys.map((key) => ({
    name: starterNames[language][key],
    layout: catalogue[key].layout,
    source: starterSource(key, of),
  }));
  const rows = await tx.rows<{ id: number; source: string }>(sql`
    insert into template (account_id, name, layout, source, created_at)
    select account.id, given.name, given.layout, given.source, clock_timestamp()
    from account,
      jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given(name text, layout text, source text)
    where account.id = ${accountId}
      and not exists (
        select from template t
        where t.account_id = account.id and t.name = given.name
      )
    returning id, source`);
  await storeArt(
    tx,
    accountId,
    rows.map(({ source }) => source),
  );
  for (const { id } of rows) await requestPreview(tx, accountId, id);
}

/**
 * Draws the starter templates that are still as they came with the former brand, in whatever language, with the new one and in the
 * language of the account. The pictures are the same.
 */
export async function redrawStarterTemplates(
  { baseUrl }: Pick<App, 'baseUrl'>,
  db: Queries,
  accountId: number,
  { before, after }: { before: Brand; after: Brand },
): Promise<void> {
  const language = await languageOf(db, accountId);
  const addressOf = artUrl(baseUrl, accountId);
  const sources = starterKeys.map((key) => ({
    key,
    name: starterNames[language][key],
    source: starterSource(key, { brand: after, language, addressOf }),
  }));
  const former = starterKeys.flatMap((key) =>
    starterLanguages.map((language) => ({
      key,
      name: starterNames[language][key],
      hash: hashOf(starterSource(key, { brand: before, language, addressOf })),
    })),
  );
  const rows = await db.rows<{ id: number }>(sql`
    update template t
    set source = given.source, preview = null, changed_at = now(),
      name = case when t.name = former.name then given.name else t.name end
    from jsonb_to_recordset(${JSON.stringify(former)}::jsonb) as former(key text, name text, hash text)
    join jsonb_to_recordset(${JSON.stringify(sources)}::jsonb) as given(key text, name text, source text) using (key)
    where t.account_id = ${accountId}
      and encode(sha256(convert_to(t.source, 'UTF8')), 'hex') = former.hash
      and given.source <> t.source
    returning t.id`);
  for (const { id } of rows) await requestPreview(db, accountId, id);
}

/** To find what is unchanged without sending a page for each language to the database. */
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

async function languageOf(db: Queries, accountId: number) {
  const row = await db.row<{ language: string }>(sql`select language from account where id = ${accountId}`);
  return starterLanguage(row?.language ?? 'en');
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

/** Takes the pictures of the templates again that show the name or the address of the account: a task, as below. */
export async function redrawPreviewsTask(
  { app }: TaskContext,
  { account_id }: Payload<'redrawPreviews'>,
): Promise<void> {
  await app.db.transaction(async (tx) => {
    const shown = await tx.rows<{ id: number }>(sql`
      select id
      from template
      where account_id = ${account_id}
        and source ~* 'LIST:(NAME|COMPANY|ADDRESS)'
      order by id`);
    for (const { id } of shown) await requestPreview(tx, account_id, id);
  });
}

/** A task, because the code that creates accounts must not depend on templates. */
export async function addTemplatesTask(
  { app }: TaskContext,
  { account_id }: Payload<'addStarterTemplates'>,
): Promise<void> {
  await app.db.transaction((tx) => addStarterTemplates(app, tx, account_id));
}

/** A task, because the code that changes accounts must not depend on templates. */
export async function translateTemplatesTask(
  { app }: TaskContext,
  { account_id }: Payload<'translateStarterTemplates'>,
): Promise<void> {
  await app.db.transaction(async (tx) => {
    const brand = await brandOf(tx, account_id);
    await redrawStarterTemplates(app, tx, account_id, { before: brand, after: brand });
  });
}
