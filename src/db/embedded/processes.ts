// Finds the processes of one cluster, and ends those that a killed program left behind.
// They are recognised by the cluster's name, which PostgreSQL shows in the command line of each: every user can read it
// (unlike /proc/PID/cwd, which needs a capability that root in a container lacks), and it is never reused.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Process ids of the cluster's postmaster and all its children, whatever their parent is now. */
export function clusterProcesses(clusterName: string): number[] {
  const child = `postgres: ${clusterName}: `;
  const postmaster = `cluster_name=${clusterName}`;
  return commandLines()
    .filter(({ command }) => command.startsWith(child) || command.split(' ').includes(postmaster))
    .map(({ pid }) => pid);
}

/**
 * Ends all processes of the cluster. An orphaned postmaster is shut down in order: open transactions are rolled back, all
 * else reaches the disk. Children without a postmaster are killed, since they would keep the next server from starting.
 * Nothing committed is lost either way.
 */
export async function endLeftovers(clusterName: string, clusterDir: string): Promise<'none' | 'stopped' | 'killed'> {
  let left = clusterProcesses(clusterName);
  if (left.length === 0) {
    removeStalePidFile(clusterDir);
    return 'none';
  }
  const postmaster = postmasterPid(clusterDir);
  if (postmaster !== undefined && left.includes(postmaster)) {
    for (const [signal, waitMs] of [
      ['SIGINT', 60_000],
      ['SIGQUIT', 5_000],
    ] as const) {
      signalProcess(postmaster, signal);
      if (await haveEnded(clusterName, waitMs)) return 'stopped';
    }
  }
  left = clusterProcesses(clusterName);
  for (const pid of left) signalProcess(pid, 'SIGKILL');
  await haveEnded(clusterName, 5_000);
  removeStalePidFile(clusterDir);
  return 'killed';
}

/** The process id in the cluster's pid file, running or not. */
function postmasterPid(clusterDir: string): number | undefined {
  const pid = Number(pidFileLines(clusterDir)[0]);
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

/** Whether the server with this process id accepts connections, by its own pid file. */
export function isReady(clusterDir: string, pid: number): boolean {
  const lines = pidFileLines(clusterDir);
  // Line 1 is the process id, line 8 the state (PostgreSQL: miscadmin.h, LOCK_FILE_LINE_PM_STATUS).
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** When the process started, in the kernel's ticks: with the pid it identifies a process. '' where there is no /proc. */
export function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Field 22; the second field may hold spaces and brackets, so count from its end (proc(5)).
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

async function haveEnded(clusterName: string, waitMs: number): Promise<boolean> {
  const until = Date.now() + waitMs;
  for (;;) {
    if (clusterProcesses(clusterName).length === 0) return true;
    if (Date.now() > until) return false;
    await sleep(20);
  }
}

// After a restart of the machine or container the pid in the file may belong to another process, which PostgreSQL would
// take for a running server. The caller holds the lock and no process of the cluster is running: the file is stale.
function removeStalePidFile(clusterDir: string): void {
  const pid = postmasterPid(clusterDir);
  if (pid !== undefined && isAlive(pid)) rmSync(join(clusterDir, 'postmaster.pid'), { force: true });
}

function pidFileLines(clusterDir: string): string[] {
  try {
    return readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function commandLines(): { pid: number; command: string }[] {
  if (!existsSync('/proc/self/cmdline')) {
    const list = execFileSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8', maxBuffer: 16 << 20 });
    return list.split('\n').flatMap((line) => {
      const match = /^\s*(\d+) (.*)$/.exec(line);
      return match ? [{ pid: Number(match[1]), command: match[2]! }] : [];
    });
  }
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      // A zombie, whose parent has not yet read its exit code, has an empty command line.
      return command === '' ? [] : [{ pid: Number(name), command }];
    } catch {
      return [];
    }
  });
}
