// Runs an import or its dry run. Reads the file from the start, skips the rows that are done, and compares, writes and
// records each batch in one transaction. Two batches are in progress at a time, each on its own connection, and are
// recorded in the order of the file. Killed at any moment, it resumes exactly after the last committed transaction; two
// runners of one import cannot both write a row.
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import type { Log } from '../../base/log.ts';
import { type Message, message, packMessage, renderMessage } from '../../base/messages.ts';
import { isLostRace, isUnavailable, sql, type Tx } from '../../db/connect.ts';
import { countedWrite } from '../../db/standby/writes.ts';
import { type Field, fieldsOf } from '../model/field.ts';
import { compareRows, stageLine, type Target } from './compare.ts';
import { openQuestion } from './file/questions.ts';
import { firstLine, readRecords } from './file/records.ts';
import { ImportRefusal } from './file/refusal.ts';
import { plainText } from './file/source.ts';
import { needUpload, type Upload } from './file/upload.ts';
import { type FileReading, type OverriddenBy, readAhead } from './opt-outs.ts';
import { addCounts, builtInTargets, type Counts, noCounts, type Plan } from './plan.ts';
import { type ImportRecord, importRecords } from './record.ts';
import { overflowOf, type Problem, type RowReading, rowReader, withNewFields } from './row.ts';
import { Seen } from './seen.ts';
import { writeConsequences, writeMembers } from './write.ts';

/** Rows per transaction: enough to make its overhead negligible, few enough to stop within a second. */
const batchRows = 5_000;
/** Rows read without yielding to other work: about a millisecond. */
const groupRows = 200;
/** Maximum rows of a file. */
const maxRows = 10_000_000;
const maxAttempts = 6;

type Batch = {
  /** Number of the file's records before this batch, and including it. */
  from: number;
  to: number;
  readBytes: number;
  /** Usable rows, as lines for the comparison. */
  lines: Buffer[];
  problems: (Problem & { line: number })[];
  counts: Pick<Counts, 'rows' | 'invalid' | 'duplicate' | 'values_left_out'>;
};

export type RunEnd = 'finished' | 'stopped' | 'interrupted' | 'failed';

/**
 * Runs an import in state running (or checking, when dry). Returns when it is finished or was stopped, when the signal
 * announces the end of the process, or when the file is unusable.
 * @throws what the database throws when it is unreachable: the caller retries
 */
export async function runImport(
  app: Pick<App, 'db'>,
  accountId: number,
  importId: number,
  dry: boolean,
  signal: AbortSignal,
  log: Log,
): Promise<RunEnd> {
  const [record] = await importRecords(app.db, accountId, sql`i.id = ${importId}`);
  if (!record || record.state !== (dry ? 'checking' : 'running')) return 'stopped';
  try {
    const upload = await needUpload(app.db, accountId, record.uploadId);
    const fields = await planFields(app, accountId, record);
    return await importFile(app, record, upload, fields, dry, signal);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    const reason = reasonOf(error);
    const isExpected = reason !== undefined;
    if (isExpected) log.info({ importId, reason: renderMessage(reason) }, 'import failed: unusable file or plan');
    else log.error({ importId, err: error }, 'import failed');
    await app.db.run(sql`
      update import
      set state = 'failed', reason = ${packMessage(reason ?? message('import.internal'))}, ended_at = now(), seen_at = now()
      where account_id = ${accountId}
        and id = ${importId}
        and state = ${record.state}`);
    return 'failed';
  }
}

async function importFile(
  app: Pick<App, 'db'>,
  record: ImportRecord,
  upload: Upload,
  fields: Field[],
  dry: boolean,
  signal: AbortSignal,
): Promise<RunEnd> {
  const target = targetOf(record, fields);
  // Two batches are written while the next one is read. Each waits for the one before it, so the last covers all.
  let before: Promise<boolean> = Promise.resolve(true);
  let last = before;
  let reached = record.position;
  const records = () => readRecords(plainText(app.db, upload, record.plan.format), record.plan.format, groupRows);
  const ahead = await readAhead(record.plan, fields, records, signal);
  if (!ahead) return 'interrupted';
  if (ahead.asking.length > 0 && record.position === 0) {
    await ask(app, record, ahead, dry);
    if (!dry) return 'stopped';
  }
  const plan = { ...record.plan, columns: ahead.columns };
  try {
    for await (const batch of readBatches(app, plan, upload, fields, ahead.overriddenBy, record.position)) {
      if (!(await before)) return 'stopped';
      if (signal.aborted) return (await last) ? 'interrupted' : 'stopped';
      reached = batch.to;
      before = last;
      last = writeBatch(app, record, target, batch, dry, before);
      // A failure surfaces at the next await; until then it must not count as unhandled.
      last.catch(() => {});
    }
    if (!(await last)) return 'stopped';
  } finally {
    await last.catch(() => {});
  }
  return (await finish(app, record, reached, dry)) ? 'finished' : 'stopped';
}

