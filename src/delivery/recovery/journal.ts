// The journal of a worker: which final dots it was about to send and what the replies were, line by line on the local
// disk, so that the recipients the relay has accepted can be distinguished from the others after a crash, and after a
// fail-over to a replica that lacks the last commits.
//   D account campaign seq lease attempts resent contact          about to give the final dot of this message to the socket
//   R account campaign seq lease attempts resent contact verdict  the outcome, as JSON
// And in a chunk whose worker has died before:
//   S account campaign seq lease attempts resent contact          about to compose this message, or to begin its transaction
//   W account campaign seq lease attempts resent contact          it is composed and waits for a connection
// Lines are written synchronously: once write() has returned they survive a kill -9 of this process (not a power cut;
// the first line names the machine's boot, and a journal of another boot is not trusted). About 1.2 µs a line.
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

/** An attempt at a recipient. `attempts` and `resent` count it; `contact` finds the row where a seq was given twice. */
export type Attempt = {
  account: number;
  campaign: number;
  seq: number;
  lease: number;
  attempts: number;
  resent: number;
  contact: number;
};

/** What the journal shows of an attempt. */
export type Trace<V> = { kind: 'dotted' } | { kind: 'outcome'; verdict: V };

export type Journal<V> = {
  /** From here on a crash may be caused by this message. */
  start(attempt: Attempt): void;
  /** It waits for its turn: a crash has another cause. */
  wait(attempt: Attempt): void;
  dot(attempt: Attempt): void;
  outcome(attempt: Attempt, verdict: V): void;
  /** Starts a group of recipients; starts a new file when the present one is large. */
  open(): Segment;
  close(): void;
};

/** Keeps the lines of a group until done() is called and `keepMs` have passed. */
type Segment = { done(): void };

const segmentBytes = 4 * 1024 * 1024;
/** Lines that are parsed before other work of the process runs: about 2 ms. */
const linesAtOnce = 2_000;
/**
 * How long lines are kept after the outcomes are committed: a replica that takes over may lack the commits of so long. At
 * 3,000 messages a second, 200 MB.
 */
const keepLinesMs = 5 * 60_000;

/** @param path without the segment's number and ending */
export function openJournal<V>(
  path: string,
  bootId: string,
  { keepMs = keepLinesMs, now = () => performance.now() } = {},
): Journal<V> {
  mkdirSync(dirname(path), { recursive: true });
  /** Full segments, oldest first, with the time from which no group needed them. */
  const retired: { number: number; unneededAt?: number }[] = [];
  /** For each open group the segment in which it started: its lines are there or in later ones. */
  const openSince: number[] = [];
  const fileOf = (segment: number) => `${path}.${segment}.log`;
  let number = 0;
  let bytes = 0;
  let handle = begin();

  function begin(): number {
    number += 1;
    bytes = 0;
    const next = openSync(fileOf(number), 'a', 0o600);
    writeSync(next, `B ${bootId}\n`);
    return next;
  }

  const write = (line: string) => {
    // A full disk may take part of the line: it is then torn, and its recipient unknown.
    if (writeSync(handle, line) !== Buffer.byteLength(line))
      throw new Error('a line of the journal was written only in part');
    bytes += line.length;
  };
  // By another worker, which took this one for dead while it had nothing to send.
  const isRemoved = () => statSync(fileOf(number), { throwIfNoEntry: false }) === undefined;
  const noteUnneeded = () => {
    const needed = openSince.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...openSince);
    for (const segment of retired) if (segment.number < needed) segment.unneededAt ??= now();
  };
  // Only when a group starts: after a fail-over none does before the lines have been read.
  const removeOld = () => {
    while (retired[0]?.unneededAt !== undefined && retired[0].unneededAt + keepMs <= now())
      rmSync(fileOf(retired.shift()!.number), { force: true });
  };

  return {
    start: (attempt) => write(`S ${lineOf(attempt)}\n`),
    wait: (attempt) => write(`W ${lineOf(attempt)}\n`),
    dot: (attempt) => write(`D ${lineOf(attempt)}\n`),
    outcome: (attempt, verdict) => write(`R ${lineOf(attempt)} ${JSON.stringify(verdict)}\n`),
    open() {
      if (bytes > segmentBytes || isRemoved()) {
        closeSync(handle);
        retired.push({ number });
        handle = begin();
        noteUnneeded();
      }
      removeOld();
      const since = number;
      openSince.push(since);
      let ended = false;
      return {
        done() {
          if (ended) return;
          ended = true;
          openSince.splice(openSince.indexOf(since), 1);
          noteUnneeded();
        },
      };
    },
    close() {
      closeSync(handle);
    },
  };
}

/** The attempts of one file of a journal. */
export type JournalFile<V> = {
  bootId: string;
  /** A line is torn or garbled: an attempt without a trace may have been dotted. */
  damaged: boolean;
  entries: { attempt: Attempt; trace: Trace<V> }[];
  /** In the order of the lines: attempts that were being composed or sent from then on, and those that waited. */
  starts: { attempt: Attempt; waits: boolean }[];
};

/**
 * Reads a journal file by file, newest first, so that one of hundreds of megabytes neither fills the memory nor keeps the
 * process from its work. @param wanted lines of other attempts are skipped
 */
export async function* readFiles<V>(
  path: string,
  wanted: (attempt: Attempt) => boolean = () => true,
): AsyncGenerator<JournalFile<V>> {
  for (const file of filesOf(path).reverse()) {
    let text: string;
    try {
      text = await readFile(file, 'utf8');
    } catch {
      yield { bootId: '', damaged: true, entries: [], starts: [] };
      continue;
    }
    yield await parse(text, wanted);
  }
}

