// Browser test of the settings: account, keys, relays, two-factor authentication, password, audit log.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, stepAt } from '../../src/accounts/sign-in/totp.ts';
import { field, looks, relayPort, ui } from '../support/browser/settings.ts';
import { axe, noErrors, owner, screenshots, settled, shows } from '../support/browser/ui.ts';
import { encodeCall } from '../support/builders/xmlrpc-client.ts';

test('the account is edited, a fault is shown at its field, and the input is kept', async () => {
  const { page } = ui;
  await ui.open('/settings');
  await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
  await looks(page, 'account');
  const organisation = page.getByRole('region', { name: 'Organisation' });
  await field(page, 'Organisation').fill('Analytical Engines Ltd');
  await field(page, 'Website').fill('javascript:alert(1)');
  await organisation.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Is not a web address').waitFor();
  assert.equal(await field(page, 'Website').inputValue(), 'javascript:alert(1)');
  await axe(page, 'account, refused');
  await field(page, 'Website').fill('https://example.com');
  await field(page, 'Postal address').fill('1 Loom Street\nLondon');
  await organisation.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').first().waitFor();
  const sending = page.getByRole('region', { name: 'Sending' });
  await page.getByRole('radio', { name: 'Hold it' }).check();
  await field(page, 'Maximum emails per second').fill('many');
  await sending.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Is not a number of messages per second').waitFor();
  await field(page, 'Maximum emails per second').fill('25');
  await field(page, 'Emails on day one').fill('50');
  await sending.getByRole('button', { name: 'Save' }).click();
  await ui.installation.until('the account is saved', async () => {
    const { account } = await ui.installation.call<{ account: { settings: Record<string, string> } }>('sessionInfo');
    return account.settings.rate === '25' && /^50:1\.5:20000:/.test(account.settings.warm_up ?? '');
  });
  const details = await ui.installation.call<{ company: string; address: string; website: string }>(
    'getAccountDetails',
  );
  assert.deepEqual(
    [details.company, details.address, details.website],
    ['Analytical Engines Ltd', '1 Loom Street\nLondon', 'https://example.com'],
  );
  noErrors(page);
});

