// The user that Chromium runs as when the program runs as root: one that owns nothing, so that a hole in the browser does
// not give root access. Chromium's own sandbox works for such a user where the kernel allows it. Where root may not change
// the user, or the user cannot read the browser, Chromium runs as root and without its sandbox, which it refuses to root.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { moduleUrl } from '../../base/threads/module-url.ts';

/** A number without an account: an account may own files, such as those of the embedded PostgreSQL. Containers map ids below 65536. */
export const browserUser = 61_001;

/** Where root unpacks the packaged browser if the browser's user cannot enter the cache directory. */
const sharedDir = '/var/lib/postrider/cache';

export const isRoot = () => process.getuid?.() === 0;

/** What Playwright starts so that the browser runs as `browserUser`. */
export function asBrowserUser(chromium: { executablePath: string; env: Record<string, string> }) {
  return {
    executablePath: fileURLToPath(moduleUrl('./run-chromium', import.meta.url)),
    env: {
      PATH: [dirname(process.execPath), chromium.env.PATH].filter(Boolean).join(delimiter),
      BROWSER_PATH: chromium.executablePath,
      BROWSER_USER: String(browserUser),
      BROWSER_ENV: JSON.stringify(chromium.env),
    },
  };
}

/** Whether the browser's user can run a program; false too if root may not change the user. */
export const canRun = (path: string) => asUser('test -r "$1" && test -x "$1"', path);

/** Creates the directory for the unpacked browser. @returns one that the browser's user can enter, if there is such */
export function makeCacheDir(cacheDir: string): string {
  make(cacheDir);
  if (!isRoot() || asUser('cd -- "$1"', cacheDir) || !asUser('cd -- "$1"', '/')) return cacheDir;
  make(sharedDir);
  return sharedDir;
}

function make(dir: string): void {
  const created = mkdirSync(dir, { recursive: true });
  // The browser's user may pass through what is created here, though not list it, whatever the umask.
  if (isRoot() && created) for (let at = dir; at.startsWith(created); at = dirname(at)) chmodSync(at, 0o711);
}

// Tried rather than computed from mode bits: access lists and mount options count as well.
function asUser(script: string, path: string): boolean {
  const user = { uid: browserUser, gid: browserUser };
  return spawnSync('/bin/sh', ['-c', script, 'sh', path], { ...user, cwd: '/', stdio: 'ignore' }).status === 0;
}
