// Ends the server when our process dies without being able to: a small shell that waits at a pipe which closes with us.
// Plain POSIX sh, because a kernel's parent-death signal exists on Linux only and needs a native call.
// If the shell itself is killed it is started anew; if it is killed together with us, the next start finds the server.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Place } from './place.ts';

export type Undertaker = {
  /** From now on this is the server to end. */
  watchOver(pid: number): void;
  /** Nothing to end any more. */
  dismiss(): void;
};

// Reads process ids until the pipe closes; the last one is meant. The server's own pid file must name the same, so that
// a number that has gone to another process is left alone. Fast shutdown first, immediate after a minute.
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

export function endOnOurDeath(place: Place): Undertaker {
  let current = '';
  let dismissed = false;
  let shell: ChildProcess;
  const begin = () => {
    shell = spawn('/bin/sh', ['-c', script, 'postrider-undertaker', place.clusterDir], {
      ...place.runAs,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    shell.unref();
    // Writing to a shell that has just been killed is no fault of ours; its successor is told the same.
    shell.stdin!.on('error', () => undefined);
    (shell.stdin as unknown as { unref?: () => void }).unref?.();
    shell.once('error', () => undefined);
    shell.once('exit', () => {
      if (!dismissed) setTimeout(begin, 1_000).unref();
    });
    if (current) shell.stdin!.write(`${current}\n`);
  };
  begin();
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
