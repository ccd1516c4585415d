// One owner for a data directory: a file that names the owning process and when it started, so that a file left behind
// by a killed process, or by one whose number was given to another since, is told apart from a live owner's.
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** @returns the function that gives the directory back  @throws Error naming the owner */
export function takeDirectory(dataDir: string): () => void {
  const file = join(dataDir, 'owner');
  const mine = `${process.pid} ${startOf(process.pid)}\n`;
  for (let tries = 0; ; tries++) {
    try {
      const handle = openSync(file, 'wx', 0o644);
      writeSync(handle, mine);
      closeSync(handle);
      return () => {
        if (read(file) === mine) rmSync(file, { force: true });
      };
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST' || tries > 5) throw error;
    }
    const [pid, start] = read(file).trim().split(' ');
    if (pid && startOf(Number(pid)) === start) {
      throw new Error(
        `The data directory ${dataDir} is in use by another Postrider (process ${pid}). Stop that one first, or set DATA_DIR to another directory.`,
      );
    }
    rmSync(file, { force: true });
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** When a process started, in clock ticks since the machine did; '' when there is no such process. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces; the fields count from behind it. Field 22 is the start time.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    try {
      process.kill(pid, 0);
      return 'alive';
    } catch {
      return '';
    }
  }
}
