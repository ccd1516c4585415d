// Browser test of labels and hiding: labels are made, given to selected rows and to one object, edited and deleted; tables are
// filtered by them; what is hidden is left out of tables and choices, and found again; on a phone too.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { answered, axe, eventually, noSidewaysScroll, screenshots, settled, uiTest } from '../support/browser/ui.ts';

let list: string;
let automation: string;
const ui = uiTest({}, async ({ installation }) => {
  const call = installation.call.bind(installation);
  list = await call<string>('listCreate', { title: 'Club members' });
  await call('listCreate', { title: 'Old guests' });
  for (const subject of ['Summer party', 'Winter party', 'Price list'])
    await call('campaignCreate', {
      type: 'HTML',
      options: {
        list_id: list,
        subject,
        from_email: 'editors@example.com',
        from_name: 'The editors',
        generate_text: true,
      },
      content: { html: '<p>Hello</p>' },
    });
  automation = await call<string>('automationCreate', { title: 'Welcome to the club', list });
  await call('templateCreate', { name: 'Club letter', source: '<p>Dear member</p>' });
});

/** Accessible in light and dark, fits on a phone, with screenshots. */
async function sound(page: Page, name: string): Promise<void> {
  await settled(page);
  await axe(page, name);
  await noSidewaysScroll(page);
  await screenshots(page, name);
}
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const item = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true });
const select = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}` }).check();
async function addLabel(page: Page, name: string, colour: string): Promise<void> {
  await page.getByRole('textbox', { name: 'New label' }).fill(name);
  await page.getByRole('combobox', { name: 'Colour' }).last().click();
  await page.getByRole('option', { name: colour }).click();
  await answered(page, 'labelCreate', () => button(page, 'Add').click());
}

test('selected campaigns get new labels, and the table shows those with one, by its address too', async () => {
  const { page } = ui;
  await ui.open('/campaigns');
  await select(page, 'Summer party');
  await select(page, 'Winter party');
  await button(page, 'Labels').click();
  await page.getByText('There are no labels yet.').waitFor();
  await addLabel(page, 'Club', 'Teal');
  await addLabel(page, 'Party', 'Pink');
  await page.getByRole('textbox', { name: 'New label' }).fill('CLUB');
  await button(page, 'Add').click();
  await page
    .getByText('There is already a label “Club”')
    .or(page.getByText(/already a label "Club"/))
    .waitFor();
  await sound(page, 'labels-dialog');
  await button(page, 'Save').click();
  await page.getByText('Labels saved.').waitFor();
  await row(page, 'Summer party').getByText('Club', { exact: true }).waitFor();
  await button(page, 'Label').click();
  await item(page, 'Party').click();
  await eventually(async () => assert.equal(await row(page, 'Price list').count(), 0));
  assert.equal(await page.getByRole('row').filter({ hasText: 'party' }).count(), 2);
  assert.match(page.url(), /label=/);
  await page.reload();
  await row(page, 'Winter party').waitFor();
  await button(page, 'Label: Party').waitFor();
  assert.equal(await row(page, 'Price list').count(), 0);
  await sound(page, 'campaigns-by-label');
  await button(page, 'Label: Party').click();
  await item(page, 'All labels').click();
  await row(page, 'Price list').waitFor();
});

test('some of the selected have a label: it is neither, and clearing it removes it from all', async () => {
  const { page } = ui;
  await select(page, 'Summer party');
  await select(page, 'Price list');
  await button(page, 'Labels').click();
  const party = page.getByRole('dialog').getByRole('checkbox', { name: 'Party' });
  await party.waitFor();
  assert.equal(await party.evaluate((box: HTMLInputElement) => box.indeterminate), true);
  await party.check();
  await party.uncheck();
  await button(page, 'Save').click();
  await page.getByText('Labels saved.').last().waitFor();
  await eventually(async () =>
    assert.equal(await row(page, 'Summer party').getByText('Party', { exact: true }).count(), 0),
  );
  await button(page, 'Clear').click();
});

test('a hidden campaign is left out until it is asked for, and shown again', async () => {
  const { page } = ui;
  await select(page, 'Price list');
  await button(page, 'Hide').click();
  await page.getByText('Hidden. You can find it under “Hidden”.').waitFor();
  await eventually(async () => assert.equal(await row(page, 'Price list').count(), 0));
  await page.getByRole('button', { name: /^Hidden/ }).click();
  await row(page, 'Price list').waitFor();
  assert.match(page.url(), /state=hidden/);
  assert.equal(await row(page, 'party').count(), 0);
  await sound(page, 'campaigns-hidden');
  await select(page, 'Price list');
  await button(page, 'Unhide').click();
  await page.getByText('No results.').waitFor();
  await button(page, 'Show all').click();
  await row(page, 'Price list').waitFor();
});

test('a list is labelled and hidden from its menu; a new campaign does not offer it', async () => {
  const { page } = ui;
  await ui.open('/lists');
  await row(page, 'Old guests').getByRole('link').click();
  await page.getByRole('heading', { level: 1, name: 'Old guests' }).waitFor();
  await button(page, 'More actions').click();
  await item(page, 'Labels').click();
  await page.getByRole('checkbox', { name: 'Club' }).check();
  await button(page, 'Save').click();
  await page.getByText('Labels saved.').waitFor();
  await button(page, 'More actions').click();
  await item(page, 'Hide').click();
  await page.locator('header').getByText('Hidden', { exact: true }).waitFor();
  await sound(page, 'list-hidden');
  await ui.open('/lists');
  await row(page, 'Club members').waitFor();
  assert.equal(await row(page, 'Old guests').count(), 0);
  await sound(page, 'lists-with-hidden');
  await ui.open('/campaigns/new');
  await page.getByRole('combobox', { name: 'Lists' }).click();
  assert.equal(await page.getByRole('option', { name: /Old guests/ }).count(), 0);
});

test('labels are renamed and deleted where tables are filtered, and the filter ends with its label', async () => {
  const { page } = ui;
  await ui.open('/campaigns');
  await button(page, 'Label').click();
  await item(page, 'Club').click();
  await button(page, 'Label: Club').click();
  await item(page, 'Edit labels').click();
  await sound(page, 'labels-edit');
  await button(page, 'Change Club').click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Sailing club');
  await answered(page, 'labelUpdate', () => button(page, 'Save').click());
  await page.getByRole('dialog').getByText('Sailing club', { exact: true }).waitFor();
  await button(page, 'Delete Sailing club').click();
  await page.getByText('It is removed from everything that has it. Nothing else is deleted.').waitFor();
  await answered(page, 'labelDelete', () => button(page, 'Delete').click());
  await page.keyboard.press('Escape');
  await row(page, 'Price list').waitFor();
  assert.doesNotMatch(page.url(), /label=/);
  assert.equal(await page.getByText('Sailing club', { exact: true }).count(), 0);
});

test('templates and automations have labels and are hidden too', async () => {
  const { page } = ui;
  await ui.open('/templates');
  await button(page, 'More actions for “Club letter”').click();
  await item(page, 'Labels').click();
  await page.getByRole('checkbox', { name: 'Party' }).check();
  await button(page, 'Save').click();
  await page.getByRole('listitem').filter({ hasText: 'Club letter' }).getByText('Party', { exact: true }).waitFor();
  await sound(page, 'templates-labels');
  await button(page, 'More actions for “Club letter”').click();
  await item(page, 'Hide').click();
  await page.getByRole('button', { name: /^Hidden/ }).waitFor();
  await eventually(async () => assert.equal(await page.getByText('Club letter', { exact: true }).count(), 0));
  await ui.open('/automations');
  await select(page, 'Welcome to the club');
  await button(page, 'Labels').click();
  await page.getByRole('checkbox', { name: 'Party' }).check();
  await button(page, 'Save').click();
  await row(page, 'Welcome to the club').getByText('Party', { exact: true }).waitFor();
  await sound(page, 'automations-labels');
  await ui.open(`/automations/${automation}`);
  await button(page, 'More actions').click();
  await item(page, 'Hide').click();
  await page.locator('header').getByText('Hidden', { exact: true }).waitFor();
  await sound(page, 'automation-hidden');
});

test('a viewer filters by label and changes none', async () => {
  const { link } = await ui.installation.call<{ link: string }>('userInvite', {
    email: 'viewer@example.com',
    role: 'viewer',
  });
  const token = decodeURIComponent(new URL(link).hash.slice(1));
  const who = { email: 'viewer@example.com', password: 'three quiet otters swim' };
  const join = { token, name: '', password: who.password };
  await (await ui.visitor()).request.post(`${ui.installation.base}/session/invitation/join`, { data: join });
  const page = await ui.member(who);
  await ui.open('/automations?state=hidden', page);
  await row(page, 'Welcome to the club').waitFor();
  await button(page, 'Label').click();
  await item(page, 'Party').waitFor();
  assert.equal(await item(page, 'Edit labels').count(), 0);
  assert.equal(await page.getByRole('checkbox').count(), 0);
  await ui.open(`/lists/${list}`, page);
  assert.equal(await button(page, 'More actions').count(), 0);
});
