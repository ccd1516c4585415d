// Browser test of what else is done with contacts: questions of an import, tags, adding one by hand, segments and forms of all
// lists, members of a list, phone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  axe,
  eventually,
  noErrors,
  noSidewaysScroll,
  screenshot,
  screenshots,
  settled,
  shows,
  uiTest,
} from '../support/browser/ui.ts';

const people = [
  ['ada@example.com', 'Ada', 'London'],
  ['grace@example.com', 'Grace', 'New York'],
  ['edith@example.com', 'Edith', 'Hamburg'],
  ['mary@example.com', 'Mary', 'London'],
] as const;
let letter: string;
let news: string;
const ui = uiTest({}, async ({ installation }) => {
  letter = await installation.call('listCreate', { title: 'Letter' });
  news = await installation.call('listCreate', { title: 'News' });
  await installation.call('listMergeVarAdd', { id: letter, tag: 'CITY', name: 'City' });
  for (const [email_address, FNAME, CITY] of people) {
    const merge_vars = { FNAME, CITY };
    await installation.call('listSubscribe', { id: letter, email_address, merge_vars, double_optin: false });
  }
  const filter = [{ field: 'CITY', condition: 'contains', value: 'london' }];
  await installation.call('listSegmentCreate', { list: letter, title: 'Londoners', match: 'all', filter });
});

/** Accessible in light and dark, fits on a phone, with screenshots. */
async function sound(page: Page, name: string): Promise<void> {
  await settled(page);
  await axe(page, name);
  await noSidewaysScroll(page);
  await screenshots(page, name);
}

test('a column that looks like consent is asked about before the preview', async () => {
  const { page, installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'Asked' });
  const content = 'Email,Name,Newsletter,Parking permit\nann@example.com,Ann,yes,no\nlou@example.com,Lou,no,yes\n';
  const id = await installation.call<string>('importCreate', { id: list, content, name: 'members.csv' });
  await ui.open(`/lists/${list}/import/${id}`);
  await page.getByText('The column "Newsletter", "Parking permit" looks as if').waitFor();
  const preview = page.getByRole('button', { name: 'Preview import' });
  assert.equal(await preview.isDisabled(), true);
  await sound(page, 'import-asks');
  await page.getByRole('combobox', { name: 'Import “Newsletter” as', exact: true }).click();
  await page.getByRole('option', { name: 'Status', exact: true }).click();
  await page.getByText('The column "Newsletter", "Parking permit" looks as if').waitFor({ state: 'detached' });
  const rest = page.getByRole('button', { name: 'This column says nothing about consent' });
  if (await rest.isVisible()) await rest.click();
  await eventually(async () => assert.equal(await preview.isDisabled(), false));
  await preview.click();
  await page.getByText('1 as unsubscribed or bounced').waitFor();
  await page.getByRole('button', { name: 'Import 2 contacts' }).click();
  await page.getByRole('heading', { name: 'Result' }).waitFor();
  const members = await installation.call<{ email: string }[]>('listMembers', { id: list, status: 'subscribed' });
  assert.deepEqual(
    members.map(({ email }) => email),
    ['ann@example.com'],
  );
  await installation.call('listDelete', { id: list });
  noErrors(page);
});

test('the order of day and month is asked for where the values do not show it', async () => {
  const { page, installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'Dates' });
  await installation.call('listMergeVarAdd', { id: list, tag: 'BDAY', name: 'Born', options: { field_type: 'date' } });
  const content = 'Email,Born\nann@example.com,04/07/1980\n';
  const id = await installation.call<string>('importCreate', { id: list, content, name: 'born.csv' });
  await ui.open(`/lists/${list}/import/${id}`);
  await page.getByText('day and month cannot be distinguished').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Preview import' }).isDisabled(), true);
  await sound(page, 'import-dates');
  await page.getByRole('combobox', { name: 'Order of the dates of “Born”', exact: true }).click();
  await page.getByRole('option', { name: 'Day first (31/12/2026)' }).click();
  await page.getByText('day and month cannot be distinguished').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Preview import' }).click();
  await page.getByRole('button', { name: 'Import 1 contact' }).click();
  await page.getByRole('heading', { name: 'Result' }).waitFor();
  const info = { id: list, email_address: 'ann@example.com' };
  const { merges } = await installation.call<{ merges: Record<string, string> }>('listMemberInfo', info);
  assert.equal(merges['BDAY'], '1980-07-04');
  await installation.call('listDelete', { id: list });
  noErrors(page);
});

