// Browser test of the log of single messages: search, states, and what a message contained.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, noErrors, noSidewaysScroll, screenshots, settled, uiTest } from '../support/browser/ui.ts';

const ui = uiTest();

test('the log shows single messages with their states; one opens with its recipients and content', async () => {
  const { page } = ui;
  await ui.open('/messages');
  await page.getByText('No transactional emails yet').waitFor();
  await ui.installation.call('messageSend', {
    to: ['ada@example.com'],
    subject: 'Your order 17',
    html: '<h1>On its way</h1>',
    tags: ['order'],
  });
  await ui.installation.call('messageSend', { to: ['grace@example.com'], subject: 'Password', plain: 'A link' });
  await page.getByRole('row', { name: /Your order 17 .*Delivered/ }).waitFor();
  await settled(page);
  await screenshots(page, 'messages');
  await axe(page, 'messages');
  await noSidewaysScroll(page);
  await page.getByRole('searchbox', { name: 'Search by address or subject' }).fill('grace@example.com');
  await page.getByRole('link', { name: 'Your order 17' }).waitFor({ state: 'detached' });
  await page.getByRole('searchbox', { name: 'Search by address or subject' }).fill('order');
  await page.getByRole('link', { name: 'Your order 17' }).focus();
  await page.keyboard.press('Space');
  const panel = page.getByRole('dialog', { name: 'Your order 17' });
  await panel.getByRole('row', { name: /ada@example\.com/ }).waitFor();
  await panel.frameLocator('iframe').getByRole('heading', { name: 'On its way' }).waitFor();
  await axe(page, 'message in the panel');
  await screenshots(page, 'messages-panel');
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Your order 17' }).click();
  await page.getByRole('heading', { level: 1, name: 'Your order 17' }).waitFor();
  await page
    .frameLocator('iframe[title="Preview of the email"]')
    .getByRole('heading', { name: 'On its way' })
    .waitFor();
  await page.getByRole('row', { name: /ada@example\.com Delivered/ }).waitFor();
  await settled(page);
  await screenshots(page, 'message');
  await axe(page, 'message');
  await noSidewaysScroll(page);
  const first = page.url();
  await page.getByRole('button', { name: 'Resend' }).click();
  await page.getByText('It goes to 1 recipient as a new email.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Resend' }).click();
  await page.getByRole('link', { name: 'Copy of an earlier email' }).waitFor();
  await page.getByRole('row', { name: /ada@example\.com Delivered/ }).waitFor();
  await axe(page, 'message, a copy');
  await page.getByRole('link', { name: 'Copy of an earlier email' }).click();
  await page.waitForURL(first);
});

test('an email of the program is in the log without its content, and cannot be sent again', async () => {
  const { page } = ui;
  const list = await ui.installation.call<string>('listCreate', { title: 'Letter' });
  await ui.installation.call('listSubscribe', { id: list, email_address: 'bea@example.com' });
  await ui.open('/messages');
  await page.getByRole('row', { name: /Please confirm: Letter .*Delivered Confirmation/ }).waitFor();
  await page.getByRole('link', { name: 'Please confirm: Letter' }).click();
  await page.getByText('Postrider does not keep the content of its own emails.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Resend' }).count(), 0);
  await axe(page, 'message of the program');
  await noSidewaysScroll(page);
});

test('a message for later is listed by its time, and cancelled', async () => {
  const { page } = ui;
  const send_at = new Date(Date.now() + 5 * 86_400_000).toISOString();
  await ui.installation.call('messageSend', { to: 'tim@example.com', subject: 'Trial ends', plain: 'Soon', send_at });
  await ui.open('/messages');
  await page.getByRole('row', { name: /Trial ends .*Scheduled/ }).waitFor();
  await page.getByRole('button', { name: 'Scheduled' }).click();
  await page.getByRole('link', { name: 'Please confirm: Letter' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Trial ends' }).click();
  await page.getByText(/^Scheduled for/).waitFor();
  await page.getByRole('row', { name: /tim@example\.com Scheduled/ }).waitFor();
  await settled(page);
  await screenshots(page, 'message-scheduled');
  await axe(page, 'message for later');
  await page.getByRole('button', { name: 'Cancel sending' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel sending' }).click();
  await page.getByRole('row', { name: /tim@example\.com Skipped cancelled/ }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Cancel sending' }).count(), 0);
});
test('a message of a test key says so, in the log and on its page', async () => {
  const { page } = ui;
  const key = await ui.installation.call<string>('apikeyAdd', { label: 'staging', test: true });
  await ui.open('/messages');
  const answer = await fetch(new URL('/api/messageSend', page.url()), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: ['kim@example.com'], subject: 'Only a try', plain: 'x' }),
  });
  assert.equal(answer.status, 200);
  await page.getByRole('row', { name: /Only a try Test .*Delivered/ }).waitFor();
  await page.getByRole('link', { name: 'Only a try' }).click();
  await page.getByText('Sent with a test key: it stays in the inbox of Postrider.').waitFor();
  await page.getByRole('row', { name: /kim@example\.com Delivered .*Kept in the built-in inbox/ }).waitFor();
  await ui.open('/settings/keys');
  await page.getByRole('row', { name: /staging .*Test key/ }).waitFor();
  await page.getByRole('button', { name: 'Create API key' }).first().click();
  await page.getByRole('dialog').getByRole('checkbox', { name: 'Test key' }).check();
  await axe(page, 'new key, for tests');
});

test('a key of the test account is made, and every screen of that account says what it is', async () => {
  const { page } = ui;
  await ui.open('/settings/keys');
  await page.getByRole('button', { name: 'Create API key' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Label' }).fill('flows');
  await dialog.getByRole('checkbox', { name: 'Key of the test account' }).check();
  assert.equal(await dialog.getByRole('radio').count(), 0, 'such a key is not limited');
  await settled(page);
  await axe(page, 'test-account-key');
  await screenshots(page, 'test-account-key');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('It is a key of the account My organisation (test).').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: /My organisation/ }).click();
  await page.getByRole('menuitem', { name: 'My organisation (test)' }).click();
  await page.getByText('Test account: emails stay in the inbox').waitFor();
  await ui.open('/settings/keys');
  await page.getByRole('row', { name: /flows .*Test key/ }).waitFor();
  await settled(page);
  await axe(page, 'test-account');
  await noSidewaysScroll(page);
  await screenshots(page, 'test-account');
  noErrors(page);
});
