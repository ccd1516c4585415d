// Browser test of the frame of the composer: the name in the bar, when it was saved, the sections that open as a sheet, and what a
// new campaign begins with.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cidOf,
  contentOf,
  createDraft,
  openSection,
  optionsOf,
  saved,
  section,
  ui,
} from '../support/browser/composer.ts';
import { axe, eventually, noErrors, noSidewaysScroll, screenshots, settled, shows } from '../support/browser/ui.ts';

test('the name is proposed without merge tags and changed in place', async () => {
  const { page } = ui;
  const cid = await createDraft('News for *|FNAME:friend|*');
  const heading = page.getByRole('heading', { level: 1 });
  await heading.getByRole('button', { name: 'News for friend' }).click();
  const field = page.getByRole('textbox', { name: 'Internal name' });
  await axe(page, 'the name of a campaign, while typing');
  await field.press('Escape');
  assert.equal((await heading.textContent())?.trim(), 'News for friend');
  await heading.getByRole('button').click();
  await field.fill('Letter of the spring');
  await field.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Letter of the spring' }).waitFor();
  await saved();
  await page.getByText(/^Saved \d\d?:\d\d/).waitFor();
  await eventually(async () => assert.equal((await optionsOf(cid))['title'], 'Letter of the spring'));
  noErrors(page);
});

test('an A/B test, languages and attachments open as a sheet; the column keeps their summary', async () => {
  const { page } = ui;
  for (const name of ['attachments', 'languages', 'test']) {
    await openSection(name);
    await section(name).getByRole('dialog').waitFor();
    await axe(page, `the sheet of ${name}`);
  }
  const sheet = section('test').getByRole('dialog', { name: 'A/B test' });
  await sheet.getByRole('button', { name: 'Set up an A/B test' }).click();
  await sheet.getByRole('group', { name: 'Variant B' }).getByLabel('Subject', { exact: true }).fill('Other words');
  await section('test').getByText('2 variants, 20 % of the recipients').waitFor();
  await screenshots(page, 'composer-sheet');
  await noSidewaysScroll(page);
  // Escape closes the editor of the variant, and only that.
  await sheet.getByRole('button', { name: 'Edit content' }).click();
  const editor = page.getByRole('dialog', { name: 'Content of variant B' });
  await editor.getByRole('button', { name: 'Done' }).waitFor();
  await page.keyboard.press('Escape');
  await editor.waitFor({ state: 'detached' });
  await sheet.getByRole('button', { name: 'Done' }).click();
  await sheet.waitFor({ state: 'detached' });
  noErrors(page);
});

test('a new campaign begins with the last one or with a template', async () => {
  const { page, installation } = ui;
  const [list] = await installation.call<{ id: string }[]>('lists');
  const last = await installation.draft(list!.id, 'The last letter');
  await installation.call('campaignSendNow', { cid: last });
  await installation.until('it is sent', async () => (await optionsOf(last))['delivery_status'] === 'sent');
  const { html } = await contentOf(last);
  await installation.call('templateCreate', {
    name: 'Own letter',
    source: '<p>Own words <a href="*|UNSUB|*">x</a></p>',
  });
  for (const [start, expected] of [
    ['Last campaign: The last letter', html],
    ['Own letter', 'Own words'],
  ] as const) {
    await ui.open('/campaigns/new');
    const starts = page.getByRole('radiogroup', { name: 'Start from' });
    await shows(starts.getByRole('radio', { name: 'Simple', checked: true }), 1);
    await starts.getByRole('radio', { name: start }).click();
    await settled(page);
    await axe(page, 'what a campaign begins with');
    await noSidewaysScroll(page);
    await screenshots(page, 'composer-start-from');
    await page.getByRole('textbox', { name: 'Subject' }).fill('The next letter');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL('**/edit');
    assert.ok((await contentOf(cidOf(page))).html.includes(expected), start);
  }
  noErrors(page);
});
