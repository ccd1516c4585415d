// The commands `import` (with a dry run first and a progress line) and `export`. They use the API methods: the file is
// stored as an upload, and a worker of the installation imports it.
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { App } from '../../base/context.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { exportRows } from '../export/rows.ts';
import { appendUpload, createUpload, deleteUpload } from './file/upload.ts';
import { countMeaning } from './plan.ts';

export type CallAs = <T>(method: string, params: Record<string, unknown>) => Promise<T>;
/** On whose behalf: an account by name, or else the one that this list or import is of, or else the only one. */
export type Whose = { account?: string | undefined; list?: string | undefined; import?: string | undefined };
export type WithAccount = (
  whose: Whose,
  work: (app: App, accountId: number, call: CallAs) => Promise<void>,
) => Promise<void>;

type Status = {
  state: string;
  reason: string;
  position: number;
  share: number;
  rate: number;
  finish_at: string;
  problems: number;
  predicted: Record<string, number>;
  result: Record<string, number>;
};

export function addImportCommands(program: Command, withAccount: WithAccount) {
  const pairs = (pair: string, all: Record<string, string> = {}) => {
    const at = pair.lastIndexOf('=');
    if (at < 1) throw new Error(`--map "${pair}" must be column=TAG.`);
    return { ...all, [pair.slice(0, at)]: pair.slice(at + 1) };
  };
  program
    .command('import')
    .description(
      'import contacts from a CSV file (also .gz, .zip), a workbook (.xlsx) or an address book (.vcf): postrider import friends.csv --list ID',
    )
    .argument('[file]', 'path of the file')
    .option('--list <id>', 'the list')
    .option(
      '--map <column=TAG>',
      'field for a column; new:TAG[:type] creates the field, nothing leaves it out; can be repeated',
      pairs,
    )
    .option('--update <which>', 'which contacts change: add (new ones), update (existing ones) or add_update (both)')
    .option('--status <word>', 'status of the contacts: subscribed, unsubscribed, pending, bounced')
    .option('--empty <what>', 'whether an empty cell keeps or clears an existing value: keep or clear')
    .option('--encoding <name>', 'encoding of the file')
    .option('--delimiter <character>', 'delimiter of the file, or the word tab')
    .option('--double-optin', 'new subscribers must confirm by email first')
    .option('--resubscribe <reason>', 'resubscribe unsubscribed contacts; the reason is stored as evidence')
    .option('--resume <import>', 'resume an import that was stopped')
    .option('--dry-run', 'predict the result and change nothing')
    .option('--yes', 'import without asking for confirmation')
    .option('--account <id or email>', 'account to act for (default: the account of the list)')
    .action((file: string | undefined, given: Given) => {
      if (!given.resume) checkReadable(file, given.list);
      const whose = { account: given.account, list: given.list, import: given.resume };
      return withAccount(whose, async (app, accountId, call) => {
        const id = given.resume ?? (await prepare(app, accountId, call, file, given));
        if (!given.resume) {
          const seen = await watch(call, id, 'importDryRun', 'checked', 'Compared');
          if (!seen) return;
          printCounts('It would do this:', seen.predicted);
          if (seen.problems > 0) await printProblems(call, id);
          if (given.dryRun) return console.log(`Nothing was changed. To import, run: postrider import --resume ${id}`);
          if (!given.yes && !(await agreed()))
            return console.log(`Not imported. To import, run: postrider import --resume ${id}`);
        }
        const done = await watch(call, id, 'importStart', 'done', 'Imported');
        if (done) printCounts('It has done this:', done.result);
      });
    });
  program
    .command('export')
    .description('export the members of a list as CSV')
    .requiredOption('--list <id>', 'the list')
    .option('--out <file>', 'the file to write; default: standard output')
    .option('--status <word>', 'only members with this status: subscribed, unsubscribed, pending, inactive or bounced')
    .option('--segment <id>', 'only members of this segment')
    .option('--bom', 'start the file with a byte order mark, which some spreadsheet programs need')
    .option('--account <id or email>', 'account to act for (default: the account of the list)')
    .action(
      (given: { list: string; out?: string; status?: string; segment?: string; bom?: boolean; account?: string }) =>
        withAccount({ account: given.account, list: given.list }, async (app, accountId) => {
          if (given.out) checkWritable(given.out);
          const rows = exportRows(app.db, accountId, {
            list: given.list,
            status: given.status ?? '',
            segment: given.segment ?? '',
            bom: given.bom ?? false,
          });
          if (given.out) await pipeline(rows, createWriteStream(given.out));
          else for await (const text of rows) process.stdout.write(text);
        }),
    );
}

/** The account that a named list or import is of; undefined when none is named, or there is none of that id. */
export async function ownerOf(db: Queries, whose: Whose): Promise<number | undefined> {
  const id = parseId(whose.list ?? whose.import ?? '');
  const row = whose.list
    ? await db.row<{ accountId: number }>(sql`select account_id as "accountId" from list where id = ${id}`)
    : whose.import
      ? await db.row<{ accountId: number }>(sql`select account_id as "accountId" from import where id = ${id}`)
      : undefined;
  return row?.accountId;
}

