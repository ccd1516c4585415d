// Runs an import, dry or for good: the file is read from its beginning, what is settled already is passed over, and each
// batch is compared, written and noted as settled in one transaction. Two batches are under way at a time, on a connection
// each, and are noted in the order of the file. Killed at any moment it goes on exactly where the last transaction ended;
// two runners of one import cannot both settle a row.
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import type { Log } from '../../base/log.ts';
import { isLostRace, isUnavailable, sql, type Tx } from '../../db/connect.ts';
import { type Field, fieldsOf } from '../fields/field.ts';
import { firstLine, readRecords } from './file/records.ts';
import { ImportRefusal, plainText } from './file/source.ts';
import { needUpload, type Upload } from './file/upload.ts';
import { type GivesWay, readOptOuts } from './opt-outs.ts';
import { addCounts, type Counts, noCounts, type Plan } from './plan.ts';
import { type ImportRecord, importRecords } from './record.ts';
import { type Problem, rowReader } from './row.ts';
import { Seen } from './seen.ts';
import { judge, stageLine, type Target } from './stage.ts';
import { tell, write } from './write.ts';

/** Rows of one transaction: enough that the transaction itself costs nothing, few enough to stop within a second. */
const batchRows = 5_000;
/** Rows read at a stretch: about a millisecond. */
const groupRows = 200;
/** Rows of a file at most. */
export const maxRows = 10_000_000;
const maxAttempts = 6;

type Batch = {
  /** Records of the file before this batch, and with it. */
  from: number;
  to: number;
  readBytes: number;
  /** Usable rows, as lines for the comparison. */
  lines: Buffer[];
  problems: (Problem & { line: number })[];
  counts: Pick<Counts, 'rows' | 'invalid' | 'duplicate'>;
};

export type RunEnd = 'finished' | 'stopped' | 'interrupted' | 'failed';

/**
 * Does the work of an import that is in state running (or checking, when dry). Returns when it is finished or was
 * stopped, when the signal says that the process ends, or when the file turned out not to be usable.
 * @throws what the database throws when it is out of reach: the caller comes again
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
    return await work(app, record, upload, fields, dry, signal);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    const told = error instanceof ImportRefusal || error instanceof Fault;
    const reason = told ? (error as Error).message : 'Internal error; the log of the worker says what.';
    if (told) log.info({ importId, reason }, 'an import cannot go on');
    else log.error({ importId, err: error }, 'an import failed');
    await app.db.run(sql`
      update import
      set state = 'failed', reason = ${reason}, ended_at = now(), seen_at = now()
      where account_id = ${accountId}
        and id = ${importId}
        and state = ${record.state}`);
    return 'failed';
  }
}

async function work(
  app: Pick<App, 'db'>,
  record: ImportRecord,
  upload: Upload,
  fields: Field[],
  dry: boolean,
  signal: AbortSignal,
): Promise<RunEnd> {
  const target: Target = {
    accountId: record.accountId,
    listId: record.listId,
    rules: record.plan.rules,
    required: fields
      .filter((field) => field.required && field.defaultValue === '' && field.tag !== 'EMAIL')
      .map((field) => field.tag),
  };
  // Two batches are written while the next one is read. Each waits for the one before it, so the last stands for all.
  let before: Promise<boolean> = Promise.resolve(true);
  let last = before;
  let reached = record.position;
  const records = () => readRecords(plainText(app.db, upload, record.plan.format), record.plan.format, groupRows);
  const givesWay = await readOptOuts(record.plan, fields, records, signal);
  if (!givesWay) return 'interrupted';
  try {
    for await (const batch of readBatches(app, record.plan, upload, fields, givesWay, record.position)) {
      if (!(await before)) return 'stopped';
      if (signal.aborted) return (await last) ? 'interrupted' : 'stopped';
      reached = batch.to;
      before = last;
      last = settle(app, record, target, batch, dry, before);
      // Its failure is met at the next await; until then it must not count as unhandled.
      last.catch(() => {});
    }
    if (!(await last)) return 'stopped';
  } finally {
    await last.catch(() => {});
  }
  return (await finish(app, record, reached, dry)) ? 'finished' : 'stopped';
}

/** Reads the file into batches, passing over what is settled; duplicates within the file end here. */
async function* readBatches(
  app: Pick<App, 'db'>,
  plan: Plan,
  upload: Upload,
  fields: Field[],
  givesWay: GivesWay,
  settled: number,
): AsyncGenerator<Batch> {
  const seen = new Seen();
  try {
    yield* batchesOf(app, plan, upload, fields, givesWay, settled, seen);
  } finally {
    seen.release();
  }
}

async function* batchesOf(
  app: Pick<App, 'db'>,
  plan: Plan,
  upload: Upload,
  fields: Field[],
  givesWay: GivesWay,
  settled: number,
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
    for (const one of group) {
      position++;
      const reading = read(one.cells);
      const outweighed = reading.ok && givesWay(reading.row);
      const fresh = reading.ok && !outweighed && seen.add(reading.row.key);
      if (position <= settled) {
        batch.from = position;
        continue;
      }
      batch.counts.rows++;
      if (!reading.ok) {
        batch.counts.invalid++;
        batch.problems.push({ ...reading.problem, line: firstLine(one) });
      } else if (!fresh) {
        batch.counts.duplicate++;
        batch.problems.push({
          heading: '',
          value: reading.row.email,
          reason: outweighed ? 'another row says that this address has left' : 'the address stands in an earlier row',
          line: firstLine(one),
        });
      } else lines.push(stageLine(one.line, reading.row));
    }
    if (position > maxRows) throw new ImportRefusal(`The file has more than ${maxRows.toLocaleString('en')} rows.`);
    if (lines.length > 0) batch.lines.push(Buffer.from(lines.join('')));
    batch.to = position;
    batch.readBytes = Math.min(upload.size, plan.format.packing === 'none' ? readBytes : 0);
    if (batch.to - batch.from >= batchRows) {
      yield batch;
      batch = emptyBatch(position);
    }
    // Between two groups the batch before goes on being written, one statement after the other.
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
    counts: { rows: 0, invalid: 0, duplicate: 0 },
  };
}

