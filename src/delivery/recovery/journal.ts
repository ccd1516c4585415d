// The journal of a worker: which final dots it was about to send and what the replies were, line by line on the local
// disk, so that after a crash the recipients the relay has accepted can be distinguished from the others.
//   D account campaign seq lease          about to give the final dot of this message to the socket
//   R account campaign seq lease verdict  the outcome, as JSON
// Lines are written synchronously: once write() has returned they survive a kill -9 of this process (not a power cut;
// the first line names the machine's boot, and a journal of another boot is not trusted). About 1.2 µs a line.
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type Recipient = { account: number; campaign: number; seq: number; lease: number };

/** What the journal shows of a recipient under a lease. */
export type Trace<V> = { kind: 'dotted' } | { kind: 'outcome'; verdict: V };

export type Journal<V> = {
  dot(recipient: Recipient): void;
  outcome(recipient: Recipient, verdict: V): void;
  /** Starts a group of recipients; starts a new file when the present one is large. */
  open(): Segment;
  close(): void;
};

/** Keeps the lines of a group until done() is called: they are needed until its outcomes are committed. */
type Segment = { done(): void };

const segmentBytes = 4 * 1024 * 1024;

/** @param path without the segment's number and ending */
export function openJournal<V>(path: string, bootId: string): Journal<V> {
  mkdirSync(dirname(path), { recursive: true });
  const retired: number[] = [];
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
  const removeUnneeded = () => {
    const needed = openSince.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...openSince);
    while (retired.length > 0 && retired[0]! < needed) rmSync(fileOf(retired.shift()!), { force: true });
  };

  return {
    dot: ({ account, campaign, seq, lease }) => write(`D ${account} ${campaign} ${seq} ${lease}\n`),
    outcome: ({ account, campaign, seq, lease }, verdict) =>
      write(`R ${account} ${campaign} ${seq} ${lease} ${JSON.stringify(verdict)}\n`),
    open() {
      if (bytes > segmentBytes) {
        closeSync(handle);
        retired.push(number);
        handle = begin();
        removeUnneeded();
      }
      const since = number;
      openSince.push(since);
      let ended = false;
      return {
        done() {
          if (ended) return;
          ended = true;
          openSince.splice(openSince.indexOf(since), 1);
          removeUnneeded();
        },
      };
    },
    close() {
      closeSync(handle);
      if (openSince.length === 0) for (const segment of [...retired, number]) rmSync(fileOf(segment), { force: true });
    },
  };
}

/**
 * Reads what a dead worker left behind.
 * @returns the traces by `account campaign seq lease`; undefined when there is no journal that can be believed
 * A torn or garbled line makes the recipients it may have been about unknown, hence `damaged`: with it, a recipient
 * without a trace may have been dotted.
 */
export function readJournal<V>(
  path: string,
  bootId: string,
): { traces: Map<string, Trace<V>>; damaged: boolean } | undefined {
  const folder = dirname(path);
  const name = path.slice(folder.length + 1);
  let files: string[];
  try {
    files = readdirSync(folder)
      .filter((file) => file.startsWith(`${name}.`) && file.endsWith('.log'))
      .sort((a, b) => segmentNumber(a) - segmentNumber(b));
  } catch {
    return undefined;
  }
  if (files.length === 0) return undefined;
  const traces = new Map<string, Trace<V>>();
  let damaged = false;
  for (const file of files) {
    let text: string;
    try {
      text = readFileSync(join(folder, file), 'utf8');
    } catch {
      damaged = true;
      continue;
    }
    const lines = text.split('\n');
    // The last piece is empty when the file ends in a full line; otherwise it is torn. A torn D was never followed by
    // its dot: the dot goes out only after the line is written.
    lines.pop();
    const [first, ...rest] = lines;
    if (first !== `B ${bootId}`) return undefined;
    for (const line of rest) damaged = take(line, traces) || damaged;
  }
  return { traces, damaged };
}

export function removeJournal(path: string): void {
  const folder = dirname(path);
  const name = path.slice(folder.length + 1);
  try {
    for (const file of readdirSync(folder))
      if (file.startsWith(`${name}.`) && file.endsWith('.log')) rmSync(join(folder, file), { force: true });
  } catch {
    // Already removed.
  }
}

export const traceKey = ({ account, campaign, seq, lease }: Recipient) => `${account} ${campaign} ${seq} ${lease}`;

/** True when the line is damaged. */
function take<V>(line: string, traces: Map<string, Trace<V>>): boolean {
  const dotted = /^D (\d+ \d+ \d+ \d+)$/.exec(line);
  if (dotted) {
    traces.set(dotted[1]!, { kind: 'dotted' });
    return false;
  }
  const outcome = /^R (\d+ \d+ \d+ \d+) (\{.*\})$/.exec(line);
  if (!outcome) return true;
  try {
    traces.set(outcome[1]!, { kind: 'outcome', verdict: JSON.parse(outcome[2]!) as V });
    return false;
  } catch {
    return true;
  }
}

const segmentNumber = (file: string) => Number(/\.(\d+)\.log$/.exec(file)?.[1] ?? 0);
