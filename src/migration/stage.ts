// Writes what an export contains into files that the import reads: one of contacts for each list, one of suppressed addresses, one of
// templates. Reads the export twice: what a contact may be follows from all of its rows, wherever they are. After a crash it
// starts again, and nothing remains of the attempt before.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { csvLine } from '../audience/export/rows.ts';
import { appendUpload, createUpload } from '../audience/import/file/upload.ts';
import { isTag, maxTagLength, maxTags, tagKey } from '../audience/model/contact-tag.ts';
import { isFuture, isIp, languageOf, timeOf } from '../audience/model/special-vars.ts';
import type { App } from '../base/context.ts';
import { message, packMessage } from '../base/messages.ts';
import { type Database, sql } from '../db/connect.ts';
import type { Item, SourceContact } from './files/item.ts';
import { readUploads } from './read.ts';
import type { Migration } from './record.ts';
import { type Remark, Survey, type SurveyedList } from './survey.ts';

/** Things read between two looks whether the migration was stopped. */
const stepItems = 5_000;
const flushLength = 1024 * 1024;

/** The columns before those of the fields, which are targets of an import. */
export const plainColumns = ['EMAIL', 'STATUS', 'OPTINTIME', 'OPTINIP', 'LANGUAGE', 'EMAIL_TYPE', 'TAGS'] as const;

export type StageEnd = 'staged' | 'stopped' | 'interrupted';

export async function stage(app: Pick<App, 'db'>, migration: Migration, signal: AbortSignal): Promise<StageEnd> {
  const { db } = app;
  await discard(db, migration);
  const items = () => readUploads(db, migration.accountId, migration.source, migration.uploads);
  const remarks: Remark[] = [];
  const survey = new Survey((remark) => remarks.push(remark));
  const first = await eachItem(
    items(),
    async (item) => survey.add(item),
    async (position) => {
      await saveRemarks(db, migration, remarks.splice(0));
      return goesOn(db, migration, position);
    },
    signal,
  );
  if (first !== 'staged') return first;
  await saveRemarks(db, migration, remarks.splice(0));
  const files = await createFiles(db, migration, survey);
  const second = await eachItem(
    items(),
    (item) => files.add(item),
    () => goesOn(db, migration, survey.count),
    signal,
  );
  if (second !== 'staged') return second;
  await files.end(survey);
  return 'staged';
}

async function eachItem(
  items: AsyncIterable<Item>,
  take: (item: Item) => Promise<void> | void,
  step: (position: number) => Promise<boolean>,
  signal: AbortSignal,
): Promise<StageEnd> {
  let position = 0;
  for await (const item of items) {
    await take(item);
    if (++position % stepItems !== 0) continue;
    if (signal.aborted) return 'interrupted';
    if (!(await step(position))) return 'stopped';
    await nextTurn();
  }
  return (await step(position)) ? 'staged' : 'stopped';
}

/** Records the progress; false when the migration was stopped. */
async function goesOn(db: Database, { accountId, id }: Migration, position: number): Promise<boolean> {
  const held = await db.run(sql`
    update source_migration
    set position = ${position}
    where account_id = ${accountId}
      and id = ${id}
      and state = 'reading'`);
  return held > 0;
}

/** Removes what an attempt before has written. */
async function discard(db: Database, { accountId, id }: Migration): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(sql`
      delete from upload
      where account_id = ${accountId}
        and id in (
          select upload_id from source_migration_list where account_id = ${accountId} and migration_id = ${id}
          union all
          select unnest(array[suppression_upload, template_upload])
          from source_migration
          where account_id = ${accountId} and id = ${id}
        )`);
    await tx.run(sql`delete from source_migration_list where account_id = ${accountId} and migration_id = ${id}`);
    await tx.run(sql`delete from source_migration_problem where account_id = ${accountId} and migration_id = ${id}`);
    await tx.run(sql`
      update source_migration
      set suppression_upload = null, template_upload = null, position = 0, counts = '{}'
      where account_id = ${accountId}
        and id = ${id}`);
  });
}

export async function saveProblems(
  db: Pick<Database, 'run'>,
  { accountId, id }: Pick<Migration, 'accountId' | 'id'>,
  problems: readonly { list: string; value: string; reason: string }[],
): Promise<void> {
  if (problems.length === 0) return;
  await db.run(sql`
    insert into source_migration_problem (account_id, migration_id, list, value, reason)
    select ${accountId}, ${id}, list, value, reason
    from unnest(${problems.map(({ list }) => list)}::text[],
      ${problems.map(({ value }) => value.replaceAll('\0', '').slice(0, 200).toWellFormed())}::text[],
      ${problems.map(({ reason }) => reason)}::text[]) as given(list, value, reason)`);
}

const saveRemarks = (db: Database, migration: Migration, remarks: readonly Remark[]) =>
  saveProblems(
    db,
    migration,
    remarks.map(({ list, value, reason }) => ({
      list,
      value,
      reason: packMessage(message(`migration.${reason}`)),
    })),
  );

