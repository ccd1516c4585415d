// Browser test of emails that automations send: apart from the campaigns, and on Home as their automation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, eventually, noErrors, screenshots, shows, uiTest } from '../support/browser/ui.ts';

let email = '';
const ui = uiTest({}, async ({ installation }) => {
  const list = await installation.listOf(2, (n) => `reader${n}@example.com`);
  await installation.draft(list, 'Autumn news');
  const automation = await installation.call<string>('automationCreate', { title: 'Forgotten cart', list });
  email = await installation.call<string>('automationEmailCreate', { list, subject: 'Your cart expires soon' });
  await installation.call('campaignUpdate', {
    cid: email,
    name: 'html',
    value: '<p>Your cart. <a href="*|UNSUB|*">Unsubscribe</a></p>',
  });
  await installation.call('automationUpdate', {
    id: automation,
    trigger: { type: 'subscribed' },
    steps: [
      { key: 'wait', type: 'wait', amount: 1, unit: 'days' },
      { key: 'mail', type: 'send', campaign: email },
    ],
  });
  await installation.call('automationStart', { id: automation });
});

test('the emails of automations have a tab of their own among the campaigns, with the name of their automation', async () => {
  const { page } = ui;
  const rows = page.locator('tbody tr');
  await ui.open('/campaigns');
  await shows(rows, 1);
  assert.match((await rows.textContent()) ?? '', /Autumn news/);
  assert.equal(await page.getByRole('button', { name: /^Sending/ }).count(), 0, 'nothing is being sent');
  await page.getByRole('button', { name: /^Automated/ }).click();
  await page.waitForURL('**state=automated**');
  await page.getByRole('row', { name: /Your cart expires soon.*Automation: Forgotten cart/ }).waitFor();
  await shows(rows, 1);
  await axe(page, 'automated emails');
  await screenshots(page, 'campaigns-automated');
  await page.getByRole('link', { name: 'Forgotten cart' }).click();
  await page.getByRole('heading', { level: 1, name: 'Forgotten cart' }).waitFor();
  noErrors(page);
});

test('Home lists the automation, not its emails', async () => {
  const { page } = ui;
  await ui.open('/home');
  await page.getByRole('link', { name: 'Forgotten cart' }).waitFor();
  assert.equal(await page.getByText('Your cart expires soon').count(), 0);
  await axe(page, 'home with an automation');
  await screenshots(page, 'home-automation');
});

test('the composer says who gets such an email, and asks for no lists', async () => {
  const { page, installation } = ui;
  const list = (await installation.call<{ id: string }[]>('lists'))[0]!.id;
  const draft = await installation.call<string>('automationEmailCreate', { list, subject: 'Still wondering?' });
  await ui.open(`/campaigns/${draft}/edit`);
  const to = page.getByRole('region', { name: 'To', exact: true });
  await to.getByText('Contacts of the automation').waitFor();
  await to.getByText(/^Contacts who reach this step of the automation/).waitFor();
  await shows(page.getByRole('textbox', { name: 'Lists' }), 0);
  await axe(page, 'composer of the email of an automation');
  await screenshots(page, 'composer-automated');
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  const sent = page.locator('dl').first();
  await sent.getByText('Contacts of the automation').waitFor();
  await shows(page.getByRole('button', { name: 'Change: To' }), 0);
  noErrors(page);
});

test('the card of a step shows what an inbox shows of its email', async () => {
  const { page, installation } = ui;
  const { data } = await installation.call<{ data: { id: string }[] }>('automations');
  await ui.open(`/automations/${data[0]!.id}`);
  const card = page.getByRole('article', { name: /^Send an email/ });
  await card.getByText('Your cart expires soon').waitFor();
  await card.getByText(/^Your cart\. Unsubscribe/).waitFor();
  await shows(card.locator('iframe'), 0);
  // What else can be done comes last.
  const buttons = page
    .locator('header')
    .filter({ has: page.getByRole('heading', { level: 1 }) })
    .getByRole('button');
  await eventually(async () => assert.match((await buttons.last().getAttribute('aria-label')) ?? '', /More/i));
  noErrors(page);
});

test('the address of a campaign that was deleted says so in a sentence', async () => {
  const { page, installation } = ui;
  const list = (await installation.call<{ id: string }[]>('lists'))[0]!.id;
  const cid = await installation.draft(list, 'Never sent');
  await installation.call('campaignDelete', { cid });
  await ui.open(`/campaigns/${cid}/edit`);
  await page.getByRole('heading', { name: 'Campaign not found' }).waitFor();
  await page.getByText('This campaign does not exist. It may have been deleted.').waitFor();
  await page.getByRole('link', { name: 'Campaigns', exact: true }).last().click();
  await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor();
});