test('the recording of opens and clicks of a contact is turned off and on', async () => {
  const { page } = ui;
  await ui.open('/contacts/grace@example.com');
  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  await choose('Stop recording opens and clicks');
  await page.getByText('Off', { exact: true }).waitFor();
  await page.getByText('Stopped recording opens and clicks').waitFor();
  await sound(page, 'contact-untracked');
  await choose('Record opens and clicks');
  await page.getByText('On', { exact: true }).waitFor();
  noErrors(page);
});

test('a contact gets tags, by which contacts are filtered', async () => {
  const { page } = ui;
  await ui.open('/contacts/grace@example.com');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Edit tags' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Tags' }).fill('VIP');
  await page.keyboard.press('Enter');
  await settled(page);
  await axe(page, 'tags');
  await screenshots(page, 'contact-tags');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Tags of grace@example.com saved.').waitFor();
  await page.getByText('vip', { exact: true }).waitFor();
  const filter = [{ field: 'contact_tag', condition: 'is', value: 'Vip' }];
  assert.equal(await ui.installation.call('contactCount', { filter }), 1);
  noErrors(page);
});

test('the chosen contacts, and all that match, are tagged in one step', async () => {
  const { page, installation } = ui;
  const tagged = (value: string) =>
    installation.call<number>('contactCount', { filter: [{ field: 'contact_tag', condition: 'is', value }] });
  await ui.open('/contacts');
  await page.getByRole('checkbox', { name: /mary@example.com/ }).check();
  await page.getByRole('region').getByRole('button', { name: 'Tags' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit tags' });
  await dialog.getByRole('combobox', { name: 'Add these tags' }).fill('Spring');
  await page.keyboard.press('Enter');
  await dialog.getByRole('heading').click();
  await sound(page, 'contacts-tags');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Tags of one contact changed.').waitFor();
  assert.equal(await tagged('spring'), 1);
  await page.getByRole('checkbox', { name: /mary@example.com/ }).check();
  await page.getByRole('region').getByRole('button', { name: 'Tags' }).click();
  await dialog.getByRole('radio', { name: /contacts that match/ }).check();
  await dialog.getByRole('combobox', { name: 'Add these tags' }).fill('All');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await tagged('all'), await installation.call('contactCount'));
  noErrors(page);
});

test('a contact is added from the contacts of all lists, to the list that is chosen', async () => {
  const { page, installation } = ui;
  await ui.open('/contacts');
  await page.getByRole('button', { name: 'Add contact' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add contact' });
  await dialog.getByRole('combobox', { name: 'List' }).click();
  await page.getByRole('option', { name: 'News' }).click();
  await dialog.getByRole('textbox', { name: 'Email' }).fill('rosalind@example.com');
  await axe(page, 'add contact');
  await dialog
    .getByRole('radio', { name: /consent/i })
    .last()
    .check();
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'rosalind@example.com' }).waitFor();
  const info = await installation.call<{ status: string }>('listMemberInfo', {
    id: news,
    email_address: 'rosalind@example.com',
  });
  assert.equal(info.status, 'subscribed');
  await installation.call('listMemberDelete', { id: news, email_address: 'rosalind@example.com' });
  noErrors(page);
});

test('the page of an address that no contact has offers to add it', async () => {
  const { page } = ui;
  await ui.open('/contacts/joan%40example.com');
  await page.getByText(/No contact has this address/).waitFor();
  await sound(page, 'contact-unknown');
  await page.getByRole('button', { name: 'Add contact' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add contact' });
  await dialog.getByRole('combobox', { name: 'List' }).click();
  await page.getByRole('option', { name: 'News', exact: true }).click();
  assert.equal(await dialog.getByRole('textbox', { name: 'Email' }).inputValue(), 'joan@example.com');
  await dialog
    .getByRole('radio', { name: /consent/i })
    .last()
    .check();
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'joan@example.com' }).waitFor();
  await page.getByText(/No contact has this address/).waitFor({ state: 'detached' });
  await ui.installation.call('listMemberDelete', { id: news, email_address: 'joan@example.com' });
  noErrors(page);
});

test('segments and forms of all lists are in one table each', async () => {
  const { page, installation } = ui;
  await ui.open('/segments');
  await page.getByRole('link', { name: 'Londoners' }).waitFor();
  await page.getByRole('cell', { name: '2', exact: true }).waitFor();
  await sound(page, 'segments');
  await page.getByRole('button', { name: 'New segment' }).click();
  await page.getByRole('menuitem', { name: 'Letter' }).click();
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.waitFor();
  await page.getByRole('button', { name: 'Opened in the last 30 days' }).click();
  assert.equal(await name.inputValue(), 'Opened in the last 30 days');
  await name.fill('Newcomers');
  await page.getByRole('button', { name: 'New in the last 30 days' }).click();
  assert.equal(await name.inputValue(), 'Newcomers', 'a name that was typed stays');
  await page.getByText('4 contacts match').waitFor();
  await sound(page, 'segment-preset');
  await installation.call('listFormUpdate', { id: news, options: { enabled: false } });
  await ui.open('/forms');
  await shows(page.locator('tbody tr'), 2);
  await sound(page, 'forms');
  await page.getByRole('button', { name: 'Publish form' }).click();
  await page.getByRole('menuitem', { name: 'News' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign-up form', exact: true }).waitFor();
  const current = page.getByRole('navigation').locator('[aria-current="page"]');
  await current.filter({ hasText: /^Forms$/ }).waitFor();
  await shows(current, 1);
  const forms = await installation.call<{ list: string; enabled: boolean }[]>('listForms');
  assert.equal(forms.find(({ list }) => list === news)!.enabled, true);
  noErrors(page);
});

test('the members of a list are filtered by the same conditions', async () => {
  const { page } = ui;
  await ui.open(`/lists/${letter}`);
  await page.getByRole('columnheader', { name: 'City' }).waitFor();
  await page.getByRole('link', { name: 'edith@example.com' }).focus();
  await page.keyboard.press('Space');
  const panel = page.getByRole('dialog', { name: 'edith@example.com' });
  await panel.getByText('Hamburg').waitFor();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('combobox', { name: 'Field', exact: true }).click();
  await page.getByRole('option', { name: 'City', exact: true }).click();
  await page.getByRole('textbox', { name: 'Value' }).fill('Hamburg');
  await page.keyboard.press('Enter');
  await page.getByText('1–1 of 1').waitFor();
  await page.getByRole('button', { name: 'Remove filter' }).click();
  await page.getByRole('button', { name: 'Segments', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Londoners' }).click();
  await page.getByText('1–2 of 2').waitFor();
  await sound(page, 'list-members-segment');
  noErrors(page);
});

test('on a phone the filters are one row, and a contact takes two lines', async () => {
  const page = await ui.member();
  await page.setViewportSize({ width: 390, height: 844 });
  await ui.open('/contacts', page);
  const first = page.locator('tbody tr').first();
  await first.waitFor();
  const box = (await first.boundingBox())!;
  assert.ok(box.y < 340, `the first contact begins at ${box.y}px`);
  assert.ok(box.height < 90, `a contact is ${box.height}px high`);
  await axe(page, 'contacts on a phone');
  await noSidewaysScroll(page);
  await screenshot(page, 'contacts-brief');
  noErrors(page);
});

test('on a phone what belongs together is together, and what has no room is in the menu', async () => {
  const page = await ui.member();
  await page.setViewportSize({ width: 390, height: 844 });
  await ui.open('/lists', page);
  await page.locator('tbody tr').first().waitFor();
  assert.equal(await page.getByRole('button', { name: /^Hidden/ }).count(), 0, 'nothing is hidden');
  await ui.open('/contacts', page);
  assert.equal(await page.getByRole('searchbox').getAttribute('placeholder'), 'Search');
  await page.locator('tbody tr a').first().click();
  const figures = page.getByRole('region', { name: 'Details' }).locator('[class*="figures"] > div > div');
  await figures.nth(2).waitFor();
  const boxes = await Promise.all([0, 1, 2].map((i) => figures.nth(i).boundingBox()));
  assert.equal(new Set(boxes.map((box) => Math.round(box!.y))).size, 1, 'three figures in a row');
  assert.equal(await page.getByText('0 opens').count(), 0);
  await ui.open('/lists', page);
  await page.locator('tbody tr a').first().click();
  await page.getByRole('button', { name: 'Add contact' }).first().waitFor();
  assert.equal(await page.getByRole('button', { name: 'Export', exact: true }).count(), 0);
  await page.getByRole('button', { name: 'More actions', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Sign-up form' }).waitFor();
  await page.getByRole('menuitem', { name: 'Export' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Download CSV' }).waitFor();
  await page.keyboard.press('Escape');
  // On a wide window they are buttons, and a contact without emails is said to have none yet.
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Export', exact: true }).waitFor();
  await ui.open('/contacts', page);
  await page.getByRole('cell', { name: 'No emails yet' }).first().waitFor();
  await ui.open('/lists', page);
  await page.getByRole('columnheader', { name: '30 days · Subscribed' }).waitFor();
  noErrors(page);
});
