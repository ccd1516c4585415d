// The command `migrate-from`: uploads the export, or what the API returns, and uses the methods. A worker of the installation does
// the work; the command shows it, and can be stopped and run again.
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { CallAs, WithAccount } from '../../audience/import/commands.ts';
import { appendUpload, createUpload, deleteUpload } from '../../audience/import/file/upload.ts';
import { countMeaning } from '../../audience/import/plan.ts';
import type { App } from '../../base/context.ts';
import { formatId } from '../../db/ids.ts';
import { type Source, sourceNames, sources } from '../files/item.ts';
import { itemLine, itemsFileName } from '../files/items-file.ts';
import { fetchItems, hasApi } from './index.ts';

type Given = { api?: true; apply?: true; resume?: string; account?: string };

type Status = {
  id: string;
  state: string;
  reason: string;
  position: number;
  share: number;
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

export function addMigrationCommands(program: Command, withAccount: WithAccount): void {
  program
    .command('migrate-from')
    .description(
      'move in from another program; shows what would be done, and does it with --apply: postrider migrate-from mailchimp export.zip',
    )
    .argument('<source>', `the program: ${sources.join(', ')}`)
    .argument('[files...]', 'its export: archives, CSV files or database dumps')
    .addOption(
      new Option(
        '--api',
        'read its API instead: MIGRATE_API_KEY or MIGRATE_API_KEY_FILE, and MIGRATE_API_URL where it has no fixed address',
      ),
    )
    .option('--apply', 'do it; without, nothing but the dry run')
    .option('--resume <id>', 'go on with a migration that was stopped, or apply one whose dry run is done')
    .option('--account <id or email>', 'account to act for (default: the only one)')
    .addHelpText('after', helpText)
    .action((name: string, files: string[], given: Given) => {
      const source = sources.find((known) => known === name.toLowerCase());
      if (!source) throw new Error(`"${name}" is not one of ${sources.join(', ')}.`);
      if (!given.resume) checkInput(source, files, given);
      return withAccount({ account: given.account }, async (app, accountId, call) => {
        const migration = given.resume ?? (await create(app, accountId, call, source, files, given));
        await follow(call, migration, source, given);
      });
    });
}

const helpText = `
What to give:
  mailchimp  the archive of an audience or of the account (Account and billing → Export), or --api
  listmonk   a dump of its database (pg_dump --data-only), or --api with the key USER:TOKEN
  mailtrain  a dump of its database (mysqldump)
  keila      the contacts of a project as CSV, or --api
  brevo      the contacts as CSV with the column BLOCKLISTED, or --api

Who has unsubscribed, bounced or complained there is not subscribed here. Who has left here stays so.
Running it again changes nothing. More: docs/guide/migration.md`;

function checkInput(source: Source, files: readonly string[], { api }: Given): void {
  if (api && !hasApi(source)) throw new Error(`The API of ${sourceNames[source]} cannot be read; give files instead.`);
  if (api && files.length > 0) throw new Error('Give either files or --api.');
  if (!api && files.length === 0) throw new Error('Give the files of the export, or --api.');
  for (const file of files)
    if (!statSync(file, { throwIfNoEntry: false })?.isFile())
      throw new Error(`The file ${file} cannot be read: there is no such file.`);
  if (api) accessOf();
}

/** Address and key of the API, never from the arguments: other users of the machine can see those. */
function accessOf(): { url: string; key: string } {
  const { MIGRATE_API_URL: url = '', MIGRATE_API_KEY: given = '', MIGRATE_API_KEY_FILE: file } = process.env;
  const key = file ? readFileSync(file, 'utf8').trim() : given.trim();
  if (key === '') throw new Error('Set MIGRATE_API_KEY, or MIGRATE_API_KEY_FILE to the path of a file with the key.');
  return { url: url.trim(), key };
}

async function create(
  app: App,
  accountId: number,
  call: CallAs,
  source: Source,
  files: readonly string[],
  { api }: Given,
): Promise<string> {
  const uploads: number[] = [];
  try {
    for (const file of files) {
      uploads.push(await createUpload(app.db, accountId, basename(file)));
      await appendUpload(app.db, accountId, uploads.at(-1)!, 0, createReadStream(file, { highWaterMark: 256 * 1024 }));
    }
    if (api) {
      uploads.push(await createUpload(app.db, accountId, itemsFileName));
      await appendUpload(app.db, accountId, uploads.at(-1)!, 0, fetched(app, source));
    }
    return await call<string>('migrationCreate', { source, uploads: uploads.map(formatId) });
  } catch (error) {
    for (const upload of uploads) await deleteUpload(app.db, accountId, upload);
    throw error;
  }
}

/** What the API returns, as lines. */
async function* fetched(app: App, source: Source): AsyncGenerator<Uint8Array> {
  let count = 0;
  let lines = '';
  for await (const item of fetchItems(source, accessOf(), app.outbound, (text) => show(text, true))) {
    lines += itemLine(item);
    count++;
    if (lines.length < 256 * 1024) continue;
    show(`Fetched ${count} entries`);
    yield Buffer.from(lines);
    lines = '';
  }
  show(`Fetched ${count} entries`, true);
  yield Buffer.from(lines);
}

async function follow(call: CallAs, migration: string, source: Source, given: Given): Promise<void> {
  let now = await call<Status>('migrationGet', { migration });
  const again = `postrider migrate-from ${source} --resume ${migration}`;
  if (now.state === 'stopped' || now.state === 'failed') {
    await call('migrationStart', { migration });
    now = await call<Status>('migrationGet', { migration });
  }
  if (now.state === 'reading') {
    const seen = await watch(call, migration, ['checked'], 'Read', again);
    if (!seen) return;
    now = seen;
  }
  if (now.state === 'checked') {
    printLists('It would do this:', now, ({ predicted }) => predicted);
    printProblems(now);
    if (!given.apply) return console.log(`Nothing was changed. To do it, run: ${again} --apply`);
    await call('migrationStart', { migration });
  }
  const done = now.state === 'done' ? now : await watch(call, migration, ['done'], 'Imported', `${again} --apply`);
  if (done) printLists('It has done this:', done, ({ result }) => result);
}

/** Shows how far it is until one of the states; undefined when it was stopped by Ctrl-C. */
async function watch(
  call: CallAs,
  migration: string,
  ends: readonly string[],
  verb: string,
  again: string,
): Promise<Status | undefined> {
  let stopping = false;
  const onStop = () => {
    stopping = true;
  };
  process.once('SIGINT', onStop);
  try {
    for (;;) {
      const now = await call<Status>('migrationGet', { migration });
      const share = now.state === 'running' ? `, ${Math.round(now.share * 100)} %` : '';
      show(`${verb} ${now.position} contacts${share}`, ends.includes(now.state));
      if (ends.includes(now.state)) return now;
      if (now.state !== 'reading' && now.state !== 'running' && now.state !== 'checked')
        throw new Error(`The migration is ${now.state}. ${now.reason}\nTo go on, run: ${again}`);
      if (stopping) {
        await call('migrationStop', { migration });
        console.log(`\nStopped. To go on, run: ${again}`);
        process.exitCode = 130;
        return undefined;
      }
      await sleep(200);
    }
  } finally {
    process.off('SIGINT', onStop);
  }
}

/** A line that the next one replaces on a terminal; elsewhere only the last one is shown. */
function show(text: string, isLast = false): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${text}${isLast ? '\n' : ''}`);
  else if (isLast) console.log(text);
}

function printLists(what: string, status: Status, countsOf: (list: Status['lists'][number]) => Record<string, number>) {
  console.log(what);
  for (const list of status.lists) {
    const states = Object.entries(list.states).filter(([, count]) => count > 0);
    console.log(`\n  ${list.name}${list.list === '' ? '' : ` (${list.list})`}`);
    console.log(`    there: ${states.map(([state, count]) => `${count} ${state}`).join(', ') || 'no contacts'}`);
    for (const [name, meaning] of Object.entries(countMeaning))
      if ((countsOf(list)[name] ?? 0) > 0)
        console.log(`    ${String(countsOf(list)[name]).padStart(10)}  ${name.padEnd(10)}  ${meaning}`);
  }
  const { others } = status;
  console.log(
    `\n  Suppressed addresses: ${others['suppressions']}, of which ${others['suppressions_new']} are new. Templates: ${others['templates']}, of which ${others['templates_new']} are new.`,
  );
}

function printProblems({ problems }: Status): void {
  if (problems.length > 0) console.log('\nNot taken:');
  for (const { list, reason, count, value } of problems)
    console.log(`  ${String(count).padStart(10)}  ${list === '' ? '' : `${list}: `}${reason} (such as "${value}")`);
}
