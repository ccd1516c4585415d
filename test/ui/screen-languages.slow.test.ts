// Every screen (visits.ts) with a full demo account in each language but English: no horizontal scrolling on a phone and on a desktop and
// no button that is cut, as texts are longer there, and no key where a text should be.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { languages } from '../../ui/src/text/languages.ts';
import { type DemoUi, startDemo } from '../support/browser/demo.ts';
import { cutButtons } from '../support/browser/layout.ts';
import { noSidewaysScroll, screenshot } from '../support/browser/ui.ts';
import { visitAll } from './visits.ts';

let ui: DemoUi;
before(async () => {
  ui = await startDemo();
});
after(() => ui?.close());

for (const language of Object.keys(languages).filter((language) => language !== 'en'))
  test(`no screen scrolls sideways or cuts a button in ${language}`, async () => {
    const prepare = async (page: Page) => {
      await ui.open('/', page);
      await page.evaluate((wanted) => localStorage.setItem('postrider-language', wanted), language);
    };
    // The first address of a screen: its tabs have the same frame.
    const { problems } = await visitAll(
      ui,
      async ({ page, address, note }) => {
        await page.setViewportSize({ width: 1280, height: 900 });
        await ui.open(address, page);
        if ((await page.evaluate(() => document.documentElement.lang)) !== language) note('is in another language');
        const name = `${language}-${address.replace(/\W+/g, '-').slice(0, 40)}`;
        await screenshot(page, name);
        for (const width of [360, 1280]) await noSidewaysScroll(page, width).catch(note);
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 844 });
          for (const cut of await cutButtons(page)) note(`at ${width} px ${cut}`);
        }
        await screenshot(page, `${name}-phone`);
      },
      { firstOnly: true, prepare },
    );
    assert.deepEqual(problems, [], problems.join('\n\n'));
  });
