// A command of the program as a separate process with an existing database: a worker, the web process, a command line.
// Knows its process by id, so that a test can kill it, and reports how it ended.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { bareEnvironment } from './service.ts';

const root = join(import.meta.dirname, '../../..');

/** Ends the program when it is killed itself. */
const otherMachine = ['unshare', '--pid', '--fork', '--uts', '--mount-proc', '--kill-child'];

/** Why no program can run as on another machine here; undefined if one can. */
export function missingForHosts(): string | undefined {
  const [command = '', ...words] = [...otherMachine, 'hostname', 'another'];
  return spawnSync(command, words).status === 0 ? undefined : 'namespaces are not permitted';
}

export type Program = {
  readonly pid: number;
  readonly alive: boolean;
  /** Standard output and error up to now. */
  readonly output: string;
  /** Resolves when a long-running command is up, or has ended. */
  ready: Promise<void>;
  /** The exit code, or null after a signal. */
  ended: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
  /** SIGTERM, and the wait for the end. */
  stop(): Promise<number | null>;
};

/**
 * @param node options of Node itself, such as a module to load before the program
 * @param host runs the program as on another machine: under this host name, with process ids of its own, and again when it ends
 */
export function startProgram(
  args: readonly string[],
  settings: Record<string, string>,
  node: readonly string[] = [],
  host?: string,
): Program {
  const [command = '', ...words] = [
    ...(host === undefined ? [] : [...otherMachine, 'sh', '-c', `hostname ${host}; while :; do "$0" "$@"; done`]),
    process.execPath,
    ...node,
    join(root, 'src/main.ts'),
    ...args,
  ];
  const child: ChildProcess = spawn(command, words, {
    env: {
      ...bareEnvironment,
      NODE_NO_WARNINGS: '1',
      LOG_LEVEL: 'info',
      DNS_SERVERS: '127.0.0.1:9',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      output = (output + text).slice(-100_000);
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const ready = new Promise<void>((resolve) => {
    child.once('message', () => resolve());
    child.once('exit', () => resolve());
  });
  return {
    pid: child.pid!,
    get alive() {
      return child.exitCode === null && child.signalCode === null;
    },
    get output() {
      return output;
    },
    ready,
    ended,
    kill: (signal) => void child.kill(signal),
    async stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}
