// What is selected in the visual editor, and how that ends: by a click beside the blocks, by Escape, and on a phone by Done.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { contentOf, createDraft, saved, ui, visual } from '../support/browser/composer.ts';
import {
  axe,
  eventually,
  noErrors,
  noSidewaysScroll,
  owner,
  screenshots,
  shows,
  writing,
} from '../support/browser/ui.ts';

const heading = 'A heading that says';
const text = 'Write your news here';

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

async function draft(subject: string, options?: BrowserContextOptions): Promise<{ page: Page; cid: string }> {
  const page = await ui.visitor(options);
  await page.request.post(`${ui.installation.base}/session`, { data: owner });
  const cid = await createDraft(subject, 'Newsletter', page);
  await visual(page).getByText(heading).waitFor();
  return { page, cid };
}

/** What the panel, or on a phone the button of its sheet, is about. */
const panelIs = (page: Page, name: string) => page.getByRole('heading', { name, level: 3, exact: true }).waitFor();
/** In the ground around the email, above its first block. */
const ground = { position: { x: 60, y: 6 } };

test('a click beside the blocks, or Escape, ends the selection and shows the settings of the page', async () => {
  const { page, cid } = await draft('Nothing selected');
  const before = (await contentOf(cid)).html;
  await panelIs(page, 'Email settings');
  await visual(page).getByText(heading).click();
  await panelIs(page, 'Heading');
  await visual(page).locator('html').click(ground);
  await panelIs(page, 'Email settings');
  assert.equal(await page.getByRole('toolbar', { name: 'Block' }).count(), 0);
  // The first Escape ends writing, the second the selection.
  await visual(page).getByText(text).dblclick();
  await writing(page);
  await page.keyboard.press('Escape');
  await eventually(async () => assert.equal(await visual(page).locator('[contenteditable="true"]').count(), 0));
  await panelIs(page, 'Text');
  await page.keyboard.press('Escape');
  await panelIs(page, 'Email settings');
  // What was typed is kept when a click beside the blocks ends writing.
  await visual(page).getByText(heading).dblclick();
  await writing(page);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('The herons are back');
  await visual(page).locator('html').click(ground);
  await panelIs(page, 'Email settings');
  await saved(page);
  assert.equal((await contentOf(cid)).html, before.replace(/A heading that says[^<]*/, 'The herons are back'));
  // A block that is added then comes last, as without a selection.
  await page.getByRole('group', { name: 'Blocks' }).getByRole('button', { name: 'Divider', exact: true }).click();
  await eventually(async () => assert.match((await contentOf(cid)).html, /Write your news[\s\S]*border-top/));
  noErrors(page);
});

test('on a phone Done, or a tap beside the blocks, ends the selection; the block is in sight above its settings', async () => {
  const { page } = await draft('Selected on the way', phone);
  const settings = (name: string) => page.getByRole('button', { name, exact: true });
  const done = page.getByRole('button', { name: 'Done', exact: true });
  assert.equal(await done.isVisible(), false, 'nothing is selected');
  await visual(page).getByText(text).tap();
  await settings('Text').tap();
  await page.getByRole('textbox', { name: 'Text size' }).waitFor();
  const sheet = (await page.getByRole('heading', { name: 'Text', level: 3 }).boundingBox())!;
  await eventually(async () => {
    const block = (await visual(page).getByText(text).boundingBox())!;
    assert.ok(block.y > 56 && block.y + 24 < sheet.y, `the block is at ${block.y}, its settings are at ${sheet.y}`);
  });
  await axe(page, 'sheet of a block on a phone');
  await screenshots(page, 'composer-phone-settings');
  await done.tap();
  await settings('Design').and(page.locator(':focus')).waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Text size' }).count(), 0);
  // Without the sheet.
  await visual(page).getByText(text).tap();
  await settings('Text').waitFor();
  await noSidewaysScroll(page);
  await done.tap();
  await settings('Design').waitFor();
  // A tap beside the blocks ends it too, and closes the sheet.
  await visual(page).getByText(text).tap();
  await settings('Text').tap();
  await page.getByRole('textbox', { name: 'Text size' }).waitFor();
  await visual(page)
    .locator('html')
    .tap({ position: { x: 5, y: 170 } });
  await settings('Design').waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Email width' }).isVisible(), false);
  noErrors(page);
});

test('beside a selected block are its settings, with a way back to the blocks and the settings of the email', async () => {
  const { page } = await draft('The way back', { viewport: { width: 1280, height: 800 } });
  const back = page.getByRole('button', { name: 'All blocks' });
  await panelIs(page, 'Email settings');
  await panelIs(page, 'Blocks');
  await shows(back, 0);
  await visual(page).getByText(text).click();
  await panelIs(page, 'Text');
  await shows(page.getByRole('heading', { name: 'Email settings' }), 0);
  await back.click();
  await panelIs(page, 'Email settings');
  noErrors(page);
});

test('the settings of a block begin in the upper half of the window, below all blocks', async () => {
  const { page } = await draft('Settings in sight', { viewport: { width: 1280, height: 800 } });
  const blocks = page.getByRole('group', { name: 'Blocks' }).getByRole('button');
  const count = await blocks.count();
  await visual(page).getByText(text).click();
  await panelIs(page, 'Text');
  const { y } = (await page.getByRole('heading', { name: 'Text', level: 3 }).boundingBox())!;
  assert.ok(y < 400, `they begin at ${y}`);
  assert.equal(await blocks.count(), count);
  await blocks.first().hover();
  await page.getByRole('tooltip', { name: 'Heading' }).waitFor();
  // The others have a name too, which is explained to the keyboard as well.
  await page.mouse.move(0, 0);
  await blocks.first().focus();
  for (const name of ['Text', 'Image', 'Image and text', 'Button', 'Two columns']) {
    await page.keyboard.press('Tab');
    await page.getByRole('tooltip', { name, exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name, exact: true }).evaluate((one) => one.matches(':focus')), true);
  }
  await axe(page, 'blocks beside the settings');
  noErrors(page);
});
