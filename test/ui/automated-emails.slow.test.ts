// Browser test of emails that automations send: apart from the campaigns, and on Home as their automation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, noErrors, screenshots, shows, uiTest } from '../support/browser/ui.ts';

const ui = uiTest({}, async ({ installation }) => {
  const list = await installation.listOf(2, (n) => `reader${n}@example.com`);
  await installation.draft(list, 'Autumn news');
  const automation = await installation.call<string>('automationCreate', { title: 'Forgotten cart', list });
  const email = await installation.call<string>('automationEmailCreate', { list, subject: 'Your cart expires soon' });
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