/** How long a batch that is written waits for the one before it. */
const turnMs = 5_000;

/** The batch before is not settled in time: it may wait for a row that this batch holds, by way of a third party. */
class BatchInTheWay extends Error {}
class NotMineToSettle extends Error {}

/**
 * Settles a batch; false when the import was stopped, or somebody else has settled it. Rows of two batches are never the
 * same, so a batch is written beside the one before it (`before`) and waits only to be noted as settled.
 */
async function settle(
  app: Pick<App, 'db'>,
  record: ImportRecord,
  target: Target,
  batch: Batch,
  dry: boolean,
  before: Promise<boolean>,
): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      await app.db.transaction(async (tx) => {
        const judged = batch.lines.length > 0 ? await judge(tx, target, batch.lines, dry) : {};
        const writing = { ...target, importId: record.id, source: record.source };
        if (!dry && batch.lines.length > 0) await write(tx, writing, judged);
        if (!(await inTime(before))) throw new NotMineToSettle();
        const held = await tx.row<{ counts: Partial<Counts> }>(sql`
          select counts
          from import
          where account_id = ${record.accountId}
            and id = ${record.id}
            and state = ${dry ? 'checking' : 'running'}
            and position = ${batch.from}
          for no key update`);
        if (!held) throw new NotMineToSettle();
        // What several batches could wait for comes last, when this one is the only one to be noted.
        if (!dry && batch.lines.length > 0) await tell(tx, writing, judged);
        await keepProblems(tx, record, batch.problems);
        const counts = addCounts(addCounts(held.counts, batch.counts), judged);
        await tx.run(sql`
          update import
          set position = ${batch.to}, read_bytes = greatest(read_bytes, ${batch.readBytes}), seen_at = clock_timestamp(),
            counts = ${JSON.stringify(counts)}
          where account_id = ${record.accountId}
            and id = ${record.id}`);
      });
      return true;
    } catch (error) {
      if (error instanceof NotMineToSettle) return false;
      if (error instanceof BatchInTheWay) {
        if (!(await before)) return false;
      } else if (tries === maxAttempts || !isLostRace(error)) throw error;
    }
  }
}

/** What came of the batch before. @throws BatchInTheWay when that takes too long, and what the batch before threw */
async function inTime(before: Promise<boolean>): Promise<boolean> {
  const waiting = new AbortController();
  const late = sleep(turnMs, undefined, { signal: waiting.signal }).then(() => {
    throw new BatchInTheWay();
  });
  late.catch(() => {});
  try {
    return await Promise.race([before, late]);
  } finally {
    waiting.abort();
  }
}

async function keepProblems(tx: Tx, record: ImportRecord, problems: Batch['problems']): Promise<void> {
  if (problems.length === 0) return;
  await tx.run(sql`
    insert into import_problem (account_id, import_id, line, heading, value, reason)
    select ${record.accountId}, ${record.id}, line, heading, value, reason
    from unnest(${problems.map((one) => one.line)}::int[], ${problems.map((one) => one.heading.slice(0, 200))}::text[],
      ${problems.map((one) => one.value)}::text[], ${problems.map((one) => one.reason)}::text[])
      as given(line, heading, value, reason)`);
}

async function finish(app: Pick<App, 'db'>, record: ImportRecord, position: number, dry: boolean): Promise<boolean> {
  const changed = await app.db.run(sql`
    update import
    set state = ${dry ? 'checked' : 'done'}, seen_at = now(), read_bytes = size,
      foreseen = case when ${dry} then ${JSON.stringify(noCounts())}::jsonb || counts else foreseen end,
      ended_at = case when ${dry} then null else now() end
    where account_id = ${record.accountId}
      and id = ${record.id}
      and state = ${record.state}
      and position = ${position}`);
  return changed > 0;
}

/** The list's fields with those the import makes; in the run they are there already. */
async function planFields(app: Pick<App, 'db'>, accountId: number, record: ImportRecord): Promise<Field[]> {
  const fields = await fieldsOf({ tx: app.db, account: { id: accountId } }, record.listId);
  const missing: string[] = [];
  for (const { target, newField } of record.plan.columns) {
    if (target === '' || fields.some((field) => field.tag === target) || builtIn.test(target)) continue;
    if (!newField) missing.push(target);
    else
      fields.push({
        tag: target,
        mergeNo: -1,
        name: newField.name,
        type: newField.type as Field['type'],
        required: false,
        shown: true,
        position: 0,
        defaultValue: '',
        choices: [],
      });
  }
  if (missing.length > 0) throw new ImportRefusal(`The list has no field ${missing.join(', ')} any more.`);
  return fields;
}

const builtIn = /^(EMAIL|EMAIL_TYPE|STATUS|OPTINTIME|OPTINIP|LANGUAGE|TIMEZONE)$/;
