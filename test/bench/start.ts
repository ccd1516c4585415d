// Start time and idle memory: `npm run bench -- start [runs]`. Each run starts the program with `npm start` in this clone,
// first with an empty data directory (initdb and all migrations), then again with the same one. Prints medians of the times
// from `npm start` to each step, and of the memory of each process 10 s after the last step. Linux only: memory is read from
// /proc/PID/smaps_rollup. PSS divides the pages of Node among all programs that run it, also this one, so the last row of
// Postrider counts the largest share of files, such as Node, once and adds what each process has alone.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/base/free-port.ts';
import { startOf } from '../../src/db/embedded/processes.ts';
import { bareEnvironment } from '../support/installation/service.ts';

const idleMs = 10_000;
const deadlineMs = 120_000;
const root = join(import.meta.dirname, '../..');
const runs = Number(process.argv[2] ?? 5);

/** Milliseconds since `npm start`, or megabytes, by name. */
type Figures = Map<string, number>;
type Memory = { pss: number; rss: number; own: number; files: number };
type Start = { times: Figures; cpu: Figures; memory: Map<string, Memory> };
type Line = { process: string; pid: number; time: string; msg: string };

/** The steps of a start, each with the log line that shows it. */
const steps: [name: string, process: string, message: string][] = [
  ['parent: code loaded', 'serve', 'starting'],
  ['PostgreSQL runs', 'serve', 'PostgreSQL is running'],
  ['database ready', 'serve', 'database ready'],
  ['web: listening', 'web', 'web listening'],
  ['inbox: listening', 'inbox', 'inbox listening'],
  ['workers: ready', 'work', 'worker ready'],
];

