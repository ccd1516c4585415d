// The layout of every screen (visits.ts) with a full demo account. On a phone of 390 and of 360 px: what a thumb can press, and no
// scrolling sideways. Wide and on a phone: nothing moves while the screen loads.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type DemoUi, startDemo } from '../support/browser/demo.ts';
import { layoutShift, smallTargets, spreadAnswers, watchShifts } from '../support/browser/layout.ts';
import { noSidewaysScroll } from '../support/browser/ui.ts';
import { visitAll, visits } from './visits.ts';

/** How far the parts of a screen may move while it loads, as browsers report it (cumulative layout shift). */
const maxShift = 0.02;

let ui: DemoUi;
before(async () => {
  ui = await startDemo();
});
after(() => ui?.close());

test('no screen moves while it loads, and a thumb can press what it shows', async (t) => {
  const prepare = async (page: Page) => {
    await watchShifts(page);
    await spreadAnswers(page);
  };
  const { problems, visited } = await visitAll(
    ui,
    async ({ page, address, note }) => {
      for (const [width, height] of [
        [1280, 800],
        [390, 844],
      ] as const) {
        await page.goto('about:blank');
        await page.setViewportSize({ width, height });
        await ui.open(address, page);
        const { value, parts } = await layoutShift(page);
        if (value > maxShift) note(`at ${width} px it moves by ${value.toFixed(3)}: ${parts.join('; ')}`);
      }
      for (const width of [390, 360]) {
        await page.setViewportSize({ width, height: 844 });
        await noSidewaysScroll(page, width).catch(note);
        for (const target of await smallTargets(page)) note(`at ${width} px: ${target}`);
      }
    },
    { prepare },
  );
  assert.deepEqual(problems, [], problems.join('\n'));
  t.diagnostic(`${visited} addresses of ${Object.keys(visits).length} screens`);
});