/** Checks that the file exists, before anything is stored. */
function checkReadable(file: string | undefined, list: string | undefined): void {
  if (!file || !list) throw new Error('Give a file and --list ID (or --resume ID).');
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw new Error(`The file ${file} cannot be read: there is no such file.`);
  if (!found.isFile()) throw new Error(`The file ${file} cannot be read: it is not a file.`);
}

function checkWritable(out: string): void {
  if (!statSync(dirname(out), { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`--out ${out} cannot be written: there is no folder ${dirname(out)}.`);
}

type Given = {
  list?: string;
  map?: Record<string, string>;
  update?: string;
  status?: string;
  empty?: string;
  encoding?: string;
  delimiter?: string;
  doubleOptin?: boolean;
  resubscribe?: string;
  resume?: string;
  dryRun?: boolean;
  yes?: boolean;
  account?: string;
};

async function prepare(app: App, accountId: number, call: CallAs, file: string | undefined, given: Given) {
  if (!file || !given.list) throw new Error('Give a file and --list ID (or --resume ID).');
  const upload = await createUpload(app.db, accountId, basename(file));
  let id: string;
  try {
    await appendUpload(app.db, accountId, upload, 0, createReadStream(file, { highWaterMark: 256 * 1024 }));
    id = await call<string>('importCreate', { id: given.list, upload: formatId(upload), options: optionsOf(given) });
  } catch (error) {
    // Cannot be resumed, so the upload is deleted.
    await deleteUpload(app.db, accountId, upload);
    throw error;
  }
  type Column = { heading: string; target: string; no: number; undecided: boolean; date_order: string };
  type Preview = { columns: Column[]; warnings: string[] };
  const preview = await call<Preview>('importPreview', { import: id });
  for (const { heading, target, no } of preview.columns)
    console.log(`  ${heading || `column ${no}`} → ${target || '(left out)'}`);
  for (const warning of preview.warnings) console.log(warning);
  const open = preview.columns.filter(({ undecided }) => undecided).map(({ heading, no }) => heading || String(no));
  if (open.length > 0)
    throw new Error(
      `Say what each of these columns is: ${open.map((name) => `--map "${name}=STATUS"`).join(' ')} (or UNSUBSCRIBED, BOUNCED, a field; "${open[0]}=" leaves it out).`,
    );
  const unclear = preview.columns.filter(({ date_order }) => date_order === 'unclear');
  if (unclear.length > 0)
    throw new Error(
      `Say whether the day or the month comes first: ${unclear.map(({ heading, no, target }) => `--map "${heading || no}=${target}:day_first"`).join(' ')} (or month_first).`,
    );
  return id;
}

function optionsOf({ map, update, status, empty, encoding, delimiter, resubscribe, doubleOptin }: Given) {
  const options = {
    mapping: map,
    update,
    status,
    empty,
    encoding,
    delimiter,
    resubscribe,
    double_optin: doubleOptin,
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** Starts it and shows how far it is; undefined when it was stopped by Ctrl-C. */
async function watch(call: CallAs, id: string, method: string, end: string, verb: string): Promise<Status | undefined> {
  await call(method, { import: id });
  let stopping = false;
  const onStop = () => {
    stopping = true;
  };
  process.once('SIGINT', onStop);
  try {
    for (;;) {
      const now = await call<Status>('importGet', { import: id });
      const filled = Math.round(now.share * 30);
      const line = `[${'#'.repeat(filled)}${'.'.repeat(30 - filled)}] ${verb} ${now.position} rows, ${now.rate}/s${now.finish_at ? `, until about ${now.finish_at} GMT` : ''}`;
      if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${line}`);
      if (now.state === end) {
        console.log(process.stdout.isTTY ? '' : line);
        return now;
      }
      if (now.state !== 'checking' && now.state !== 'running')
        throw new Error(`The import is ${now.state}. ${now.reason}\nTo resume, run: postrider import --resume ${id}`);
      if (stopping) {
        await call('importStop', { import: id });
        console.log(`\nStopped. To resume, run: postrider import --resume ${id}`);
        process.exitCode = 130;
        return undefined;
      }
      await sleep(200);
    }
  } finally {
    process.off('SIGINT', onStop);
  }
}

function printCounts(what: string, counts: Record<string, number>): void {
  console.log(what);
  for (const [name, meaning] of Object.entries(countMeaning))
    if ((counts[name] ?? 0) > 0 || name === 'rows')
      console.log(`  ${String(counts[name] ?? 0).padStart(10)}  ${name.padEnd(10)}  ${meaning}`);
}

async function printProblems(call: CallAs, id: string): Promise<void> {
  const some = await call<{ line: number; column: string; value: string; reason: string }[]>('importErrors', {
    import: id,
    limit: 5,
  });
  for (const problem of some)
    console.log(
      `  line ${problem.line}: ${problem.column ? `${problem.column} ` : ''}"${problem.value}" ${problem.reason}`,
    );
}

async function agreed(): Promise<boolean> {
  if (!process.stdin.isTTY) throw new Error('Give --yes to import without being asked.');
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await asking.question('Import now? [y/N] ');
  asking.close();
  return /^y(es)?$/i.test(answer.trim());
}
