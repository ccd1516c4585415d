// The bar above the email in the visual editor, the menus that open while one types, and blocks that are copied and dragged.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { contentOf, createDraft, saved, ui, visual } from '../support/browser/composer.ts';
import { axe, eventually, noErrors, noSidewaysScroll, screenshots, writing } from '../support/browser/ui.ts';

const greeting = 'Write your news here';
const heading = 'A heading that says what this is about';
const html = async (cid: string) => (await contentOf(cid)).html.replaceAll(/([:;,]) /g, '$1');
const becomes = (cid: string, expected: RegExp) => eventually(async () => assert.match(await html(cid), expected));
const bar = (page: Page) => page.getByRole('toolbar', { name: 'Text' });
const block = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function draft(subject: string): Promise<{ page: Page; cid: string }> {
  const page = await ui.member();
  const cid = await createDraft(subject, 'Newsletter', page);
  await visual(page).getByText(heading).waitFor();
  return { page, cid };
}

async function writeIn(page: Page, words: string) {
  await visual(page).getByText(words).dblclick();
  await writing(page);
}

async function chooseWord(page: Page, letters: number) {
  await page.keyboard.press('Control+Home');
  for (let letter = 0; letter < letters; letter++) await page.keyboard.press('Shift+ArrowRight');
}

test('words get a link, a colour and a place from the bar, and a link is changed and removed there', async () => {
  const { page, cid } = await draft('Words with a link');
  await writeIn(page, greeting);
  await chooseWord(page, 5);
  const link = bar(page).getByRole('button', { name: 'Link' });
  const address = page.getByRole('textbox', { name: 'Address' });
  await link.click();
  await address.fill('https://example.com/a');
  await axe(page, 'link of words');
  await address.press('Enter');
  await becomes(cid, /<a href="https:\/\/example\.com\/a"[^>]*>Hello<\/a>/);
  await link.click();
  assert.equal(await address.inputValue(), 'https://example.com/a');
  await address.fill('https://example.com/b');
  await address.press('Enter');
  await becomes(cid, /<a href="https:\/\/example\.com\/b"[^>]*>Hello<\/a>/);
  await link.click();
  await page.getByRole('button', { name: 'Remove link' }).click();
  await becomes(cid, /[> ]Hello \*/);
  await chooseWord(page, 5);
  await bar(page).getByRole('button', { name: 'Text colour of the words' }).click();
  await axe(page, 'colour of words');
  await screenshots(page, 'composer-word-colour');
  await page.getByRole('button', { name: '#59626d' }).click();
  await becomes(cid, /<span style="color:rgb\(89,98,109\);?"[^>]*>Hello<\/span>/);
  await bar(page).getByRole('button', { name: 'Alignment' }).click();
  await page.getByRole('menuitem', { name: 'Centre' }).click();
  await becomes(cid, /<td style="[^"]*text-align:center[^"]*">/);
  await noSidewaysScroll(page);
  noErrors(page);
});

test('a new text is replaced by what is typed next', async () => {
  const { page, cid } = await draft('Typed at once');
  await block(page, 'Text');
  await writing(page);
  await page.keyboard.type('The heron is back.');
  await becomes(cid, />The heron is back\.<\/td>/);
  assert.doesNotMatch(await html(cid), /A paragraph/);
  noErrors(page);
});

test('in a text, "/" offers blocks and "{" merge tags, chosen by the keyboard', async () => {
  const { page, cid } = await draft('Menus while typing');
  await writeIn(page, greeting);
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' Dear {');
  const menu = page.getByRole('listbox', { name: 'Insert merge tag' });
  await menu.waitFor();
  await page.keyboard.type('first');
  assert.deepEqual(await menu.getByRole('option').count(), 1);
  await axe(page, 'menu of merge tags');
  await screenshots(page, 'composer-typed-menu');
  await page.keyboard.press('Enter');
  await page.keyboard.type(', and/or {');
  await page.keyboard.press('Escape');
  await becomes(cid, /Dear \*\|FNAME\|\*,and\/or \{/);
  // All blocks are offered, also those that are scrolled to, and the line that is written is not covered.
  await page.keyboard.type(' /');
  const blocks = page.getByRole('listbox', { name: 'Blocks' });
  assert.equal(await blocks.getByRole('option').count(), 13);
  await axe(page, 'menu of blocks');
  await page.keyboard.press('ArrowUp');
  const last = blocks.getByRole('option', { name: 'Footer' });
  await eventually(async () => {
    const [around, option] = [(await blocks.boundingBox())!, (await last.boundingBox())!];
    assert.equal(await last.getAttribute('aria-selected'), 'true');
    assert.ok(option.y >= around.y && option.y + option.height <= around.y + around.height + 1, 'in view');
  });
  const line = (await visual(page).getByText('Dear').boundingBox())!;
  const menuBox = (await blocks.boundingBox())!;
  assert.ok(menuBox.y >= line.y || menuBox.y + menuBox.height <= line.y + line.height);
  await screenshots(page, 'composer-typed-blocks');
  await page.keyboard.type('bu');
  await blocks.waitFor();
  await page.keyboard.press('Enter');
  await becomes(cid, /Read more/);
  assert.doesNotMatch(await html(cid), /\/bu/);
  noErrors(page);
});