/** A file that grows, written in portions. */
class GrowingFile {
  readonly #db: Database;
  readonly #accountId: number;
  readonly #uploadId: number;
  #waiting = '';
  #size = 0;

  constructor(db: Database, accountId: number, uploadId: number) {
    this.#db = db;
    this.#accountId = accountId;
    this.#uploadId = uploadId;
  }

  async add(text: string): Promise<void> {
    this.#waiting += text;
    if (this.#waiting.length >= flushLength) await this.flush();
  }

  async flush(): Promise<void> {
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = '';
    const one = async function* () {
      yield bytes;
    };
    if (bytes.length > 0) this.#size = await appendUpload(this.#db, this.#accountId, this.#uploadId, this.#size, one());
  }
}

class StagedFiles {
  readonly #db: Database;
  readonly #migration: Migration;
  readonly #survey: Survey;
  readonly #lists: ReadonlyMap<string, { list: SurveyedList; file: GrowingFile }>;
  readonly #templates: GrowingFile;
  readonly #suppressions: GrowingFile;
  readonly #now = new Date();

  constructor(
    db: Database,
    migration: Migration,
    survey: Survey,
    lists: ReadonlyMap<string, { list: SurveyedList; file: GrowingFile }>,
    others: { templates: GrowingFile; suppressions: GrowingFile },
  ) {
    this.#db = db;
    this.#migration = migration;
    this.#survey = survey;
    this.#lists = lists;
    this.#templates = others.templates;
    this.#suppressions = others.suppressions;
  }

  async add(item: Item): Promise<void> {
    if (item.kind === 'template') {
      const { key, name, html } = item;
      await this.#templates.add(`${JSON.stringify({ key, name, html })}\n`);
    } else if (item.kind === 'contact') {
      const { list, file } = this.#lists.get(item.list)!;
      await file.add(lineOf(item, list, this.#survey.stateOf(item), this.#now));
    }
  }

  async end({ suppressed, templates }: Survey): Promise<void> {
    for (const [value, reason] of suppressed) await this.#suppressions.add(`${JSON.stringify([value, reason])}\n`);
    for (const { file } of this.#lists.values()) await file.flush();
    await this.#templates.flush();
    await this.#suppressions.flush();
    const { accountId, id } = this.#migration;
    await this.#db.run(sql`
      update source_migration
      set counts = ${JSON.stringify({ suppressions: suppressed.size, templates })}
      where account_id = ${accountId}
        and id = ${id}`);
  }
}

/** Creates the files and names them in the record, so that a later attempt finds and removes them. */
async function createFiles(db: Database, migration: Migration, survey: Survey): Promise<StagedFiles> {
  const { accountId, id } = migration;
  const lists = new Map<string, { list: SurveyedList; file: GrowingFile }>();
  const others = await db.transaction(async (tx) => {
    const create = async (name: string) => {
      const uploadId = await createUpload(tx, accountId, name);
      return { uploadId, file: new GrowingFile(db, accountId, uploadId) };
    };
    let position = 0;
    for (const list of survey.lists.values()) {
      const { uploadId, file } = await create(`${list.name}.csv`);
      lists.set(list.key, { list, file });
      await tx.run(sql`
        insert into source_migration_list (account_id, migration_id, position, key, name, fields, upload_id, states)
        values (${accountId}, ${id}, ${position++}, ${list.key}, ${list.name}, ${JSON.stringify(list.fields)}, ${uploadId},
          ${JSON.stringify(list.states)})`);
    }
    const suppressions = await create('suppressions');
    const templates = await create('templates');
    await tx.run(sql`
      update source_migration
      set suppression_upload = ${suppressions.uploadId}, template_upload = ${templates.uploadId}
      where account_id = ${accountId}
        and id = ${id}`);
    return { suppressions: suppressions.file, templates: templates.file };
  });
  for (const { list, file } of lists.values())
    await file.add(csvLine([...plainColumns, ...list.fields.map(({ tag }) => tag)]));
  return new StagedFiles(db, migration, survey, lists, others);
}

/** A contact as a row of the file. What cannot be read, and is not needed, is left out. */
function lineOf(contact: SourceContact, { fields }: SurveyedList, state: string, now: Date): string {
  // PostgreSQL writes a zone of whole hours with two digits.
  const at = timeOf((contact.optinAt?.trim() ?? '').replace(/(:\d\d(?:\.\d+)?[+-]\d\d)$/, '$1:00'));
  const ip = contact.optinIp?.trim() ?? '';
  const tags = new Set<string>();
  for (const given of contact.tags ?? []) {
    const tag = tagKey(given.replace(/[;,\p{Cc}]/gu, ' ').slice(0, maxTagLength));
    if (isTag(tag) && tags.size < maxTags) tags.add(tag);
  }
  return csvLine([
    contact.email,
    state,
    at !== undefined && !isFuture(at, now) ? at : '',
    isIp(ip) ? ip : '',
    languageOf(contact.language?.trim() ?? '') ?? '',
    contact.format === 'text' ? 'text' : '',
    [...tags].join(', '),
    ...fields.map(({ key }) => contact.values[key] ?? ''),
  ]);
}
