// Every screen (visits.ts) with a full demo account: no axe findings and no horizontal scrolling, in light and dark, on
// desktop and phone. Takes minutes, so it runs on demand (npm run test:screens); each screen's own test checks the same
// with less data.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type DemoUi, startDemo } from '../support/browser/demo.ts';
import { axe, noSidewaysScroll, settled } from '../support/browser/ui.ts';
import { visitAll, visits } from './visits.ts';

let ui: DemoUi;
before(async () => {
  ui = await startDemo();
});
after(() => ui?.close());

test('no screen has axe findings or scrolls sideways, in light and dark, on desktop and phone', async (t) => {
  const { problems, visited } = await visitAll(ui, async ({ page, address, note }) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await ui.open(address, page);
    await openAll(page);
    await axe(page, `${address}, wide`).catch(note);
    for (const width of [360, 390, 1440]) await noSidewaysScroll(page, width).catch(note);
    await page.setViewportSize({ width: 390, height: 844 });
    await axe(page, `${address}, narrow`).catch(note);
  });
  assert.deepEqual(problems, [], problems.join('\n\n'));
  t.diagnostic(`${visited} addresses of ${Object.keys(visits).length} screens`);
});

/** Opens every section of the composer, but no sheet: it would cover the others. The tests of attachments, languages and A/B tests check theirs. */
async function openAll(page: Page): Promise<void> {
  const closed = page.locator('section[id^="section-"] h2 button[aria-expanded="false"]:not([aria-haspopup])');
  while ((await closed.count()) > 0) {
    await closed.first().click();
    await settled(page);
  }
}
