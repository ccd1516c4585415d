// Browser test of incoming webhooks: create one, see its last request, change the mapping beside it and try it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, noErrors, noSidewaysScroll, screenshots, settled, uiTest } from '../support/browser/ui.ts';

const ui = uiTest();

test('a webhook of a shop is created, posted to, mapped and tried', async () => {
  const { page } = ui;
  await ui.open('/webhooks');
  await page.getByRole('link', { name: /^Incoming webhooks/ }).click();
  await page.getByText('No incoming webhooks yet').waitFor();
  await axe(page, 'incoming webhooks, none');
  await page.getByRole('button', { name: 'Create incoming webhook' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Service' }).selectOption('Another service');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Tea shop');
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  const url = (await page.getByRole('status').locator('code').textContent())!;
  await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"buyer":{"mail":"ada@example.com"},"sum":"12.50"}',
  });
  await page.getByRole('link', { name: 'Tea shop' }).click();
  await page.getByRole('heading', { level: 1, name: 'Tea shop' }).waitFor();
  await page.getByText("Ignored: an event that isn't mapped").waitFor();
  await page.getByRole('textbox', { name: 'Address', exact: true }).fill('buyer.mail');
  await page.getByRole('textbox', { name: 'Event', exact: true }).fill('order.created');
  await page.getByRole('textbox', { name: 'Value', exact: true }).fill('sum');
  await page.getByRole('checkbox', { name: 'Unknown addresses become contacts' }).check();
  await page.getByRole('button', { name: 'Try the mapping' }).click();
  await page.getByText(/"email": "ada@example.com"/).waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  await settled(page);
  await screenshots(page, 'incoming-webhook');
  await axe(page, 'incoming webhook');
  await noSidewaysScroll(page);
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"buyer":{"mail":"ada@example.com"},"sum":"12.50"}',
  });
  assert.deepEqual(await answer.json(), { status: 'accepted' });
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText(/Accepted/).waitFor();
  noErrors(page);
});
