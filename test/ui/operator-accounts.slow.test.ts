// Browser journey of an operator: an account is created, its owner comes by the link and sends the first email; the operator sees it, limits the
// account, suspends and reactivates it, signs in to it and comes back, deletes it and takes that back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { field, looks } from '../support/browser/settings.ts';
import { allSaved, axe, noErrors, settled, uiTest, writing } from '../support/browser/ui.ts';

const ui = uiTest();
const password = 'a second heron by the quiet lake';
let client: Page;

const menu = async (page: Page, item: string) => {
  await page.getByRole('button', { name: 'More actions for “Alder Ltd”' }).click();
  await page.getByRole('menuitem', { name: item }).click();
};
/** A call of the application with the session of the page. @returns the answer, or the number of the fault */
const callIn = <T>(page: Page, method: string, params: object = {}) =>
  page.evaluate(
    async ([name, body]) => {
      const answer = await fetch(`/api/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const result = await answer.json();
      return answer.ok ? result : result.code;
    },
    [method, params] as const,
  ) as Promise<T>;
const dialog = (page: Page) => page.getByRole('dialog');

test('the operator creates an account, and its owner sends the first email', async () => {
  const { page, installation } = ui;
  await ui.open('/settings/accounts');
  await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
  await page.getByRole('button', { name: 'Create account' }).click();
  await field(page, 'Account name').fill('Alder Ltd');
  await field(page, 'Email address of the owner').fill('owner@alder.example');
  await field(page, 'Emails a month').fill('100');
  await settled(page);
  await axe(page, 'new account');
  await dialog(page).getByRole('button', { name: 'Create account' }).click();
  await page.getByText('Pass this link on to owner@alder.example').waitFor();
  const link = (await page.locator('code').textContent())!;
  await page.getByText('No owner yet').waitFor();

  client = await ui.visitor();
  await client.goto(link);
  await client.getByLabel('Password', { exact: true }).fill(password);
  await client.getByRole('button', { name: 'Save password' }).click();
  await client.waitForURL('**/sign-in');
  await client.getByLabel('Email address').fill('owner@alder.example');
  await client.getByLabel('Password', { exact: true }).fill(password);
  await client.getByRole('button', { name: 'Sign in' }).click();
  await client.waitForURL(/\/app\/(home|setup)/);
  const list = await callIn<string>(client, 'listCreate', { title: 'Friends' });
  await callIn(client, 'listSubscribe', { id: list, email_address: 'ada@alder-readers.example', double_optin: false });
  await ui.open('/campaigns/new', client);
  await client.getByRole('textbox', { name: 'Subject' }).fill('The first of Alder');
  await client.getByRole('button', { name: 'Continue' }).click();
  await client.waitForURL('**/edit');
  await settled(client);
  const mail = client.frameLocator('iframe[title="Email editor"]');
  await mail.getByText('A heading that says').click({ clickCount: 2 });
  await writing(client);
  await client.keyboard.press('Control+a');
  await client.keyboard.type('Alder wakes');
  await allSaved(client);
  await client.getByRole('button', { name: 'Review', exact: true }).click();
  await client
    .locator('#section-send')
    .getByRole('button', { name: /^Send to/ })
    .click();
  await dialog(client).getByRole('button', { name: 'Send', exact: true }).click();
  await client.waitForURL(/\/campaigns\/[0-9a-f]{8}$/, { timeout: 60_000 });
  await installation.until('the account has sent one', async () => {
    const { data } = await installation.call<{ data: { emails_this_month: number }[] }>('accounts', { query: 'alder' });
    return data[0]?.emails_this_month === 1;
  });
  noErrors(client);
});

test('the list shows what an account sends, finds it, and changes what it may do', async () => {
  const { page } = ui;
  await ui.open('/settings/accounts');
  for (let n = 1; n <= 9; n++)
    await callIn(page, 'accountCreate', { name: `Client ${n}`, email: 'owner@example.com', monthly_quota: n * 1_000 });
  await ui.installation.call('senderDomainCreate', { domain: 'pending.example' });
  await ui.open('/settings/accounts');
  await page.getByText('The first of Alder').waitFor();
  await page.getByText(/^of 100 \(1/).waitFor();
  await looks(page, 'accounts');
  await page.getByRole('searchbox').or(page.getByPlaceholder('Search accounts')).first().fill('alder');
  await page.getByText('Client 3').waitFor({ state: 'detached' });
  await menu(page, 'Change account');
  await field(page, 'Emails a month').fill('1');
  await looks(page, 'account-form');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await page.getByText('Alder Ltd was changed.').waitFor();
  await page.getByText('Quota used', { exact: true }).last().waitFor();
  await ui.open('/home', client);
  await client.getByText('The monthly quota is 100 % used').waitFor();
  await menu(page, 'Suspend');
  await dialog(page).getByRole('button', { name: 'Suspend' }).click();
  await page.getByText('Alder Ltd is suspended.').waitFor();
  await menu(page, 'Reactivate');
  await page.getByText('Alder Ltd can be used again.').waitFor();
  noErrors(page);
});

test('the operator acts in an account with a banner, without keys, and comes back; the owner sees it', async () => {
  const { page } = ui;
  await menu(page, 'Sign in to this account');
  await dialog(page).getByRole('button', { name: 'Sign in to this account' }).click();
  await page.getByText(/You are in the account of Alder Ltd as its operator/).waitFor();
  await looks(page, 'acting');
  assert.equal(await callIn(page, 'apikeyAdd', { label: 'mine' }), 120);
  await ui.open('/settings/people');
  await page.getByText('As its operator you can see them, and change nothing here.').waitFor();
  const team = page.getByRole('table', { name: 'Team' });
  await team.getByText('owner@alder.example').waitFor();
  assert.ok(await team.getByRole('combobox').first().isDisabled());
  assert.equal(await page.getByRole('button', { name: /^(Invite|Remove)/ }).count(), 0);
  await looks(page, 'acting-team');
  await page.getByRole('button', { name: 'Back to my account' }).click();
  await page.getByText(/You are in the account of/).waitFor({ state: 'detached' });
  await ui.open('/home', client);
  await client.getByText('The operator was signed in to this account').waitFor();
  await client.getByRole('link', { name: 'Open audit log' }).click();
  await client.getByText('Signed in as the operator').first().waitFor();
  noErrors(client);
});

test('a deleted account is taken back, and the account menu has a search', async () => {
  const { page } = ui;
  await ui.open('/settings/accounts?q=alder');
  await menu(page, 'Delete account');
  await settled(page);
  await axe(page, 'delete an account');
  await dialog(page).getByRole('button', { name: 'Delete account' }).click();
  await page.getByText('Alder Ltd will be erased in 30 days.').waitFor();
  await menu(page, 'Take back deletion');
  await page.getByText('Alder Ltd can be used again.').waitFor();
  await ui.open('/home');
  await page.getByRole('button', { name: /^Account: / }).click();
  await page.getByRole('textbox', { name: 'Find an account' }).fill('client 7');
  await settled(page);
  await axe(page, 'account search');
  await page.getByRole('button', { name: 'Client 7' }).click();
  await page.getByRole('button', { name: 'Account: Client 7' }).waitFor();
  noErrors(page);
});

test('a segment and a template are copied into another account of the same person', async () => {
  const { page } = ui;
  await ui.open('/home');
  const { accounts } = await callIn<{ accounts: { id: string; name: string }[] }>(page, 'sessionGet');
  const home = accounts.find(({ name }) => name === 'My organisation')!;
  await callIn(page, 'listCreate', { title: 'Readers of seven' });
  await callIn(page, 'sessionSwitch', { account_id: home.id });
  const template = await callIn<string>(page, 'templateCreate', {
    name: 'Autumn',
    alias: 'autumn',
    source: '<p>Leaves</p>',
  });
  await ui.open(`/templates/${template}`);
  await page.getByRole('button', { name: 'More actions', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Copy to another account' }).click();
  await dialog(page).getByRole('combobox', { name: 'Account' }).fill('client 7');
  await page.getByRole('option', { name: 'Client 7' }).click();
  await looks(page, 'copy-to-account');
  await dialog(page).getByRole('button', { name: 'Copy', exact: true }).click();
  await dialog(page).getByText('The alias autumn').waitFor();
  await dialog(page).getByRole('button', { name: 'Done' }).click();

  const list = await callIn<string>(page, 'listCreate', { title: 'Here' });
  const filter = [{ field: 'EMAIL', condition: 'ends', value: 'example.com' }];
  await callIn(page, 'listSegmentCreate', { list, title: 'Of example', match: 'all', filter });
  await ui.open('/segments');
  await page.getByRole('button', { name: 'More actions for “Of example”' }).click();
  await page.getByRole('menuitem', { name: 'Copy to another account' }).click();
  await dialog(page).getByRole('combobox', { name: 'Account' }).fill('client 7');
  await page.getByRole('option', { name: 'Client 7' }).click();
  await dialog(page).getByRole('combobox', { name: 'List there' }).click();
  await page.getByRole('option', { name: 'Readers of seven' }).click();
  await dialog(page).getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByText('“Of example” was copied.').waitFor();
  noErrors(page);
});
