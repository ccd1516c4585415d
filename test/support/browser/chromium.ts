// The browser of the tests, one for each file. A browser that cannot start fails the test within seconds.
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

/** A new browser. One for all files would relay every message through the runner, which costs more than its start. */
export async function testBrowser(): Promise<Browser> {
  return launchChromium(await testChromium(), { args: browserArgs, chromiumSandbox: false });
}
