// Rights in the browser: an owner gives them, by a role and one by one; an author writes and cannot send or export; an analyst reads a
// report without an address in it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  allSaved,
  axe,
  noErrors,
  noSidewaysScroll,
  screenshots,
  shows,
  type Ui,
  uiTest,
} from '../support/browser/ui.ts';

const password = 'three quiet otters swim';
const author = { email: 'author@example.com', password };
const analyst = { email: 'analyst@example.com', password };
const helper = { email: 'helper@example.com', password };
let list: string;
let cid: string;
const ui = uiTest({}, async (ui) => {
  const { installation } = ui;
  list = await installation.listOf(3, (n) => `reader${n}@contacts.example`);
  cid = await installation.draft(list, 'News in spring');
  await installation.call('campaignSendNow', { cid });
  await installation.until('the campaign was sent', async () => {
    const { delivery_status } = await installation.call<{ delivery_status: string }>('campaignProgress', { cid });
    return delivery_status === 'sent';
  });
  await join(ui, author, 'author');
  await join(ui, analyst, 'analyst');
  await join(ui, helper, 'viewer');
});

/** Adds a person with a password. */
async function join({ installation, visitor }: Ui, who: typeof author, role: string): Promise<void> {
  const { link } = await installation.call<{ link: string }>('userInvite', { email: who.email, role });
  const page = await visitor();
  const token = decodeURIComponent(new URL(link).hash.slice(1));
  const data = { token, name: '', password };
  const answer = await page.request.post(`${installation.base}/session/invitation/join`, { data });
  assert.ok(answer.ok(), await answer.text());
}

const rightsOf = async (email: string) => {
  const users = await ui.installation.call<{ email: string; role: string; permissions: string[] }[]>('users');
  return users.find((user) => user.email === email)!;
};

async function looks(page: Page, name: string): Promise<void> {
  await axe(page, name);
  await noSidewaysScroll(page);
  await screenshots(page, name);
}

test('an owner gives a role, which says what it allows, and rights one by one', async () => {
  const { page } = ui;
  await ui.open('/settings/people');
  const role = page
    .getByRole('combobox', { name: `Role of ${helper.email}` })
    .or(page.getByLabel(`Role of ${helper.email}`))
    .first();
  await role.click();
  await page.getByRole('option', { name: /^Author.*Sends and exports nothing/ }).waitFor();
  await screenshots(page, 'roles');
  await page.getByRole('option', { name: /^Analyst/ }).click();
  await page.getByText(`${helper.email} is now Analyst.`).waitFor();
  assert.equal((await rightsOf(helper.email)).role, 'analyst');

  await role.click();
  await page.getByRole('option', { name: /^Chosen rights/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Choose rights' });
  const box = (name: string) => dialog.getByRole('checkbox', { name });
  assert.ok(await box('Read reports').isChecked(), 'begins with what the person may do');
  await box('Read campaigns, automations and templates').click();
  await box('Export contacts').click();
  assert.ok(await box('Read lists, contacts and segments').isChecked(), 'included');
  assert.ok(await box('Read lists, contacts and segments').isDisabled());
  assert.ok(await box('Read the account, senders and domains').isDisabled());
  await looks(page, 'choose-rights');
  await dialog.getByRole('button', { name: 'Save rights' }).click();
  await page.getByText(`The rights of ${helper.email} have been changed.`).waitFor();
  const { role: now, permissions } = await rightsOf(helper.email);
  assert.deepEqual(
    [now, permissions],
    ['custom', ['contacts:read', 'contacts:export', 'reports:read', 'account:read']],
  );
  await page.getByRole('button', { name: `Rights of ${helper.email}` }).waitFor();
  await looks(page, 'people-rights');
  noErrors(page);

  // The person they are of finds what was chosen.
  const other = await ui.member(helper);
  await ui.open('/home', other);
  await shows(other.getByRole('navigation').getByRole('link', { name: 'Campaigns' }), 0);
  await ui.open(`/lists/${list}`, other);
  await other.getByRole('button', { name: 'Export' }).click();
  await other.getByRole('dialog').getByText('3 members').or(other.getByRole('dialog').getByText(/3/)).first().waitFor();
  noErrors(other);
});

test('the dialog of API keys has the same check boxes', async () => {
  const { page } = ui;
  await ui.open('/settings/keys');
  await page
    .getByRole('button', { name: /Create/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: 'Limited' }).click();
  await dialog.getByRole('checkbox', { name: 'Erase contacts' }).click();
  assert.ok(await dialog.getByRole('checkbox', { name: 'Read lists, contacts and segments' }).isChecked());
  await looks(page, 'key-rights');
  noErrors(page);
});

test('an author writes a campaign, and finds no way to send or export', async () => {
  const page = await ui.member(author);
  await ui.open('/campaigns', page);
  await page.getByRole('link', { name: 'New campaign' }).first().waitFor();
  const draft = await ui.installation.draft(list, 'Mine');
  await ui.open(`/campaigns/${draft}/edit`, page);
  const subject = page.getByLabel('Subject').first();
  await subject.fill('Mine, changed');
  await allSaved(page);
  for (const name of ['Send', 'Send now', 'Schedule', 'Review and send'])
    await shows(page.getByRole('button', { name, exact: true }), 0, name);
  await looks(page, 'author-composer');
  await ui.open(`/lists/${list}`, page);
  const barred = page.getByRole('button', { name: 'Export' });
  await barred.hover();
  await page.getByText('You may not export contacts. Ask an owner of the account for this right.').first().waitFor();
  await barred.click({ force: true });
  await shows(page.getByRole('dialog'), 0);
  // The tooltip is outside of the landmarks.
  await page.mouse.move(0, 0);
  await page.keyboard.press('Escape');
  await shows(page.getByRole('tooltip'), 0);
  for (const name of [/Add/, /Import/, /Delete/])
    await shows(page.locator('main').getByRole('button', { name }), 0, String(name));
  await looks(page, 'author-list');
  await ui.open(`/lists/${list}/segments/new`, page);
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  await ui.open(`/contacts/reader1@contacts.example`, page);
  for (const name of ['Export', 'Erase']) await shows(page.getByRole('menuitem', { name }), 0, name);
  noErrors(page);
});

test('an analyst reads a report in which no address is, and no page that needs one is offered', async () => {
  const page = await ui.member(analyst);
  await ui.open('/home', page);
  for (const name of ['Contacts', 'Lists', 'Segments', 'Inbox', 'Transactional'])
    await shows(page.getByRole('navigation').getByRole('link', { name, exact: true }), 0, name);
  await looks(page, 'analyst-home');
  for (const path of [
    '/campaigns',
    `/campaigns/${cid}`,
    `/campaigns/${cid}?tab=links`,
    `/campaigns/${cid}?tab=recipients`,
    `/campaigns/${cid}?tab=bounces`,
    '/automations',
    '/templates',
    '/settings/account',
    '/settings/sending',
  ]) {
    await ui.open(path, page);
    assert.doesNotMatch(await page.content(), /reader\d@contacts/, path);
    await shows(page.getByText(/needs the permission/), 0, path);
  }
  await ui.open(`/campaigns/${cid}`, page);
  await page.getByText('Your rights do not include the addresses of contacts.').waitFor();
  assert.deepEqual(await page.getByRole('tab').allTextContents(), ['Overview', 'Links']);
  await looks(page, 'analyst-report');
  // A page that was bookmarked says why it shows nothing.
  await ui.open('/contacts', page);
  await page
    .getByText(/needs the permission "contacts:read"/)
    .first()
    .waitFor();
  noErrors(page);
});
