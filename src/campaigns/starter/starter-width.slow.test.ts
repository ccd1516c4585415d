// The starter templates in a browser: on a phone and on a desktop, in light and dark, in each language. With PICTURES set, a sheet of all
// of them for each width is saved to /tmp/postrider-ui.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { closeBrowser, testBrowser } from '../../../test/support/browser/chromium.ts';
import { plainBrand } from '../model/plain-brand.ts';
import { withoutTags } from '../templates/preview.ts';
import { starterKeys, starterLanguages, starterNames } from './catalogue.ts';
import { starterSource } from './source.ts';

let browser: Browser;
before(async () => {
  browser = await testBrowser();
});
after(() => closeBrowser(browser));

const widths = [320, 390, 600, 700];
const folder = '/tmp/postrider-ui';

// Dark colours change no widths: they are looked at in one language.
for (const language of starterLanguages)
  for (const colorScheme of language === 'en' ? (['light', 'dark'] as const) : (['light'] as const))
    test(`no template is wider than the screen (${language}, ${colorScheme})`, async () => {
      for (const width of widths) {
        const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
        const page = await context.newPage();
        const pictures: Buffer[] = [];
        for (const key of starterKeys) {
          const name = `${starterNames[language][key]} at ${width}`;
          const addressOf = ({ bytes }: { bytes: Buffer }) => `data:image/png;base64,${bytes.toString('base64')}`;
          await page.setContent(withoutTags(starterSource(key, { brand: plainBrand, language, addressOf })));
          assert.ok((await widthOf(page, 'document.documentElement.scrollWidth')) <= width, name);
          assert.ok((await widthOf(page, 'document.querySelector("table table").offsetWidth')) <= 600, name);
          assert.ok((await widthOf(page, 'document.body.offsetHeight')) > 400, name);
          const broken = '[...document.images].filter((image) => image.naturalWidth === 0).length';
          assert.equal(await widthOf(page, broken), 0, name);
          if (process.env.PICTURES !== undefined) pictures.push(await page.screenshot({ fullPage: true }));
          assert.deepEqual(await tooLong(page), [], name);
        }
        if (pictures.length > 0) await saveSheet(page, pictures, `starters-${language}-${width}-${colorScheme}`);
        await context.close();
      }
    });

const widthOf = (page: Page, expression: string) => page.evaluate<number>(expression);

/** What a word makes wider than its place, where headlines would divide it at any letter. */
async function tooLong(page: Page): Promise<string[]> {
  await page.addStyleTag({ content: 'h1, h2 { overflow-wrap: normal !important; }' });
  return page.evaluate<string[]>(
    `[...document.querySelectorAll('h1, h2, h3, p, div')]
      .filter((element) => element.getClientRects().length > 0)
      .filter((element) => element.scrollWidth > element.clientWidth || element.getBoundingClientRect().right > innerWidth)
      .map((element) => element.innerText)`,
  );
}

/** All pictures beside each other, half their size. */
async function saveSheet(page: Page, pictures: readonly Buffer[], name: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await page.setViewportSize({ width: 1_900, height: 800 });
  const images = pictures.map((png) => `<img src="data:image/png;base64,${png.toString('base64')}" style="width:18%">`);
  await page.setContent(
    `<body style="margin:8px;background:#888;display:flex;flex-wrap:wrap;gap:8px;align-items:start">${images.join('')}`,
  );
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
