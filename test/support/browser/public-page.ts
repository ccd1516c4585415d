// Looks at a public page, which works without a script: accessibility in light and dark, room on a phone, pictures.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { screenshot } from './ui.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Answer = { violations: { id: string; nodes: { html: string }[] }[] };

/** No axe-core violations in light and dark, no sideways scrolling at 360 px; with screenshots. */
export async function lookAt(browser: Browser, page: Page, name: string): Promise<void> {
  // axe-core is a script itself: it gets a copy of the page in a browser that runs them.
  const copy = await browser.newPage({ viewport: page.viewportSize()! });
  await copy.setContent(await page.content());
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await copy.emulateMedia({ colorScheme });
    const found = (await copy.evaluate(
      `(() => { ${axeSource}; return axe.run(document, { resultTypes: ['violations'] }); })()`,
    )) as Answer;
    const violations = found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
    assert.deepEqual(violations, [], `${name} in ${colorScheme}`);
    await screenshot(page, `${name}-${colorScheme}`);
  }
  await copy.close();
  for (const width of [390, 360]) {
    await page.setViewportSize({ width, height: 740 });
    const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    assert.equal(over, 0, `${name} reaches over the side at ${width} px`);
  }
  await screenshot(page, `${name}-phone`);
  await page.setViewportSize({ width: 1_000, height: 800 });
}
