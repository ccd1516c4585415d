// Suppressed addresses and templates of a migration: how many are new, and adding them. Adding twice adds nothing.

import { onBehalf } from '../accounts/account/system-context.ts';
import { needUpload, readUpload } from '../audience/import/file/upload.ts';
import { emitSuppressed, needSuppressible, type Suppressed } from '../audience/model/suppression.ts';
import type { App, Context } from '../base/context.ts';
import { Fault } from '../base/faults.ts';
import { packMessage } from '../base/messages.ts';
import { createTemplate } from '../campaigns/templates/template.ts';
import { type Database, type Sql, sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import type { SuppressedFor } from './files/item.ts';
import { linesOf } from './files/source-file.ts';
import type { Migration } from './record.ts';
import { type StageEnd, saveProblems } from './stage.ts';
import { rememberTarget } from './targets.ts';
import { convertTags } from './template-tags.ts';

const portion = 2_000;

type Entry = { kind: 'address' | 'domain'; value: string; reason: SuppressedFor };
type Template = { key: string; name: string; html: string };

export async function newSuppressions(db: Database, migration: Migration): Promise<number> {
  let count = 0;
  for await (const entries of suppressionsOf(db, migration)) {
    const row = await db.row<{ count: number }>(sql`
      select count(*)::int as count
      from ${given(entries)}
      where not exists (
        select from suppression x
        where x.account_id = ${migration.accountId} and x.kind = given.kind and x.value = given.value
      )`);
    count += row!.count;
  }
  return count;
}

export async function newTemplates(db: Database, migration: Migration): Promise<number> {
  let count = 0;
  for await (const { key } of templatesOf(db, migration)) if (!(await isKnown(db, migration, key))) count++;
  return count;
}

/** Suppresses what is not suppressed yet, in portions that each record how far they came. */
export async function addSuppressions(app: App, migration: Migration, signal: AbortSignal): Promise<StageEnd> {
  let position = 0;
  for await (const entries of suppressionsOf(app.db, migration)) {
    position += entries.length;
    if (position <= migration.position) continue;
    if (signal.aborted) return 'interrupted';
    const held = await onBehalf(app, migration.accountId, '', (context) =>
      addPortion(context, migration, entries, position),
    );
    if (!held) return 'stopped';
  }
  return 'staged';
}

async function addPortion(
  { tx, now }: Context,
  { accountId, id, source, origin }: Migration,
  entries: readonly Entry[],
  position: number,
): Promise<boolean> {
  const added = await tx.rows<Suppressed>(sql`
    insert into suppression (account_id, kind, value, reason, detail)
    select ${accountId}, kind, value, reason, ${source}
    from ${given(entries)}
    order by kind, value
    on conflict (account_id, kind, value) do nothing
    returning kind, value, reason, detail`);
  await emitSuppressed(tx, accountId, now, added, origin);
  const held = await tx.run(sql`
    update source_migration
    set position = ${position},
      counts = counts || jsonb_build_object('suppressions_added',
        coalesce((counts ->> 'suppressions_added')::int, 0) + ${added.length}::int)
    where account_id = ${accountId}
      and id = ${id}
      and state = 'running'`);
  return held > 0;
}

/** Creates the templates that are not here yet, each with the record of it in one transaction. */
export async function addTemplates(app: App, migration: Migration, signal: AbortSignal): Promise<StageEnd> {
  for await (const template of templatesOf(app.db, migration)) {
    if (signal.aborted) return 'interrupted';
    if (await isKnown(app.db, migration, template.key)) continue;
    try {
      await onBehalf(app, migration.accountId, '', (context) => addTemplate(context, migration, template));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const problem = { list: '', value: template.name, reason: packMessage(error.text) };
      await saveProblems(app.db, migration, [problem]);
    }
  }
  return 'staged';
}

async function addTemplate(context: Context, migration: Migration, { key, name, html }: Template): Promise<void> {
  const id = await createTemplate(context, {
    name: name.replace(/\s+/g, ' ').trim().slice(0, 200) || 'Template',
    layout: 'basic',
    source: convertTags(migration.source, html),
  });
  await rememberTarget(context, migration, 'template', key, parseId(id));
  await context.tx.run(sql`
    update source_migration
    set counts = counts || jsonb_build_object('templates_added', coalesce((counts ->> 'templates_added')::int, 0) + 1)
    where account_id = ${migration.accountId}
      and id = ${migration.id}`);
}

async function isKnown(db: Database, { accountId, source }: Migration, key: string): Promise<boolean> {
  const found = await db.run(sql`
    select
    from source_migration_target
    where account_id = ${accountId}
      and source = ${source}
      and kind = 'template'
      and key = ${key}`);
  return found > 0;
}

const given = (entries: readonly Entry[]): Sql => sql`
  unnest(${entries.map(({ kind }) => kind)}::text[], ${entries.map(({ value }) => value)}::text[],
    ${entries.map(({ reason }) => reason)}::text[]) as given(kind, value, reason)`;

/** Portions of the addresses and domains; what is neither is left out. */
async function* suppressionsOf(db: Database, { accountId, suppressionUpload }: Migration): AsyncGenerator<Entry[]> {
  let entries: Entry[] = [];
  for await (const line of stagedLines(db, accountId, suppressionUpload)) {
    const [text, reason] = JSON.parse(line) as [string, SuppressedFor];
    try {
      entries.push({ ...needSuppressible(text, 'value'), reason });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
    if (entries.length < portion) continue;
    yield entries;
    entries = [];
  }
  if (entries.length > 0) yield entries;
}

async function* templatesOf(db: Database, { accountId, templateUpload }: Migration): AsyncGenerator<Template> {
  for await (const line of stagedLines(db, accountId, templateUpload)) yield JSON.parse(line) as Template;
}

async function* stagedLines(db: Database, accountId: number, uploadId: number | null): AsyncGenerator<string> {
  const upload = await needUpload(db, accountId, uploadId ?? 0);
  yield* linesOf({ path: '', upload: '', bytes: () => readUpload(db, upload) });
}