/** Marks columns that a person must decide; an import that was started goes back to before its start. */
async function ask(app: Pick<App, 'db'>, record: ImportRecord, found: FileReading, dry: boolean): Promise<void> {
  const columns = found.columns.map((column) =>
    found.asking.includes(column.no) && column.order !== 'unclear' ? { ...column, asks: 'file' as const } : column,
  );
  const reason = openQuestion({ columns }) ?? message('import.internal');
  await app.db.run(sql`
    update import
    set plan = ${JSON.stringify({ ...record.plan, columns })},
      state = case when ${dry} then state else 'mapped' end,
      started_at = case when ${dry} then started_at end,
      reason = case when ${dry} then reason else ${packMessage(reason)} end
    where account_id = ${record.accountId}
      and id = ${record.id}
      and state = ${record.state}
      and position = 0`);
}

/** With what the rows of an import are compared. @param fields those of the list and those that the import creates */
export function targetOf(
  { accountId, listId, plan }: Pick<ImportRecord, 'accountId' | 'listId' | 'plan'>,
  fields: readonly Field[],
): Target {
  return {
    accountId,
    listId,
    rules: plan.rules,
    isOfSet: plan.isOfSet ?? false,
    required: fields
      .filter((field) => field.required && field.defaultValue === '' && field.tag !== 'EMAIL')
      .map((field) => field.tag),
    tags: plan.columns.map(({ target }) => target).filter((target) => target !== '' && !isBuiltIn(target)),
  };
}

/** Reads the file into batches, skipping the rows that are done and duplicates within the file. */
export async function* readBatches(
  app: Pick<App, 'db'>,
  plan: Plan,
  upload: Upload,
  fields: Field[],
  overriddenBy: OverriddenBy,
  done: number,
): AsyncGenerator<Batch> {
  const seen = new Seen();
  try {
    yield* batchesOf(app, plan, upload, fields, overriddenBy, done, seen);
  } finally {
    seen.release();
  }
}

async function* batchesOf(
  app: Pick<App, 'db'>,
  plan: Plan,
  upload: Upload,
  fields: Field[],
  overriddenBy: OverriddenBy,
  done: number,
  seen: Seen,
): AsyncGenerator<Batch> {
  const read = rowReader(plan.columns, fields, plan.rules, new Date());
  let position = 0;
  let readBytes = 0;
  const counted = async function* () {
    for await (const piece of plainText(app.db, upload, plan.format)) {
      readBytes += piece.length;
      yield piece;
    }
  };
  let batch = emptyBatch(0);
  for await (const group of readRecords(counted(), plan.format, groupRows)) {
    const lines: string[] = [];
    for (const record of group) {
      position++;
      const overflow = overflowOf(record.cells, plan.columns.length);
      const reading: RowReading = overflow ? { ok: false, problem: overflow } : read(record.cells);
      const override = reading.ok ? overriddenBy(reading.row) : undefined;
      const fresh = reading.ok && !override && seen.add(reading.row.key);
      if (position <= done) {
        batch.from = position;
        continue;
      }
      batch.counts.rows++;
      if (!reading.ok) {
        batch.counts.invalid++;
        batch.problems.push({ ...reading.problem, line: firstLine(record) });
      } else if (!fresh) {
        batch.counts.duplicate++;
        batch.problems.push({
          heading: '',
          value: reading.row.email,
          reason: message(override === 'opted_out' ? 'import.opted_out' : 'import.duplicate'),
          line: firstLine(record),
        });
      } else {
        lines.push(stageLine(record.line, reading.row));
        batch.counts.values_left_out += reading.leftOut.length;
        for (const problem of reading.leftOut) batch.problems.push({ ...problem, line: firstLine(record) });
      }
    }
    if (position > maxRows)
      throw new ImportRefusal(message('import.too_many_rows', { count: maxRows.toLocaleString('en') }));
    if (lines.length > 0) batch.lines.push(Buffer.from(lines.join('')));
    batch.to = position;
    batch.readBytes = Math.min(upload.size, plan.format.packing === 'none' ? readBytes : 0);
    if (batch.to - batch.from >= batchRows) {
      yield batch;
      batch = emptyBatch(position);
    }
    // Lets the previous batch continue, one statement after the other.
    await nextTurn();
  }
  if (batch.to > batch.from) yield batch;
}

function emptyBatch(position: number): Batch {
  return {
    from: position,
    to: position,
    readBytes: 0,
    lines: [],
    problems: [],
    counts: { rows: 0, invalid: 0, duplicate: 0, values_left_out: 0 },
  };
}

/** How long a written batch waits for the one before it. */
const maxWaitMs = 5_000;

