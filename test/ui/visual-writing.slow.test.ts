// Writing in the editors of the composer: merge tags go where the cursor is, and Undo takes back one action at a time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { contentOf, createDraft, optionsOf, saved, ui, visual } from '../support/browser/composer.ts';
import { axe, eventually, noErrors, noSidewaysScroll, screenshots, settled, writing } from '../support/browser/ui.ts';

const greeting = 'Write your news here';

/** Opens the visual editor of a new draft, with the cursor after "Hel" of "Hello". */
async function writeGreeting(page: Page): Promise<string> {
  const cid = await createDraft('A greeting', 'Newsletter', page);
  await visual(page).getByText(greeting).dblclick();
  await writing(page);
  await page.keyboard.press('Control+Home');
  for (let letter = 0; letter < 3; letter++) await page.keyboard.press('ArrowRight');
  return cid;
}

const choose = (page: Page, name: string) => page.getByRole('menuitem', { name }).click();
/** A field, with what is shown where it is empty. */
async function chooseField(page: Page, name: string, shownWhenEmpty = ''): Promise<void> {
  await choose(page, name);
  await page.getByRole('textbox', { name: 'Shown when empty' }).fill(shownWhenEmpty);
  await page.keyboard.press('Enter');
}
const html = async (cid: string) => (await contentOf(cid)).html;
const becomes = (cid: string, expected: RegExp) =>
  eventually(async () => assert.match(await html(cid), expected), 8_000);

test('in the visual editor a merge tag goes where the cursor is, also after the text was left', async () => {
  const page = await ui.member();
  const cid = await writeGreeting(page);
  const bar = page.getByRole('toolbar', { name: 'Text' });
  await bar.getByRole('button', { name: 'Insert merge tag' }).click();
  await choose(page, 'Last name');
  await axe(page, 'default of a merge tag');
  await screenshots(page, 'composer-tag-default');
  await page.getByRole('textbox', { name: 'Shown when empty' }).fill('dear | friend');
  await page.getByRole('button', { name: 'Insert', exact: true }).click();
  await becomes(cid, />Hel\*\|LNAME:dear {2}friend\|\*lo /);
  // Writing goes on after the tag.
  await writing(page);
  await page.keyboard.type('!');
  await becomes(cid, />Hel\*\|LNAME:dear {2}friend\|\*!lo /);
  await axe(page, 'text bar');
  await bar.getByRole('button', { name: 'Insert merge tag' }).click();
  await screenshots(page, 'composer-text-bar');
  await choose(page, "Today's date");
  await becomes(cid, />Hel\*\|LNAME:dear {2}friend\|\*!\*\|DATE:d\.m\.Y\|\*lo /);
  // The cursor is remembered after the text was left.
  await page.getByRole('textbox', { name: 'Subject' }).click();
  await visual(page).getByText(greeting).click();
  await bar.getByRole('button', { name: 'Insert merge tag' }).click();
  await choose(page, 'List name');
  await becomes(cid, />Hel\*\|LNAME:dear {2}friend\|\*!\*\|DATE:d\.m\.Y\|\*\*\|LIST:NAME\|\*lo /);
  await noSidewaysScroll(page);
  noErrors(page);
});

test('the text bar makes words bold and lists, and covers no word of its block', async () => {
  const page = await ui.member();
  const cid = await writeGreeting(page);
  const bar = page.getByRole('toolbar', { name: 'Text' });
  const words = (await visual(page).getByText(greeting).boundingBox())!;
  const box = (await bar.boundingBox())!;
  assert.ok(box.y + box.height <= words.y || box.y >= words.y + words.height, 'above or below its block');
  await shiftWord(page);
  await bar.getByRole('button', { name: 'Bold' }).click();
  await becomes(cid, />Hel<b>lo<\/b> /);
  assert.equal(await bar.getByRole('button', { name: 'Bold' }).getAttribute('aria-pressed'), 'true');
  await bar.getByRole('button', { name: 'Bulleted list' }).click();
  await becomes(cid, /<ul>\s*<li>Hel<b>lo<\/b>/);
  await saved(page);
  noErrors(page);
});

