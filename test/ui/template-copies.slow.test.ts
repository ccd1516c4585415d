// Browser test of the template gallery: create from a campaign, duplicate, delete, filter.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, noErrors, noSidewaysScroll, screenshots, shows, uiTest } from '../support/browser/ui.ts';

type Template = { id: string; name: string; layout: string; source: string };
let list: string;
const ui = uiTest({}, async (ui) => {
  list = await ui.installation.listOf(2, (n) => `reader${n}@example.com`);
  // A task adds the templates of a new account, all at once.
  let given: Template[] = [];
  await ui.installation.until('the first templates are there', async () => {
    given = await ui.installation.call<Template[]>('campaignTemplates');
    return given.length > 0;
  });
  for (const { id } of given) await ui.installation.call('templateDelete', { template_id: id });
  const postcard = { name: 'Postcard from Lisbon', layout: 'postcard', source: '<h1>Sunshine</h1><p>*|FNAME|*</p>' };
  await ui.installation.call('templateCreate', postcard);
});

const named = async (name: string) =>
  (await ui.installation.call<Template[]>('campaignTemplates')).find((item) => item.name === name);

test('a template is created from a campaign, duplicated and deleted', async () => {
  const { page, installation } = ui;
  await installation.draft(list, 'The good old letter');
  await ui.open('/templates');
  await page.getByRole('button', { name: 'New template' }).click();
  await page.getByRole('menuitem', { name: 'From a campaign' }).click();
  await page.getByRole('combobox', { name: 'Campaign' }).click();
  await page.getByRole('option', { name: 'The good old letter' }).click();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'The good old letter' }).waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await page.getByRole('heading', { level: 1, name: 'The good old letter (copy)' }).waitFor();
  await ui.open('/templates');
  await shows(page.locator('main li'), 3);
  await axe(page, 'templates');
  await noSidewaysScroll(page);
  await screenshots(page, 'templates');
  await page.getByRole('link', { name: 'Postcard from Lisbon' }).click();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('Template deleted.').waitFor();
  assert.equal(await named('Postcard from Lisbon'), undefined);
  noErrors(page);
});

test('templates are filtered by what they are for', async () => {
  const { page, installation } = ui;
  // Known by its name; the others are the account's own.
  await installation.call('templateCreate', { name: 'Digest', layout: 'basic', source: '<p>*|FNAME|*</p>' });
  const all = await installation.call<Template[]>('campaignTemplates');
  await ui.open('/templates');
  const cards = page.locator('main li');
  const digest = cards.getByRole('link', { name: 'Digest', exact: true });
  const choose = (name: RegExp) => page.getByRole('group', { name: 'Purpose' }).getByRole('button', { name }).click();
  await shows(cards, all.length);
  await choose(/^Newsletter/);
  await shows(cards, 1);
  await shows(digest, 1);
  await choose(/^Your own/);
  await shows(digest, 0);
  await shows(cards, all.length - 1);
  await choose(/^All/);
  await shows(cards, all.length);
  noErrors(page);
});
