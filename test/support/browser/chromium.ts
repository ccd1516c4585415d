// The browser of the tests. test/run.ts starts one for the whole run and names it in TEST_BROWSER; a single test file that
// runs without it starts its own. A browser that cannot start fails the test within seconds.
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { type Chromium, findChromium, launchChromium } from '../../../src/campaigns/templates/chromium.ts';

/** A data directory whose cache holds the unpacked browser. */
export const browserDataDir = join(import.meta.dirname, '../../../node_modules/.cache/test-browser');

export const browserArgs = ['--disable-gpu', '--disable-dev-shm-usage'];

/** An installed Chromium, otherwise the packaged one. */
export async function testChromium(): Promise<Chromium> {
  const found = await findChromium('', join(browserDataDir, 'cache'));
  if (!found) throw new Error('No Chromium: install one, or the optional dependency @sparticuz/chromium (Linux x64)');
  return found;
}

/** The shared browser, or a new one; closing it leaves a shared browser running. */
export async function testBrowser(): Promise<Browser> {
  const shared = process.env.TEST_BROWSER;
  if (shared) return chromium.connect(shared, { timeout: 15_000 });
  return launchChromium(await testChromium(), { args: browserArgs, chromiumSandbox: false });
}
