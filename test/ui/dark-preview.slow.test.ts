// The preview in dark mode shows what clients make of an email, and says which.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { contentOf, createDraft, ui } from '../support/browser/composer.ts';
import { axe, eventually, noErrors, noSidewaysScroll, screenshots, settled } from '../support/browser/ui.ts';

/** How bright the middle of the preview is on the screen, from 0 to 255. */
async function brightness(page: Page): Promise<number> {
  const frame = page.locator('iframe[title="Email preview"]');
  const box = (await frame.boundingBox())!;
  const picture = await page.screenshot({ clip: { x: box.x + box.width / 2, y: box.y + 300, width: 4, height: 4 } });
  return page.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = new OffscreenCanvas(1, 1);
    const context = canvas.getContext('2d')!;
    context.drawImage(image, 0, 0, 1, 1);
    const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
    return (red! + green! + blue!) / 3;
  }, picture.toString('base64'));
}

test('the dark preview of an email with fixed colours is dark, and says in which clients', async () => {
  const page = await ui.member();
  const cid = await createDraft('By night', 'Newsletter', page);
  assert.match((await contentOf(cid)).html, /background-color/);
  // Its colours are those of light clients while it is edited, also in a dark application.
  const scheme = (name: string) =>
    page.evaluate((value) => document.documentElement.setAttribute('data-mantine-color-scheme', value), name);
  // An emulated scheme would hold for the frames whatever their own.
  await page.emulateMedia({ colorScheme: null });
  await scheme('dark');
  const editor = (await (await page.locator('iframe[title="Email editor"]').elementHandle())!.contentFrame())!;
  assert.equal(await editor.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches), false);
  await scheme('light');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Preview' });
  await dialog.getByText('Light').waitFor();
  await settled(page);
  await eventually(async () => assert.ok((await brightness(page)) > 200));
  await dialog.getByText('Dark', { exact: true }).click();
  await dialog.getByText('As Outlook and Gmail on iOS show it').waitFor();
  await settled(page);
  await eventually(async () => assert.ok((await brightness(page)) < 60));
  await axe(page, 'dark preview');
  await screenshots(page, 'composer-dark-preview');
  await noSidewaysScroll(page);
  await dialog.getByText('Plain text', { exact: true }).click();
  await dialog.getByText('This email has no colours of its own').waitFor();
  noErrors(page);
});