/**
 * Reads what a dead worker left behind.
 * @returns the last traces of the wanted attempts by traceKey, and which of those in a chunk whose worker had died before were
 *   started and did not wait; undefined when there is no journal that can be believed
 */
export async function readJournal<V>(
  path: string,
  bootId: string,
  wanted: (attempt: Attempt) => boolean = () => true,
): Promise<{ traces: Map<string, Trace<V>>; started: ReadonlySet<string>; damaged: boolean } | undefined> {
  const traces = new Map<string, Trace<V>>();
  const waits = new Map<string, boolean>();
  let damaged = false;
  let found = false;
  for await (const file of readFiles<V>(path, wanted)) {
    found = true;
    damaged ||= file.damaged;
    if (file.bootId !== bootId && !(file.bootId === '' && file.damaged)) return undefined;
    // Files come newest first, and the last line of an attempt counts.
    for (const { attempt, trace } of file.entries.reverse()) {
      const key = traceKey(attempt);
      if (!traces.has(key)) traces.set(key, trace);
    }
    for (const start of file.starts.reverse()) {
      const key = traceKey(start.attempt);
      if (!waits.has(key)) waits.set(key, start.waits);
    }
  }
  const started = new Set([...waits].flatMap(([key, waiting]) => (waiting ? [] : [key])));
  return found ? { traces, started, damaged } : undefined;
}

export function removeJournal(path: string): void {
  for (const file of filesOf(path)) rmSync(file, { force: true });
}

/** The journals in a folder that have not been written to for `olderMs`, by their path. */
export function strayJournals(folder: string, olderMs: number): string[] {
  const newest = new Map<string, number>();
  try {
    for (const file of readdirSync(folder)) {
      const name = /^(.+)\.\d+\.log$/.exec(file)?.[1];
      const writtenAt = statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (name !== undefined) newest.set(name, Math.max(newest.get(name) ?? 0, writtenAt));
    }
  } catch {
    return [];
  }
  return [...newest].filter(([, at]) => Date.now() - at > olderMs).map(([name]) => join(folder, name));
}

export const traceKey = ({ account, campaign, seq, lease, attempts }: Omit<Attempt, 'resent' | 'contact'>) =>
  `${account} ${campaign} ${seq} ${lease} ${attempts}`;

const lineOf = ({ account, campaign, seq, lease, attempts, resent, contact }: Attempt) =>
  `${account} ${campaign} ${seq} ${lease} ${attempts} ${resent} ${contact}`;

/** The files of a journal, oldest first; none when its folder is missing. */
function filesOf(path: string): string[] {
  const folder = dirname(path);
  const name = path.slice(folder.length + 1);
  try {
    return readdirSync(folder)
      .filter((file) => file.startsWith(`${name}.`) && file.endsWith('.log'))
      .sort((a, b) => segmentNumber(a) - segmentNumber(b))
      .map((file) => join(folder, file));
  } catch {
    return [];
  }
}

/** Lets other work of the process run in between: a file of 4 MiB takes about 60 ms. */
async function parse<V>(text: string, wanted: (attempt: Attempt) => boolean): Promise<JournalFile<V>> {
  // A piece without a line end is torn. A torn D was never followed by its dot: the dot goes out only after the line is
  // written.
  const firstEnd = text.indexOf('\n');
  const first = text.slice(0, Math.max(firstEnd, 0));
  const file: JournalFile<V> = {
    bootId: first.startsWith('B ') ? first.slice(2) : '?',
    damaged: false,
    entries: [],
    starts: [],
  };
  if (firstEnd === -1) return file;
  let count = 0;
  for (let at = firstEnd + 1, end = text.indexOf('\n', at); end !== -1; at = end + 1, end = text.indexOf('\n', at)) {
    if (++count % linesAtOnce === 0) await setImmediate();
    const entry = parseLine<V>(text.slice(at, end), wanted);
    if (entry === 'damaged') file.damaged = true;
    else if (entry === 'unwanted') continue;
    else if ('waits' in entry) file.starts.push(entry);
    else file.entries.push(entry);
  }
  return file;
}

function parseLine<V>(
  line: string,
  wanted: (attempt: Attempt) => boolean,
): JournalFile<V>['entries'][number] | JournalFile<V>['starts'][number] | 'damaged' | 'unwanted' {
  const parts = /^([DRSW]) (\d+) (\d+) (\d+) (\d+) (\d+) (\d+) (\d+)(?: (\{.*\}))?$/.exec(line);
  const isOutcome = parts?.[1] === 'R';
  if (!parts || isOutcome !== (parts[9] !== undefined)) return 'damaged';
  const [account, campaign, seq, lease, attempts, resent, contact] = parts.slice(2, 9).map(Number) as Numbers;
  const attempt = { account, campaign, seq, lease, attempts, resent, contact };
  if (!wanted(attempt)) return 'unwanted';
  if (parts[1] === 'S' || parts[1] === 'W') return { attempt, waits: parts[1] === 'W' };
  try {
    const trace: Trace<V> = isOutcome ? { kind: 'outcome', verdict: JSON.parse(parts[9]!) as V } : { kind: 'dotted' };
    return { attempt, trace };
  } catch {
    return 'damaged';
  }
}

type Numbers = [number, number, number, number, number, number, number];

const segmentNumber = (file: string) => Number(/\.(\d+)\.log$/.exec(file)?.[1] ?? 0);