test('an API key created in the browser is shown once, works over XML-RPC, and is rejected when revoked', async () => {
  const { page } = ui;
  await ui.open('/settings/keys');
  await page.getByRole('button', { name: 'Create API key' }).first().click();
  await field(page, 'Label').fill('shop');
  await page.getByRole('radio', { name: 'Read' }).check();
  await settled(page);
  await axe(page, 'new key');
  // As 15 minutes after signing in: the password is asked for, and the call repeated.
  const refusal = { status: 403, json: { error: 'Enter your password again first', code: 137 } };
  await page.route('**/api/apikeyAdd', (route) => route.fulfill(refusal), { times: 1 });
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Enter your password' });
  await dialog.getByLabel('Password', { exact: true }).fill('not the password');
  await axe(page, 'password again');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('Password', { exact: true }).fill(owner.password);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  const key = (await page.locator('code', { hasText: /^[0-9a-f]{32}$/ }).textContent())!;
  await looks(page, 'keys');
  const ping = async () => {
    const response = await fetch(`${ui.installation.base}/xmlrpc`, {
      method: 'POST',
      headers: { 'content-type': 'text/xml' },
      body: encodeCall('ping', [{ apikey: key }]),
    });
    return response.text();
  };
  assert.match(await ping(), /Everything's Ok!|Everything&apos;s Ok!|Everything&#39;s Ok!/);
  await ui.open('/settings/keys');
  assert.equal(await page.getByText(key).count(), 0, 'the key cannot be seen again');
  await page.getByRole('row', { name: /shop/ }).getByText('just now').first().waitFor();
  await page.getByRole('button', { name: 'Revoke shop' }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByText('Key “shop” revoked.').waitFor();
  assert.match(await ping(), /<int>104<\/int>|<i4>104<\/i4>/);
  await page.getByLabel('Show revoked keys').check();
  await page.getByRole('row', { name: /shop/ }).getByText('revoked').waitFor();
  noErrors(page);
});

test('relays are shown without passwords, and tested', async () => {
  const { page } = ui;
  await ui.open('/settings/relays');
  await page.getByRole('button', { name: `Test connection to 127.0.0.1:${relayPort}` }).click();
  await page.getByText(/^Connected, \d+ ms$/).waitFor();
  await page.getByRole('button', { name: 'Test connection to 127.0.0.1:9' }).click();
  await page.getByText('Failed at: connecting').waitFor();
  await looks(page, 'relays');
  assert.doesNotMatch(await page.content(), /hunter2|\bann\b/);
  noErrors(page);
});

test('two-factor authentication is set up by QR code and turned off with a recovery code; a session is ended', async () => {
  const { page } = ui;
  const elsewhere = await ui.member();
  await ui.open('/settings/security');
  await looks(page, 'security');
  await page
    .getByRole('button', { name: /^Sign out Chrome/ })
    .first()
    .click();
  await page.getByText('Signed out.').waitFor();
  const refused = await elsewhere.request.post(`${ui.installation.base}/api/ping`, {
    data: {},
    headers: { origin: ui.installation.base },
  });
  assert.equal(refused.status(), 401);

  await page.getByRole('button', { name: 'Set up two-factor authentication' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Current password', { exact: true }).fill('wrong');
  await dialog.getByRole('button', { name: 'Next' }).click();
  await dialog.getByText('Is not your password').waitFor();
  await dialog.getByLabel('Current password', { exact: true }).fill(owner.password);
  await dialog.getByRole('button', { name: 'Next' }).click();
  await dialog.getByRole('img', { name: 'QR code with the secret' }).waitFor();
  await settled(page);
  await axe(page, 'second factor');
  await screenshots(page, 'settings-second-factor');
  const secret = (await dialog.locator('code').textContent())!.replaceAll(' ', '');
  const bits = [...secret].map((sign) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(sign).toString(2).padStart(5, '0'));
  const bytes = Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)!
      .map((byte) => Number.parseInt(byte, 2)),
  );
  await dialog.getByLabel('Code', { exact: true }).fill(codeOf(bytes, stepAt(Date.now())));
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await shows(codes, 10);
  await looks(page, 'recovery-codes');
  const recovery = (await codes.first().textContent())!;
  await page.getByRole('button', { name: 'I have saved these codes' }).click();
  await page.getByText('On', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Turn off two-factor authentication' }).click();
  await dialog.getByLabel('Current password', { exact: true }).fill(owner.password);
  await dialog.getByLabel('Code or recovery code').fill(recovery);
  await dialog.getByRole('button', { name: 'Turn off two-factor authentication' }).click();
  await page.getByText('Off', { exact: true }).first().waitFor();
  noErrors(page);
});

test('the password is changed, and the audit log shows the changes', async () => {
  const { page } = ui;
  await ui.open('/settings/security');
  const part = page.getByRole('region', { name: 'Password' });
  await part.getByLabel('Current password', { exact: true }).fill('wrong');
  await part.getByLabel('New password', { exact: true }).fill('short');
  await part.getByRole('button', { name: 'Change password' }).click();
  await part.getByText('Use at least 12 characters.').waitFor();
  await part.getByLabel('New password', { exact: true }).fill('seven quiet herons at dusk');
  await part.getByRole('button', { name: 'Change password' }).click();
  await part.getByText('Is not your password').waitFor();
  await part.getByLabel('Current password', { exact: true }).fill(owner.password);
  await part.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Password changed. Your other sessions have ended.').waitFor();
  await ui.open('/settings/audit');
  await page.getByText('passwordChange').first().waitFor();
  await page.getByText('apikeyExpire').first().waitFor();
  assert.doesNotMatch(await page.content(), /herons|quiet lake/);
  await looks(page, 'audit');
  await page
    .getByRole('combobox', { name: 'Action' })
    .or(page.getByRole('textbox', { name: 'Action' }))
    .first()
    .fill('apikeyAdd');
  await page.getByText('passwordChange').first().waitFor({ state: 'detached' });
  await page.getByText('apikeyAdd').first().waitFor();
  noErrors(page);
});
