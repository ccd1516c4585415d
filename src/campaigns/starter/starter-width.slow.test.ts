// The starter templates are readable on a small screen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testChromium } from '../../../test/support/browser/chromium.ts';
import { withPage } from '../templates/preview.ts';
import { starterTemplates } from './starter.ts';

test('no template is wider than the screen, on phone and desktop, in light and dark', async () => {
  const chromium = await testChromium();
  for (const { name, source } of starterTemplates) {
    for (const width of [320, 1200]) {
      const shown = await withPage(
        chromium,
        { width, height: 800 },
        source,
        async () => undefined,
        async (page) => {
          const [sheet] = await page.locator('table table').all();
          return {
            height: (await page.locator('body').boundingBox())!.height,
            sheet: (await sheet!.boundingBox())!.width,
          };
        },
      );
      assert.ok(shown.sheet <= Math.min(width, 600), `${name} at ${width}: ${shown.sheet}`);
      assert.ok(shown.height > 300, name);
    }
  }
});