test('letters pressed while a block is selected are no shortcuts, and the preview opens with Ctrl', async () => {
  const { page } = await draft('Letters without a text');
  const { pathname } = new URL(page.url());
  await visual(page).getByText(heading).click();
  for (const key of ['p', '/', '?', 'g', 'c']) await page.keyboard.press(key);
  await page.keyboard.press('Control+p');
  await page.getByRole('dialog', { name: 'Preview' }).waitFor();
  assert.equal(await page.getByRole('dialog').count(), 1);
  assert.equal(new URL(page.url()).pathname, pathname);
  noErrors(page);
});

test('a block is copied into another email, and dragged to another place', async () => {
  const { page, cid } = await draft('The email copied from');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await block(page, 'Button');
  await page.getByRole('textbox', { name: 'Label' }).fill('To the lake');
  await becomes(cid, /To the lake/);
  await page.getByRole('button', { name: 'Copy block' }).click();
  await page.getByText(/^Copied\./).waitFor();
  await saved(page);
  const other = await createDraft('The email copied to', 'Newsletter', page);
  await visual(page).getByText(heading).click();
  await page.keyboard.press('Control+v');
  await becomes(other, /A heading that[\s\S]*To the lake[\s\S]*Write your news/);
  // Dragged by its handle above the heading.
  await visual(page).getByText('To the lake').click();
  await page
    .getByRole('button', { name: 'Drag the block' })
    .dragTo(visual(page).getByText(heading), { targetPosition: { x: 40, y: 4 } });
  await becomes(other, /To the lake[\s\S]*A heading that/);
  // One step for Undo.
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await becomes(other, /A heading that[\s\S]*To the lake/);
  noErrors(page);
});

test('merge tags show the value of the example contact, and themselves while their text is written', async () => {
  const { page, cid } = await draft('Chips with values');
  const before = await html(cid);
  const chip = visual(page).locator('span[data-title*="FNAME"]');
  await eventually(async () => assert.equal(await chip.textContent(), 'Ada'));
  assert.match((await chip.getAttribute('data-title'))!, /^First name \*\|FNAME:friend\|\*$/);
  // A chip is as wide as its value, which has taken the place of the tag.
  await visual(page).getByText('Hello Ada, ').waitFor();
  const widths = await chip.evaluate((element) => {
    const letters = element.ownerDocument.createRange();
    letters.selectNodeContents(element);
    return [element.getBoundingClientRect().width, letters.getBoundingClientRect().width];
  });
  assert.ok(Math.abs(widths[0]! - widths[1]!) < 1, `the chip is ${widths[0]} wide, its words are ${widths[1]}`);
  await chip.scrollIntoViewIfNeeded();
  const box = (await chip.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await visual(page).locator('html[title^="First name"]').waitFor();
  await writeIn(page, greeting);
  await eventually(async () => assert.equal(await chip.count(), 0));
  await visual(page).getByText('*|FNAME:friend|*').waitFor();
  await visual(page).getByText(heading).click();
  await eventually(async () => assert.equal(await chip.count(), 1));
  await screenshots(page, 'composer-tag-values');
  await saved(page);
  assert.equal(await html(cid), before, 'nothing of the chips is in the email');
  noErrors(page);
});

test('on a phone the email comes first, and blocks and settings are in a sheet from below', async () => {
  const { page, cid } = await draft('Written on the way');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  await visual(page).getByText(heading).waitFor();
  const email = (await page.locator('iframe[title="Email editor"]').boundingBox())!;
  assert.ok(email.y < 844 / 2, `the email begins at ${email.y}`);
  assert.equal(await page.getByRole('group', { name: 'Blocks' }).isVisible(), false);
  await page.getByRole('button', { name: 'Add block' }).click();
  await page.getByRole('heading', { name: 'Add block' }).and(page.locator(':focus')).waitFor();
  await axe(page, 'sheet of blocks on a phone');
  await block(page, 'Button');
  await becomes(cid, /Read more/);
  assert.equal(await page.getByRole('group', { name: 'Blocks' }).isVisible(), false);
  // The settings of the new block, with the email still in sight.
  await page.getByRole('button', { name: 'Button', exact: true }).click();
  await page.getByRole('textbox', { name: 'Label' }).fill('To the lake');
  await becomes(cid, /To the lake/);
  await axe(page, 'sheet of settings on a phone');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Button', exact: true }).and(page.locator(':focus')).waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Label' }).isVisible(), false);
  // The subject is one line, which opens.
  await page.getByRole('button', { name: 'Written on the way Preview text' }).click();
  await page.getByRole('textbox', { name: 'Preview text' }).fill('A short one');
  await page.getByRole('button', { name: 'Subject and preview text' }).click();
  await page.getByRole('button', { name: 'Written on the way A short one' }).waitFor();
  await noSidewaysScroll(page);
  noErrors(page);
});
