// Where a Chromium is on this machine, and the sentence for a machine that has none. Small, because every start looks.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const installedPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/usr/local/bin/chromium',
  '/usr/local/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** @param path the setting CHROMIUM_PATH */
export const installedChromium = (path: string): string | undefined =>
  (path === '' ? installedPaths : [path]).find((candidate) => existsSync(candidate));

/** The packaged Chromium, if it is installed and runs here: it is for Linux on x64 with the C library of GNU. */
export function packageArchives(): { dir: string; version: string } | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64' || !hasGnuLibrary()) return undefined;
  try {
    const root = new URL('../../', import.meta.resolve('@sparticuz/chromium'));
    const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };
    return { dir: fileURLToPath(new URL('bin/', root)), version };
  } catch {
    return undefined;
  }
}

/** What a person should know at the start; undefined when there is a Chromium or none is wanted. */
export function chromiumProblem(path: string, hasPackage = packageArchives() !== undefined): string | undefined {
  if (path === 'none' || installedChromium(path) !== undefined) return undefined;
  if (path !== '')
    return `CHROMIUM_PATH is ${path}, which does not exist: templates have drawings instead of pictures.`;
  if (hasPackage) return undefined;
  return 'No Chromium was found, so templates have drawings instead of pictures; install it (Debian: apt-get install chromium), or set CHROMIUM_PATH=none.';
}

/** Dynamic programs of Linux are for the C library of GNU (Debian, Red Hat) or for musl (Alpine). */
const hasGnuLibrary = () =>
  existsSync('/lib64/ld-linux-x86-64.so.2') || existsSync('/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2');