/** The previous batch takes too long: it may wait, through another transaction, for a row this batch has locked. */
class PossibleDeadlock extends Error {}
class BatchNotOurs extends Error {}

/**
 * Writes a batch; false when the import was stopped, or another runner has written it. Two batches never share a row, so
 * a batch is written concurrently with the one before it (`before`) and waits only to be recorded as done.
 */
async function writeBatch(
  app: Pick<App, 'db'>,
  record: ImportRecord,
  target: Target,
  batch: Batch,
  dry: boolean,
  before: Promise<boolean>,
): Promise<boolean> {
  for (let attempts = 1; ; attempts++) {
    try {
      await app.db.transaction(async (tx) => {
        const outcomes = batch.lines.length > 0 ? await compareRows(tx, target, batch.lines, dry) : {};
        const writing = { ...target, importId: record.id, source: record.source };
        if (!dry && batch.lines.length > 0) await writeMembers(tx, writing, outcomes);
        if (!(await inTime(before))) throw new BatchNotOurs();
        const locked = await tx.row<{ counts: Partial<Counts> }>(sql`
          select counts
          from import
          where account_id = ${record.accountId}
            and id = ${record.id}
            and state = ${dry ? 'checking' : 'running'}
            and position = ${batch.from}
          for no key update`);
        if (!locked) throw new BatchNotOurs();
        // Rows that several batches could wait for come last, when only this batch can be recorded.
        if (!dry && batch.lines.length > 0) await writeConsequences(tx, writing, outcomes);
        await saveProblems(tx, record, batch.problems);
        const counts = addCounts(addCounts(locked.counts, batch.counts), outcomes);
        await tx.run(sql`
          update import
          set position = ${batch.to}, read_bytes = greatest(read_bytes, ${batch.readBytes}), seen_at = clock_timestamp(),
            counts = ${JSON.stringify(counts)}
          where account_id = ${record.accountId}
            and id = ${record.id}`);
      });
      return true;
    } catch (error) {
      if (error instanceof BatchNotOurs) return false;
      if (error instanceof PossibleDeadlock) {
        if (!(await before)) return false;
      } else if (attempts === maxAttempts || !isLostRace(error)) throw error;
    }
  }
}

/** The result of the previous batch. @throws PossibleDeadlock when it takes too long, and what that batch threw */
async function inTime(before: Promise<boolean>): Promise<boolean> {
  const waiting = new AbortController();
  const late = sleep(maxWaitMs, undefined, { signal: waiting.signal }).then(() => {
    throw new PossibleDeadlock();
  });
  late.catch(() => {});
  try {
    return await Promise.race([before, late]);
  } finally {
    waiting.abort();
  }
}

async function saveProblems(tx: Tx, record: ImportRecord, problems: Batch['problems']): Promise<void> {
  if (problems.length === 0) return;
  await tx.run(sql`
    insert into import_problem (account_id, import_id, line, heading, value, reason)
    select ${record.accountId}, ${record.id}, line, heading, value, reason
    from unnest(${problems.map((problem) => problem.line)}::int[], ${problems.map((problem) => problem.heading.slice(0, 200))}::text[],
      ${problems.map((problem) => problem.value)}::text[], ${problems.map((problem) => packMessage(problem.reason))}::text[])
      as given(line, heading, value, reason)`);
}

async function finish(app: Pick<App, 'db'>, record: ImportRecord, position: number, dry: boolean): Promise<boolean> {
  const changed = await app.db.run(sql`
    with counted as (${countedWrite(record.accountId)})
    update import
    set state = ${dry ? 'checked' : 'done'}, seen_at = now(), read_bytes = size,
      predicted = case when ${dry} then ${JSON.stringify(noCounts())}::jsonb || counts else predicted end,
      ended_at = case when ${dry} then null else now() end
    where account_id = ${record.accountId}
      and id = ${record.id}
      and state = ${record.state}
      and position = ${position}`);
  return changed > 0;
}

/** The list's fields and those the import creates; when it runs, they exist already. */
async function planFields(app: Pick<App, 'db'>, accountId: number, record: ImportRecord): Promise<Field[]> {
  const known = await fieldsOf({ tx: app.db, account: { id: accountId } }, record.listId);
  const fields = withNewFields(known, record.plan.columns);
  const missing = record.plan.columns
    .map(({ target }) => target)
    .filter((target) => target !== '' && !isBuiltIn(target) && !fields.some((field) => field.tag === target));
  if (missing.length > 0) throw new ImportRefusal(message('import.fields_removed', { tags: missing.join(', ') }));
  return fields;
}

/** Why an import failed, for the user; undefined for an error of the program. */
function reasonOf(error: unknown): Message | undefined {
  if (error instanceof ImportRefusal) return error.reason;
  return error instanceof Fault ? error.text : undefined;
}

const isBuiltIn = (target: string) => (builtInTargets as readonly string[]).includes(target);
