// Editing the text of a campaign in the visual editor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentOf, createDraft, saved, section, ui, visual } from '../support/browser/composer.ts';

import { noErrors, screenshot, writing } from '../support/browser/ui.ts';

test('the text that a page came with is edited by a double click, and keys outside of text change none', async () => {
  const { installation } = ui;
  const page = await ui.member();
  const cid = await createDraft('The sample letter', 'Newsletter', page);
  const html = async () => (await contentOf(cid)).html;
  for (const [old, words] of [
    ['A heading that says what this is about', 'Winter is coming'],
    ['Winter is coming', 'Spring is here'],
  ] as const) {
    await ui.open(`/campaigns/${cid}/edit`, page);
    await visual(page).getByText(old).dblclick();
    await writing(page);
    await page.keyboard.press('Control+a');
    await page.keyboard.type(words);
    await installation.until('what was typed is saved', async () => (await html()).includes(words));
    assert.ok(!(await html()).includes(old));
    await saved(page);
  }
  const edited = await html();
  await page.keyboard.press('Escape');
  await visual(page).locator('img, a').first().click();
  for (const key of ['w', 's', 'd', 'a', 'Backspace']) await page.keyboard.press(key);
  const names = new Set<string>();
  for (let level = 0; level < 8; level++) {
    names.add((await section('content', page).getByRole('heading', { level: 3 }).last().textContent())!);
    assert.equal(await page.getByText(/^(Table cell|Tr|Tbody|Td)$/i).count(), 0);
    const parent = page.getByRole('button', { name: 'Select container' });
    if (!(await parent.isVisible()) || (await parent.isDisabled())) break;
    await parent.click();
  }
  for (const name of ['Section', 'Row', 'Column']) assert.ok(names.has(name), `${name} in ${[...names]}`);
  const body = await visual(page)
    .locator('body')
    .evaluate((element) => getComputedStyle(element).backgroundColor);
  assert.equal(body, 'rgb(244, 245, 247)', 'the background of the email goes on below it');
  await screenshot(page, 'composer-elements');
  await visual(page).getByText('Spring is here').click();
  for (const key of ['w', 's', 'd', 'a', 'Backspace']) await page.keyboard.press(key);
  await saved(page);
  assert.equal(await html(), edited);
  noErrors(page);
});