async function shiftWord(page: Page): Promise<void> {
  for (let letter = 0; letter < 2; letter++) await page.keyboard.press('Shift+ArrowRight');
}

test('a merge tag goes where the cursor is in subject, preview text, plain text, HTML, Markdown and MJML', async () => {
  const page = await ui.member();
  const cid = await createDraft('Dear reader', 'Newsletter', page);
  for (const [name, option] of [
    ['Subject', 'subject'],
    ['Preview text', 'preview_text'],
  ] as const) {
    const field = page.getByRole('textbox', { name, exact: true });
    await field.fill('Dear reader');
    await field.evaluate((input: HTMLInputElement) => input.setSelectionRange(5, 5));
    await page.getByRole('button', { name: `Insert merge tag: ${name}` }).click();
    await chooseField(page, 'First name');
    assert.equal(await field.inputValue(), 'Dear *|FNAME|*reader');
    await saved(page);
    await eventually(async () => assert.equal((await optionsOf(cid))[option], 'Dear *|FNAME|*reader'));
  }
  await page.getByRole('tab', { name: 'Plain text' }).click();
  await page.getByRole('button', { name: 'Write your own' }).click();
  const plain = page.getByRole('textbox', { name: 'Plain text' });
  await plain.fill('Dear reader');
  await plain.evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(5, 11));
  await page.getByRole('button', { name: 'Insert merge tag: Plain text' }).click();
  await chooseField(page, 'First name');
  assert.equal(await plain.inputValue(), 'Dear *|FNAME|*');
  assert.ok(await plain.evaluate((area) => area === document.activeElement), 'writing goes on there');
  for (const [tab, start] of [
    ['HTML source', undefined],
    ['Markdown', 'Replace with Markdown'],
    ['MJML', 'Replace with MJML'],
  ] as const) {
    await page.getByRole('tab', { name: tab }).click();
    if (start) await page.getByRole('button', { name: start }).click();
    const editor = page.getByRole('textbox', { name: tab });
    await editor.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('Dear reader');
    for (let letter = 0; letter < 6; letter++) await page.keyboard.press('ArrowLeft');
    await page.getByRole('button', { name: 'Insert merge tag', exact: true }).click();
    await chooseField(page, 'First name');
    await eventually(async () => assert.equal(await editor.textContent(), 'Dear *|FNAME|*reader', tab));
  }
  await settled(page);
  noErrors(page);
});

test('a merge tag never goes before an HTML page in which no place was chosen', async () => {
  const page = await ui.member();
  const cid = await createDraft('No place chosen', 'Newsletter', page);
  await page.getByRole('tab', { name: 'HTML source' }).click();
  await page.getByRole('textbox', { name: 'HTML source' }).waitFor();
  await page.getByRole('button', { name: 'Insert merge tag', exact: true }).click();
  await chooseField(page, 'First name');
  await becomes(cid, /\*\|FNAME\|\*\s*<\/body>/);
  assert.match(await html(cid), /^<!doctype html>/);
});

