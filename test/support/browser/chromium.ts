// The browser of the tests, one for each process. A browser that cannot start fails the test within seconds.
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { type Chromium, findChromium, launchChromium } from '../../../src/campaigns/templates/chromium.ts';

/** A data directory whose cache holds the unpacked browser. */
export const browserDataDir = join(import.meta.dirname, '../../../node_modules/.cache/test-browser');

/** Pages of a test end before optimised code would pay: without it they take a tenth less of a processor. */
const browserArgs = ['--disable-gpu', '--disable-dev-shm-usage', '--js-flags=--no-opt --no-maglev'];

/** An installed Chromium, otherwise the packaged one. */
export async function testChromium(): Promise<Chromium> {
  const found = await findChromium('', join(browserDataDir, 'cache'));
  if (!found) throw new Error('No Chromium: install one, or the optional dependency @sparticuz/chromium (Linux x64)');
  return found;
}

let isShared = false;
let shared: Promise<Browser> | undefined;

/**
 * For a process that runs several files, one after the other: they use one browser.
 * @returns closes it after the last file
 */
export function shareBrowser(): () => Promise<void> {
  isShared = true;
  return async () => (await shared)?.close();
}

/**
 * A new browser, or that of the process. One for all processes would relay every message through the runner, which costs more
 * than its start.
 */
export async function testBrowser(): Promise<Browser> {
  if (!isShared) return launch();
  shared ??= launch();
  return shared;
}

/** Closes the browser; a shared one is left to the next file, without what this file has opened. */
export async function closeBrowser(browser: Browser): Promise<void> {
  if (!isShared) return browser.close();
  await Promise.all(browser.contexts().map((context) => context.close()));
}

async function launch(): Promise<Browser> {
  return launchChromium(await testChromium(), { args: browserArgs, chromiumSandbox: false });
}
