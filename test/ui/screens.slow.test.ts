// Every screen there is (visits.ts), with an account in which everything is filled: nothing that axe finds, in light and
// dark, wide and as on a phone, and nothing that reaches over the side. Takes minutes, so it is run on demand
// (npm run test:screens); each screen's own test asks the same of it with less in it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type DemoUi, startDemo } from '../support/browser/demo.ts';
import { axe, noErrors, noSidewaysScroll, settled } from '../support/browser/ui.ts';
import { outside, visits } from './visits.ts';

let ui: DemoUi;
before(async () => {
  ui = await startDemo();
});
after(() => ui?.close());

test('no screen has anything that axe finds or that reaches over the side, in light and dark, wide and narrow', async (t) => {
  const stranger = await ui.visitor();
  const wrong: string[] = [];
  let seen = 0;
  for (const [route, addresses] of Object.entries(visits))
    for (const address of addresses(ui)) {
      const page = outside.has(route) ? stranger : ui.page;
      // From one address to another that differs behind the # only, nothing would be loaded.
      await page.goto('about:blank');
      await ui.open(address, page);
      await openAll(page);
      const note = (error: unknown) => void wrong.push(`${address}: ${(error as Error).message.slice(0, 1_500)}`);
      await axe(page, `${address}, wide`).catch(note);
      for (const width of [360, 390]) await noSidewaysScroll(page, width).catch(note);
      await page.setViewportSize({ width: 360, height: 740 });
      await axe(page, `${address}, narrow`).catch(note);
      await page.setViewportSize({ width: 1280, height: 800 });
      seen += 1;
    }
  assert.deepEqual(wrong, [], wrong.join('\n\n'));
  noErrors(stranger);
  t.diagnostic(`${seen} addresses of ${Object.keys(visits).length} screens`);
});

/** What folds within the composer is opened. */
async function openAll(page: Page): Promise<void> {
  const folded = page.locator('section[id^="section-"] h2 button[aria-expanded="false"]');
  while ((await folded.count()) > 0) {
    await folded.first().click();
    await settled(page);
  }
}
