// Every screen (visits.ts) with a full demo account in each language but English: no horizontal scrolling on a phone and on a desktop, as
// texts are longer there, and no key where a text should be.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { languages } from '../../ui/src/text/languages.ts';
import { type DemoUi, startDemo } from '../support/browser/demo.ts';
import { noErrors, noSidewaysScroll, screenshot } from '../support/browser/ui.ts';
import { outside, visits } from './visits.ts';

let ui: DemoUi;
before(async () => {
  ui = await startDemo();
});
after(() => ui?.close());

for (const language of Object.keys(languages).filter((language) => language !== 'en'))
  test(`no screen scrolls sideways in ${language}`, async () => {
    const stranger = await ui.visitor();
    const problems: string[] = [];
    for (const page of [stranger, ui.page]) {
      await ui.open('/', page);
      await page.evaluate((wanted) => localStorage.setItem('postrider-language', wanted), language);
    }
    for (const [route, addresses] of Object.entries(visits)) {
      // The first address of a screen: its tabs have the same frame.
      const address = addresses(ui)[0]!;
      const page = outside.has(route) ? stranger : ui.page;
      await page.goto('about:blank');
      await page.setViewportSize({ width: 1280, height: 900 });
      await ui.open(address, page);
      const note = (error: unknown) => void problems.push(`${address}: ${(error as Error).message.slice(0, 1_500)}`);
      if ((await page.evaluate(() => document.documentElement.lang)) !== language)
        problems.push(`${address}: language`);
      const name = `${language}-${address.replace(/\W+/g, '-').slice(0, 40)}`;
      await screenshot(page, name);
      for (const width of [360, 1280]) await noSidewaysScroll(page, width).catch(note);
      await page.setViewportSize({ width: 390, height: 844 });
      await screenshot(page, `${name}-phone`);
    }
    assert.deepEqual(problems, [], problems.join('\n\n'));
    noErrors(stranger);
  });
