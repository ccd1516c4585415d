// What processes have used: seconds of CPU, and the highest memory. From /proc, so on Linux only.
import { readdirSync, readFileSync } from 'node:fs';
import type { Part as AnyPart, Installation } from '../installation/installation.ts';

export type Part = Exclude<AnyPart, 'inbox'>;

/** Seconds of CPU that the processes of each kind have used, with those of their children, ended or not. */
export function cpuOf(installation: Installation): Record<Part, number> {
  const seconds = (part: Part) => cpuOfProcesses(installation.pids(part));
  return { work: seconds('work'), web: seconds('web'), postgres: seconds('postgres') };
}

/** Seconds of CPU that processes have used, with those of their children, ended or not. */
export function cpuOfProcesses(pids: readonly number[]): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]!.split(' ');
        // Numbers of proc(5), from the third on: parent, then user and system time, own and of children waited for.
        const used = [11, 12, 13, 14].reduce((sum, field) => sum + Number(stat[field]), 0) / 100;
        return [{ pid: Number(name), parent: Number(stat[1]), used }];
      } catch {
        return [];
      }
    });
  const own = new Set(pids);
  return all.filter(({ pid, parent }) => own.has(pid) || own.has(parent)).reduce((sum, { used }) => sum + used, 0);
}

/** Seconds that the cores of this machine have worked, for whatever process: proc(5). */
export function busySeconds(): number {
  const fields = readFileSync('/proc/stat', 'utf8').split('\n')[0]!.trim().split(/\s+/).slice(1).map(Number);
  // User, nice, system and, after idle and waiting for disks, interrupts and soft interrupts.
  return [0, 1, 2, 5, 6].reduce((sum, field) => sum + fields[field]!, 0) / 100;
}

export function peakMegabytes(pid: number): number {
  try {
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024);
  } catch {
    return 0;
  }
}
