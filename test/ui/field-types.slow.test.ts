// Browser test of fields of the types yes/no and multiple choice: defined, filled in for a contact, asked for in a segment, their
// choices renamed and removed. Their boxes on public pages are in public-pages.slow.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { looks } from '../support/browser/settings.ts';
import { eventually, noErrors, shows, uiTest } from '../support/browser/ui.ts';

const ui = uiTest();
let list: string;

type Field = { tag: string; field_type: string; predefined_values: string[] };
const fieldOf = async (tag: string) =>
  (await ui.installation.call<Field[]>('listMergeVars', { id: list })).find((field) => field.tag === tag);
const merges = async (email_address: string) =>
  (await ui.installation.call<{ merges: Record<string, string> }>('listMemberInfo', { id: list, email_address }))
    .merges;

async function choose(label: string, option: string) {
  const { page } = ui;
  await page.getByRole('combobox', { name: label, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

test('fields of both types are added, and filled in for a contact', async () => {
  const { page, installation } = ui;
  list = await installation.call<string>('listCreate', { title: 'Readers' });
  await ui.open(`/lists/${list}?tab=fields`);
  await page.getByRole('button', { name: 'Add field' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Topics');
  await choose('Type', 'Multiple choice');
  for (const choice of ['Food, drinks', 'Wine', 'Jobs']) {
    await dialog.getByRole('combobox', { name: 'Choices' }).fill(choice);
    await page.keyboard.press('Enter');
  }
  await looks(page, 'field-multiple-choice');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('*|TOPICS|*').waitFor();
  assert.deepEqual((await fieldOf('TOPICS'))!.predefined_values, ['Food, drinks', 'Wine', 'Jobs']);
  await page.getByRole('button', { name: 'Add field' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('VIP');
  await choose('Type', 'Yes/no');
  await choose('Default', 'No');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('*|VIP|*').waitFor();
  assert.equal((await fieldOf('VIP'))!.field_type, 'yes_no');

  await installation.call('listSubscribe', { id: list, email_address: 'ada@example.org', double_optin: false });
  await ui.open('/contacts/ada@example.org');
  await page.getByRole('button', { name: /^Edit/ }).first().click();
  await choose('VIP', 'Yes');
  await dialog.getByRole('combobox', { name: 'Topics' }).click();
  for (const choice of ['Food, drinks', 'Jobs']) await page.getByRole('option', { name: choice, exact: true }).click();
  await page.keyboard.press('Escape');
  await looks(page, 'field-values');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await eventually(async () => {
    const { VIP, TOPICS } = await merges('ada@example.org');
    assert.deepEqual([VIP, TOPICS], ['yes', 'Food\\, drinks, Jobs']);
  });
  await page.getByText('Food, drinks, Jobs').first().waitFor();
  noErrors(page);
});

test('a segment asks for any of some choices', async () => {
  const { page, installation } = ui;
  await installation.call('listSubscribe', {
    ...{ id: list, email_address: 'bob@example.org', double_optin: false },
    merge_vars: { TOPICS: 'Wine', VIP: 'no' },
  });
  await ui.open(`/lists/${list}?tab=segments`);
  await page.getByRole('link', { name: 'New segment' }).first().click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Hungry');
  await choose('Field', 'Topics');
  await choose('Comparison', 'has any of');
  await page.getByRole('combobox', { name: 'Value' }).click();
  await page.getByRole('option', { name: 'Food, drinks', exact: true }).click();
  await page.getByText('1 contact matches').waitFor();
  await page.getByRole('option', { name: 'Wine', exact: true }).click();
  await page.getByText('2 contacts match').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Topics has any of “Food, drinks”, “Wine”').waitFor();
  await looks(page, 'segment-choices');
  await choose('Field', 'VIP');
  await choose('Comparison', 'is');
  await choose('Value', 'Yes');
  await page.getByText('1 contact matches').waitFor();
  await choose('Field', 'Topics');
  await choose('Comparison', 'has all of');
  await page.getByRole('combobox', { name: 'Value' }).click();
  await page.getByRole('option', { name: 'Jobs', exact: true }).click();
  await page.keyboard.press('Escape');
  await page.getByText('1 contact matches').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: /Hungry/ }).waitFor();
  noErrors(page);
});

test('a choice is renamed, and one in use is removed after the question', async () => {
  const { page } = ui;
  await ui.open(`/lists/${list}?tab=fields`);
  const edit = async () => {
    await page.getByRole('button', { name: 'More actions for “Topics”' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name of Wine' }).waitFor();
  };
  await edit();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name of Food, drinks' }).fill('Meals');
  await dialog.getByRole('button', { name: 'Add a choice' }).click();
  await dialog.getByRole('textbox', { name: 'New choice' }).fill('Travel');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await shows(dialog, 0);
  assert.deepEqual((await fieldOf('TOPICS'))!.predefined_values, ['Meals', 'Wine', 'Jobs', 'Travel']);
  assert.equal((await merges('ada@example.org')).TOPICS, 'Meals, Jobs');
  await edit();
  await dialog.getByRole('button', { name: 'Remove Wine' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText(/1 members have chosen/).waitFor();
  await looks(page, 'field-choice-in-use');
  await dialog.getByRole('checkbox', { name: 'Members who have chosen Wine lose it' }).check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await shows(dialog, 0);
  assert.equal((await merges('bob@example.org')).TOPICS, '');
  noErrors(page);
});