test('Undo takes back one action at a time, and is disabled at the ends', async () => {
  const page = await ui.member();
  const cid = await createDraft('One step each', 'Newsletter', page);
  const heading = 'A heading that says what this is about';
  const [undo, redo] = ['Undo', 'Redo'].map((name) => page.getByRole('button', { name, exact: true })) as [
    ReturnType<Page['getByRole']>,
    ReturnType<Page['getByRole']>,
  ];
  await visual(page).getByText(heading).waitFor();
  const states = async () => [await undo.isEnabled(), await redo.isEnabled()];
  assert.deepEqual(await states(), [false, false]);
  await visual(page).getByText(heading).dblclick();
  await writing(page);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Spring');
  // Typing and the next action, one after the other as fast as a program can.
  await page.getByRole('button', { name: 'Divider', exact: true }).click();
  await becomes(cid, /Spring[\s\S]*border-top/);
  await undo.click();
  await becomes(cid, /^(?![\s\S]*border-top)[\s\S]*Spring/);
  await undo.click();
  await becomes(cid, new RegExp(heading));
  await eventually(async () => assert.deepEqual(await states(), [false, true]));
  await redo.click();
  await becomes(cid, /Spring/);
  await redo.click();
  await becomes(cid, /Spring[\s\S]*border-top/);
  await eventually(async () => assert.deepEqual(await states(), [true, false]));
  // Selecting is no step: the first Ctrl+Z takes back the divider.
  await visual(page).getByText(greeting).click();
  await page.keyboard.press('Control+z');
  await becomes(cid, /^(?![\s\S]*border-top)[\s\S]*Spring/);
  noErrors(page);
});

test('letters typed into a field of the panel are one step, and so are blocks added by keyboard', async () => {
  const page = await ui.member();
  const cid = await createDraft('Steps of fields', 'Newsletter', page);
  const undo = page.getByRole('button', { name: 'Undo', exact: true });
  await visual(page).getByText(greeting).waitFor();
  await page.getByRole('button', { name: 'Button', exact: true }).click();
  await page.getByRole('textbox', { name: 'Link', exact: true }).fill('');
  await page.getByRole('textbox', { name: 'Link', exact: true }).pressSequentially('https://example.com/a');
  await becomes(cid, /href="https:\/\/example\.com\/a"/);
  await undo.click();
  await becomes(cid, /href="https:\/\/"/);
  await visual(page).getByText(greeting).dblclick();
  await writing(page);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Words');
  const line = page.getByRole('button', { name: 'Divider', exact: true });
  await line.focus();
  await page.keyboard.press('Enter');
  await becomes(cid, /Words[\s\S]*border-top/);
  await undo.click();
  await becomes(cid, /^(?![\s\S]*border-top)[\s\S]*Words/);
  await undo.click();
  await becomes(cid, new RegExp(greeting));
  noErrors(page);
});

test('adding a block is one step for Undo, and so is what is typed into it in one go', async () => {
  const page = await ui.member();
  const cid = await createDraft('A block added', 'Newsletter', page);
  const undo = page.getByRole('button', { name: 'Undo', exact: true });
  const redo = page.getByRole('button', { name: 'Redo', exact: true });
  const sample = /A paragraph\. Double-click/;
  await visual(page).getByText(greeting).waitFor();
  const add = () =>
    page.getByRole('group', { name: 'Blocks' }).getByRole('button', { name: 'Text', exact: true }).click();
  await add();
  await becomes(cid, sample);
  await undo.click();
  await eventually(async () => assert.equal(await undo.isEnabled(), false));
  await saved(page);
  assert.doesNotMatch(await html(cid), sample);
  await add();
  await writing(page);
  await becomes(cid, sample);
  // As one input: a slow machine takes its time between two letters.
  await page.keyboard.insertText('The heron is back.');
  await becomes(cid, /The heron is back\./);
  await page.keyboard.press('Control+z');
  await becomes(cid, sample);
  await page.keyboard.press('Control+Shift+z');
  await becomes(cid, /The heron is back\./);
  await page.getByRole('toolbar', { name: 'Text' }).getByRole('button', { name: 'Bulleted list' }).click();
  await becomes(cid, /<li>The heron/);
  await undo.click();
  await becomes(cid, /^(?![\s\S]*<li>)[\s\S]*The heron is back\./);
  await undo.click();
  await becomes(cid, sample);
  await undo.click();
  await becomes(cid, /^(?![\s\S]*A paragraph)/);
  await eventually(async () => assert.deepEqual([await undo.isEnabled(), await redo.isEnabled()], [false, true]));
  noErrors(page);
});
