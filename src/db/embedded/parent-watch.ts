// Shuts the server down when this program dies without being able to: a small shell that reads from a pipe, which closes
// with the program. Plain POSIX sh, since a parent-death signal exists on Linux only and needs a native call.
// A killed shell is restarted; if shell and program are killed together, the next start finds the server.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Place } from './place.ts';

export type ParentWatch = {
  /** Names the server to shut down, in place of the one named before. */
  watchOver(pid: number): void;
  /** There is nothing left to shut down. */
  dismiss(): void;
};

// Reads process ids until the pipe closes; the last one counts. It must be the one in the server's own pid file, so that
// another process with a reused pid is left alone. Fast shutdown first, immediate shutdown after a minute.
const script = `
pid=
while read -r line; do pid=$line; done
running() { read -r current 2>/dev/null < "$1/postmaster.pid" && [ "$current" = "$pid" ] && kill -0 "$pid" 2>/dev/null; }
[ -n "$pid" ] || exit 0
running "$1" || sleep 1
running "$1" || exit 0
kill -INT "$pid"
waited=0
while running "$1"; do
  sleep 1
  waited=$((waited + 1))
  [ "$waited" -lt 60 ] || { kill -QUIT "$pid"; exit 0; }
done`;

/** The shell's name in the list of processes. */
export const parentWatchName = 'postrider-parent-watch';

export function watchParent(place: Place): ParentWatch {
  let current = '';
  let dismissed = false;
  let shell: ChildProcess;
  const start = () => {
    shell = spawn('/bin/sh', ['-c', script, parentWatchName, place.clusterDir], {
      ...place.runAs,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    shell.unref();
    // A write to a shell that has just been killed may fail; its successor gets the same line.
    shell.stdin!.on('error', () => undefined);
    (shell.stdin as unknown as { unref?: () => void }).unref?.();
    shell.once('error', () => undefined);
    shell.once('exit', () => {
      if (!dismissed) setTimeout(start, 1_000).unref();
    });
    if (current) shell.stdin!.write(`${current}\n`);
  };
  start();
  return {
    watchOver(pid) {
      current = String(pid);
      shell.stdin!.write(`${current}\n`);
    },
    dismiss() {
      dismissed = true;
      shell.stdin!.end('\n');
    },
  };
}
