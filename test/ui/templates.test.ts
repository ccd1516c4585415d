// Browser test of the template gallery: create from a layout, edit visually and as HTML, preview, use. Templates from campaigns are
// in template-copies.slow.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answered, axe, noSidewaysScroll, screenshots, uiTest, writing } from '../support/browser/ui.ts';

type Template = { id: string; name: string; layout: string; source: string };
const ui = uiTest({}, async (ui) => {
  await ui.installation.listOf(2, (n) => `reader${n}@example.com`);
  await ui.installation.call('accountUpdate', { name: 'company', value: 'Sun & Sea' });
  // A task adds the templates of a new account, all at once.
  let given: Template[] = [];
  await ui.installation.until('the first templates are there', async () => {
    given = await ui.installation.call<Template[]>('campaignTemplates');
    return given.length > 0;
  });
  for (const { id } of given) await ui.installation.call('templateDelete', { template_id: id });
});

const named = async (name: string) =>
  (await ui.installation.call<Template[]>('campaignTemplates')).find((item) => item.name === name);

test('a template is created from a layout, edited visually and as HTML, previewed and used in a new campaign', async () => {
  const { page } = ui;
  await ui.open('/templates');
  await page.getByText('No templates yet').waitFor();
  await axe(page, 'templates, empty');
  await page.getByRole('button', { name: 'New template' }).first().click();
  await page.getByRole('menuitem', { name: 'Blank layout' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Postcard from Lisbon');
  await page.getByRole('combobox', { name: 'Layout' }).click();
  await page.getByRole('option', { name: 'Postcard' }).click();
  await axe(page, 'new template');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Postcard from Lisbon' }).waitFor();
  const visual = page.frameLocator('iframe[title="Email editor"]');
  await visual.getByText('Your heading').waitFor();
  assert.equal((await named('Postcard from Lisbon'))?.layout, 'postcard');
  await page.getByRole('button', { name: 'Heading' }).click();
  await visual.getByText('A heading that says').waitFor();
  // The sample is selected, so that what is typed replaces it.
  await writing(page);
  await page.keyboard.press('ArrowRight');
  await page.getByRole('button', { name: 'Insert merge tag' }).click();
  await page.getByRole('menuitem', { name: 'First name' }).click();
  await page.getByRole('button', { name: 'Insert', exact: true }).click();
  await axe(page, 'template, visual');
  await screenshots(page, 'template');
  await visual.getByText('*|FNAME|*').waitFor();
  const save = () =>
    answered(page, 'templateUpdate', () => page.getByRole('button', { name: 'Save', exact: true }).click());
  await save();
  await page.getByText('Saved.').waitFor();
  assert.match((await named('Postcard from Lisbon'))!.source, /A heading that says[^<]*\*\|FNAME\|\*/);

  // Text being typed in the visual editor is saved at once, and does not overwrite later changes in the source.
  await page.getByRole('button', { name: 'Edit text', exact: true }).click();
  await writing(page);
  await page.keyboard.type(' by the sea');
  await save();
  assert.match((await named('Postcard from Lisbon'))!.source, /A heading that says[^<]* by the sea/);
  await page.getByRole('button', { name: 'Edit text', exact: true }).click();
  await writing(page);
  await page.keyboard.type(' and sand');
  await page.getByRole('tab', { name: 'HTML source' }).click();
  const editor = page.locator('.cm-content');
  await page.frameLocator('iframe').getByText('by the sea and sand').waitFor();
  await editor.click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText('<h1>Sunshine</h1><p>*|FNAME|* *|LIST:COMPANY|*</p>');
  await page.frameLocator('iframe').getByText('Sunshine').waitFor();
  await page.waitForTimeout(600);
  await save();
  assert.equal((await named('Postcard from Lisbon'))!.source, '<h1>Sunshine</h1><p>*|FNAME|* *|LIST:COMPANY|*</p>');
  await axe(page, 'template, source');
  await noSidewaysScroll(page);
  assert.equal(await page.getByRole('textbox', { name: 'Alias' }).isVisible(), false, 'it is folded');
  await page.getByText('For programs (API)').click();
  await page.getByRole('textbox', { name: 'Alias' }).fill('lisbon');
  await page.getByRole('textbox', { name: 'Subject' }).fill('From Lisbon');
  await save();
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByRole('button', { name: 'Preview version 1' }).click();
  await page.getByRole('dialog', { name: 'Version 1' }).locator('iframe').waitFor();
  await axe(page, 'template, version');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Restore version 1' }).click();
  await page.getByText('Version restored.').waitFor();
  assert.doesNotMatch((await named('Postcard from Lisbon'))!.source, /Sunshine/);
  assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), true, 'nothing is unsaved');
  // What was replaced is the newest version.
  await page
    .getByRole('button', { name: /^Restore version/ })
    .first()
    .click();
  await page.getByRole('tab', { name: 'Preview' }).click();
  await page.frameLocator('iframe').getByText('Sunshine').waitFor();
  // The sender is the account's own, where there is no list yet.
  await page.frameLocator('iframe').getByText('First name Sun & Sea').waitFor();
  await page.getByRole('button', { name: 'Use in new campaign' }).click();
  await page.waitForURL('**/campaigns/*/edit');
  const [draft] = await ui.installation.call<{ id: string }[]>('campaigns', { limit: 1 });
  const { html } = await ui.installation.call<{ html: string }>('campaignContent', { cid: draft!.id });
  assert.match(html, /Sunshine/);
});