execFileSync('sh', [join(root, 'bin/build-ui')], { stdio: 'inherit' });
const starts: Record<'first' | 'second', Start[]> = { first: [], second: [] };
for (let run = 0; run < runs; run++) {
  const dataDir = mkdtempSync(join(tmpdir(), 'postrider-start-'));
  // As root, the user of the embedded server passes through; otherwise its cluster would be elsewhere, and stay.
  chmodSync(dataDir, 0o711);
  try {
    starts.first.push(await measure(dataDir));
    starts.second.push(await measure(dataDir));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
printTimes();
printMemory('first');
printMemory('second');

async function measure(dataDir: string): Promise<Start> {
  const port = await freePort();
  const lines: Line[] = [];
  const startedAt = Date.now();
  const startedAtUptime = uptimeMs();
  const npm = spawn('npm', ['start', '--silent'], {
    cwd: root,
    env: { ...bareEnvironment, PORT: String(port), DATA_DIR: dataDir, CHROMIUM_PATH: 'none' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface(npm.stdout!).on('line', (text) => {
    if (text.startsWith('{')) lines.push(JSON.parse(text) as Line);
  });
  try {
    const servedAt = await firstPage(`http://127.0.0.1:${port}/app/`, npm);
    const cpu = cpuOf(processes(npm.pid!));
    const workers = processes(npm.pid!).filter(({ name }) => name === 'work').length;
    await until(
      'the workers are ready',
      () => lines.filter(({ msg }) => msg === 'worker ready').length >= Math.max(1, workers),
    );
    await sleep(idleMs);
    const times: Figures = new Map();
    const started = processes(npm.pid!);
    for (const name of ['serve', 'web']) {
      const process = started.find((process) => process.name === name)!;
      times.set(`${name === 'serve' ? 'parent' : name}: process started`, process.startedMs - startedAtUptime);
    }
    for (const [name, part, message] of steps) {
      const shown = lines.filter((line) => line.process === part && line.msg === message);
      if (shown.length > 0) times.set(name, Math.max(...shown.map(({ time }) => Date.parse(time))) - startedAt);
    }
    times.set('first page served', servedAt - startedAt);
    return { times, cpu, memory: memoryOf(started) };
  } finally {
    const serve = processes(npm.pid!).find(({ name }) => name === 'serve');
    const ended = new Promise((resolve) => npm.once('exit', resolve));
    if (serve && npm.exitCode === null) process.kill(serve.pid, 'SIGTERM');
    if (npm.exitCode === null) await ended;
  }
}

/** When the page was served first. */
async function firstPage(url: string, npm: ChildProcess): Promise<number> {
  await until('the page is served', async () => {
    if (npm.exitCode !== null) throw new Error(`npm start ended with ${npm.exitCode}`);
    const response = await fetch(url).catch(() => undefined);
    return response?.status === 200 && (await response.text()).includes('<script');
  });
  return Date.now();
}

async function until(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`In ${deadlineMs / 1_000} s this did not happen: ${what}`);
    await sleep(5);
  }
}

type Process = { pid: number; name: string; startedMs: number };

/** A process and all below it. */
function processes(top: number): Process[] {
  const parents = new Map<number, number>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    parents.set(Number(pid), Number(/^PPid:\s+(\d+)$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0));
  const isBelow = (pid: number): boolean => pid === top || (pid > 1 && isBelow(parents.get(pid) ?? 0));
  return [...parents.keys()].filter(isBelow).map((pid) => ({
    pid,
    name: nameOf(read(`/proc/${pid}/cmdline`).split('\0')),
    // In ticks of 10 ms.
    startedMs: Number(startOf(pid)) * 10,
  }));
}

function nameOf(command: string[]): string {
  const main = command.findIndex((word) => word.endsWith('src/main.ts'));
  if (main >= 0) return command[main + 1]!;
  if (command[0]!.includes('postgres')) return 'PostgreSQL';
  if (command[0]!.startsWith('npm')) return 'npm';
  return 'shell';
}

/** Milliseconds of processor time up to now. */
function cpuOf(all: Process[]): Figures {
  const cpu: Figures = new Map();
  for (const { pid, name } of all) {
    // The second field may hold spaces and brackets, so count from its end (proc(5)). In ticks of 10 ms.
    const fields = read(`/proc/${pid}/stat`).split(') ').at(-1)!.split(' ');
    cpu.set(name, (cpu.get(name) ?? 0) + (Number(fields[11]) + Number(fields[12])) * 10);
  }
  return cpu;
}

function memoryOf(all: Process[]): Start['memory'] {
  const memory: Start['memory'] = new Map();
  for (const { pid, name } of all) {
    const text = read(`/proc/${pid}/smaps_rollup`);
    const megabytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024;
    const before = memory.get(name) ?? { pss: 0, rss: 0, own: 0, files: 0 };
    const rss = megabytes('Rss');
    memory.set(name, {
      pss: before.pss + megabytes('Pss'),
      rss: before.rss + rss,
      own: before.own + megabytes('Pss_Anon'),
      files: Math.max(before.files, rss - megabytes('Anonymous')),
    });
  }
  return memory;
}

function uptimeMs(): number {
  return Number(read('/proc/uptime').split(' ')[0]) * 1_000;
}

/** '' for a process that has just ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function printTimes(): void {
  printFigures('ms since `npm start`', 'times');
  printFigures('ms of processor time until the first page', 'cpu');
}

function printFigures(title: string, kind: 'times' | 'cpu'): void {
  console.log(`${`${title}, median of ${runs}`.padEnd(55)} first start  second start`);
  const of = (which: 'first' | 'second', name: string) => {
    const values = starts[which].flatMap((start) => start[kind].get(name) ?? []);
    return values.length > 0 ? median(values).toFixed(0) : '-';
  };
  const names = [...starts.second[0]![kind]].toSorted(([, a], [, b]) => a - b).map(([name]) => name);
  for (const name of names)
    console.log(`  ${name.padEnd(53)} ${of('first', name).padStart(11)} ${of('second', name).padStart(13)}`);
}

function printMemory(which: 'first' | 'second'): void {
  console.log(`\nMB ${idleMs / 1_000} s after the ${which} start             PSS    RSS`);
  const of = (names: string[], kind: keyof Memory) =>
    median(starts[which].map(({ memory }) => names.reduce((sum, name) => sum + (memory.get(name)?.[kind] ?? 0), 0)))
      .toFixed(0)
      .padStart(6);
  const row = (title: string, names: string[]) =>
    console.log(`  ${title.padEnd(36)} ${of(names, 'pss')} ${of(names, 'rss')}`);
  const others = ['npm', 'PostgreSQL'];
  const ours = [...starts[which][0]!.memory.keys()].filter((name) => !others.includes(name));
  for (const name of ours) row(name === 'work' ? 'work (all)' : name, [name]);
  row('Postrider', ours);
  const alone = starts[which].map(({ memory }) => {
    const parts = ours.map((name) => memory.get(name)!);
    return Math.max(...parts.map(({ files }) => files)) + parts.reduce((sum, { own }) => sum + own, 0);
  });
  console.log(`  ${'Postrider, Node counted once'.padEnd(36)} ${median(alone).toFixed(0).padStart(6)}`);
  for (const name of others) row(name, [name]);
}
