// Browser test of the settings: account, keys, relays, two-factor authentication, password, audit log.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { codeOf, stepAt } from '../../src/accounts/sign-in/totp.ts';
import { field, looks, settingsTest } from '../support/browser/settings.ts';
import { axe, eventually, noErrors, owner, screenshots, settled, shows, testMail } from '../support/browser/ui.ts';
import { encodeCall } from '../support/builders/xmlrpc-client.ts';

const { ui, relay } = settingsTest();

test('the account is edited, a fault is shown at its field, and the input is kept', async () => {
  const { page } = ui;
  await ui.open('/settings');
  await page.getByRole('heading', { level: 1, name: 'Organisation' }).waitFor();
  await looks(page, 'account');
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await shows(save, 0, 'nothing is changed');
  await field(page, 'Organisation').fill('Analytical Engines Ltd');
  await field(page, 'Website').fill('javascript:alert(1)');
  await save.click();
  await page.getByText('Is not a web address').waitFor();
  assert.equal(await field(page, 'Website').inputValue(), 'javascript:alert(1)');
  await axe(page, 'account, refused');
  await field(page, 'Website').fill('https://example.com');
  await field(page, 'Postal address').fill('1 Loom Street\nLondon');
  await save.click();
  await page.getByText('Saved.').first().waitFor();
  await shows(save, 0, 'everything is saved');
  await field(page, 'Phone').fill('12');
  await screenshots(page, 'settings-save-bar');
  await page.getByRole('button', { name: 'Discard' }).click();
  assert.equal(await field(page, 'Phone').inputValue(), '');
  await ui.open('/settings/sending');
  await looks(page, 'sending');
  await page.getByRole('radio', { name: "Don't resend" }).check();
  await field(page, 'Maximum emails per second').fill('many');
  await save.click();
  await page.getByText('Is not a number of messages per second').waitFor();
  await field(page, 'Maximum emails per second').fill('25');
  await field(page, 'Emails per contact').fill('3');
  await screenshots(page, 'settings-account-sending');
  await field(page, 'First day').fill('50');
  await save.click();
  await ui.installation.until('the account is saved', async () => {
    const { account } = await ui.installation.call<{ account: { settings: Record<string, string> } }>('sessionGet');
    const { rate, frequency_cap } = account.settings;
    return rate === '25' && frequency_cap === '3:7' && /^50:1\.5:20000:/.test(account.settings.warm_up ?? '');
  });
  await field(page, 'Your sites').fill('the lake');
  await save.click();
  await page.getByText('Must be host names').waitFor();
  await field(page, 'Your sites').fill('https://www.example.com, shop.example.net');
  await field(page, 'Medium (utm_medium)').fill('letter');
  await screenshots(page, 'settings-account-analytics');
  await save.click();
  await ui.installation.until('the sites are saved', async () => {
    const { account } = await ui.installation.call<{ account: { settings: Record<string, string> } }>('sessionGet');
    return account.settings.utm_medium === 'letter' && /shop/.test(account.settings.analytics_sites ?? '');
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

test('an API key created in the browser is shown once, works over XML-RPC, is limited, and is rejected when revoked', async () => {
  const { page } = ui;
  await ui.open('/settings/keys');
  await page.getByRole('button', { name: 'Create API key' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Create API key' }).first().click();
  await field(page, 'Label').fill('shop');
  assert.ok(await page.getByRole('radio', { name: 'Write and send' }).isChecked(), 'full access is chosen on purpose');
  await page.getByRole('radio', { name: 'Read' }).check();
  await field(page, 'Expires on').fill('2999-01-31');
  await page.getByRole('button', { name: 'More settings' }).click();
  await field(page, 'Allowed networks').fill('127.0.0.0/8\nhome');
  await settled(page);
  await axe(page, 'new key');
  // As 15 minutes after signing in: the password is asked for, and the call repeated.
  const refusal = { status: 403, json: { error: 'Enter your password again first', code: 137 } };
  await page.route('**/api/apikeyAdd', (route) => route.fulfill(refusal), { times: 1 });
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Enter your password' });
  // The field has the focus, so that it can be typed in at once.
  await dialog.getByLabel('Password', { exact: true }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('not the password');
  await axe(page, 'password again');
  const headers = page.locator('[role=dialog] header');
  assert.deepEqual(
    await headers.evaluateAll((all) => all.map((header) => header.getAttribute('role'))),
    ['none', 'none'],
    'no header of a dialog is a landmark of the page',
  );
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('Password', { exact: true }).fill(owner.password);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Must be an IP address or a network such as 192.0.2.0/24, not "home"').waitFor();
  await field(page, 'Allowed networks').fill('127.0.0.0/8\n::1');
  await page.getByRole('button', { name: 'Create key' }).click();
  const made = page.getByRole('dialog', { name: 'API key “shop” created' });
  const key = (await made.getByText(/^[0-9a-f]{32}$/).textContent())!;
  await made.getByRole('button', { name: 'Copy key' }).waitFor();
  await page.mouse.click(4, 4);
  await made.getByText(key).waitFor();
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
  const row = page.getByRole('row', { name: /shop/ });
  await row.getByText('just now').first().waitFor();
  await row.getByText(/^Expires .*2999.* · Only from 127\.0\.0\.0\/8, ::1$/).waitFor();
  await page.getByRole('button', { name: 'Edit shop' }).click();
  await page.getByRole('radio', { name: 'Limited' }).check();
  await field(page, 'Allowed networks').fill('127.0.0.1');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Must contain at least one permission').waitFor();
  await page.getByRole('checkbox', { name: 'Read reports' }).check();
  await settled(page);
  await axe(page, 'edit key');
  await page.getByRole('button', { name: 'Save' }).click();
  await row.getByText(/^Expires .*2999.* · reports:read · Only from 127\.0\.0\.1$/).waitFor();
  await looks(page, 'keys limited');
  assert.match(await ping(), /Everything's Ok!|Everything&apos;s Ok!|Everything&#39;s Ok!/);
  assert.equal(await page.getByLabel('Show revoked and expired keys').count(), 0, 'there are none');
  const end = async (part: Locator) => {
    const { x, width } = (await part.boundingBox())!;
    return Math.round(x + width);
  };
  const create = page.getByRole('button', { name: 'Create API key' });
  assert.equal(
    await end(create),
    await end(page.getByRole('table', { name: 'API keys' })),
    'the button ends with the table',
  );
  await page.getByRole('button', { name: 'Revoke shop' }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByText('Key “shop” revoked.').waitFor();
  assert.match(await ping(), /<int>104<\/int>|<i4>104<\/i4>/);
  await page.getByLabel('Show revoked and expired keys').check();
  await page.getByRole('row', { name: /shop/ }).getByText('revoked').waitFor();
  noErrors(page);
});

test('the buttons of the key dialog stay in view on a short window and on a phone', async () => {
  const { page } = ui;
  await ui.open('/settings/keys');
  const before = page.viewportSize()!;
  for (const size of [
    { width: 1440, height: 520 },
    { width: 390, height: 664 },
  ]) {
    await page.setViewportSize(size);
    await page.getByRole('button', { name: 'Create API key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'Write and send' }).waitFor();
    await settled(page);
    const box = (await dialog.getByRole('button', { name: 'Create key' }).boundingBox())!;
    assert.ok(
      box.y + box.height <= size.height,
      `${size.width} × ${size.height}: the button ends at ${box.y + box.height}`,
    );
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
  await page.setViewportSize(before);
  noErrors(page);
});

test('relays are shown without passwords, and tested', async () => {
  const { page } = ui;
  await ui.open('/settings/relays');
  await page.getByRole('button', { name: `Test connection to 127.0.0.1:${relay.port}` }).click();
  await page.getByText(/^Connected, [\d,]+ ms$/).waitFor();
  await page.getByRole('button', { name: 'Test connection to 127.0.0.1:9' }).click();
  await page.getByText('Could not connect').waitFor();
  await page.getByText('plain text', { exact: true }).waitFor();
  await testMail(ui, 'Over the relay', '<p>Hello</p>');
  await page.getByText(/^Last connection: .* · plain text$/).waitFor();
  const id = await ui.installation.call('relayCreate', { host: '8.8.8.8', tls: 'none', paused: true });
  const remote = page.getByRole('region', { name: '8.8.8.8' });
  await remote
    .getByRole('alert')
    .getByText(/plain text over a public network/)
    .waitFor();
  await looks(page, 'relays');
  await ui.installation.call('relayDelete', { id });
  assert.doesNotMatch(await page.content(), /hunter2|\bann\b/);
  noErrors(page);
});

type Saved = { name: string; signs_in: boolean; rate: number; port: number; paused: boolean };

test('a relay is set up from a preset, tested, changed, paused, ordered and deleted', async () => {
  const { page } = ui;
  await ui.open('/settings/relays');
  const add = async () => {
    await page.getByRole('button', { name: 'Add relay' }).click();
    await page.getByRole('dialog', { name: 'Add relay' }).waitFor();
  };
  const dialog = page.getByRole('dialog');
  const choose = async (label: string, option: string) => {
    await dialog.getByRole('combobox', { name: label }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  await add();
  await choose('Service', 'SendGrid');
  await page.getByText(/permission Mail Send/).waitFor();
  const filled = await Promise.all(
    ['Server', 'Port', 'User name', 'Name'].map((name) => field(page, name).inputValue()),
  );
  assert.deepEqual(filled, ['smtp.sendgrid.net', '587', 'apikey', 'SendGrid']);
  await looks(page, 'relay-new');
  await choose('Service', 'Postfix');
  await dialog.getByRole('button', { name: 'Test and save' }).click();
  await page.getByText(/Replace the part of \{host\}/).waitFor();
  await field(page, 'Server').fill('10.0.0.7');
  await dialog.getByRole('button', { name: 'Test and save' }).click();
  await page.getByText(/does not connect to private addresses such as 10\.0\.0\.7/).waitFor();
  await axe(page, 'relay, refused');
  await field(page, 'Server').fill('127.0.0.1');
  await field(page, 'Port').fill(String(relay.port));
  await choose('Encryption', 'None');
  await dialog.getByRole('button', { name: 'More settings' }).click();
  await dialog.getByLabel('Only for sender domains').fill('letters.example.com');
  await looks(page, 'relay-limits');
  await dialog.getByRole('button', { name: 'Test and save' }).click();
  const postfix = page.getByRole('region', { name: 'Postfix' });
  await postfix.getByText(/^Connected, [\d,]+ ms$/).waitFor();
  await postfix.getByText('Only for letters.example.com').waitFor();
  // It takes no other emails: apart from those that do.
  const limited = page.getByRole('region', { name: 'Only for certain accounts or sender domains' });
  await limited.getByRole('region', { name: 'Postfix' }).waitFor();
  assert.equal(
    await page.getByRole('region', { name: 'For all emails' }).getByRole('region', { name: 'Postfix' }).count(),
    0,
  );
  await page
    .getByRole('region', { name: 'Which relay an email takes' })
    .getByRole('link', { name: 'Sending rules' })
    .waitFor();

  await add();
  for (const [name, value] of [
    ['Server', '127.0.0.1'],
    ['Port', '9'],
    ['User name', 'carol'],
  ])
    await field(page, name!).fill(value!);
  await dialog.getByLabel('Password or key').fill('hunter3');
  await field(page, 'Name').fill('Reserve');
  await dialog.getByRole('button', { name: 'More settings' }).click();
  await field(page, 'Weight').fill('0');
  // Where the form is longer than the window, what the test said is scrolled into view.
  await page.setViewportSize({ width: 1280, height: 500 });
  await dialog.getByRole('button', { name: 'Test and save' }).click();
  // Nothing listens there: the form says so, keeps what was typed, and nothing is saved before someone decides.
  const failed = dialog.getByRole('alert');
  const said = failed.getByText('The server 127.0.0.1 refused the connection on port 9. Is the port right?');
  await said.waitFor();
  await eventually(async () => {
    const { y, height } = (await failed.boundingBox())!;
    assert.ok(y >= 0 && y + height <= 500, `the alert is from ${y} to ${y + height}`);
  });
  await page.setViewportSize({ width: 1280, height: 800 });
  const saved = async () => {
    const all = await ui.installation.call<Saved[]>('relays');
    return all.filter(({ name }) => name !== '');
  };
  assert.deepEqual(
    (await saved()).map(({ name }) => name),
    ['Postfix'],
  );
  await looks(page, 'relay-failed');
  await failed.getByRole('button', { name: 'Change' }).click();
  await failed.waitFor({ state: 'detached' });
  await field(page, 'Server').and(page.locator(':focus')).waitFor();
  assert.equal(await dialog.getByLabel('Password or key').inputValue(), 'hunter3');
  assert.equal(await field(page, 'Port').inputValue(), '9');
  await dialog.getByRole('button', { name: 'Test and save' }).click();
  await said.waitFor();
  await failed.getByRole('button', { name: 'Save anyway' }).click();
  const reserve = page.getByRole('region', { name: 'Reserve' });
  await reserve.getByText('Failing', { exact: true }).waitFor();
  // Also for those who come later and have tested nothing.
  await page.reload();
  await reserve.getByText('Failing', { exact: true }).waitFor();
  await reserve.getByText(/^The server 127\.0\.0\.1 refused the connection on port 9/).waitFor();

  await page.getByRole('button', { name: 'Change Reserve' }).click();
  assert.equal(await dialog.getByLabel('Password or key').inputValue(), '');
  assert.equal(await field(page, 'User name').inputValue(), 'carol');
  await dialog.getByRole('button', { name: 'More settings' }).click();
  await field(page, 'Emails per second').fill('2.5');
  await dialog.getByRole('button', { name: 'Test and save' }).click();
  await reserve.getByText('Up to 2.5 per second').waitFor();
  assert.deepEqual(
    (await saved()).map(({ name, signs_in, rate }) => [name, signs_in, rate]),
    [
      ['Postfix', false, 0],
      ['Reserve', true, 2.5],
    ],
  );
  await page.getByRole('button', { name: 'Change Reserve' }).click();
  await field(page, 'Port').fill('10');
  await dialog.getByRole('button', { name: 'Test and save' }).click();
  await failed.getByRole('button', { name: 'Save and turn off' }).click();
  await reserve.getByText('Off', { exact: true }).waitFor();
  // It is switched off first, and changed then.
  await dialog.waitFor({ state: 'detached' });
  assert.deepEqual(
    (await saved()).map(({ name, port, paused }) => [name, port === 10, paused]),
    [
      ['Postfix', false, false],
      ['Reserve', true, true],
    ],
  );
  const more = async (name: string, item: string) => {
    await page.getByRole('button', { name: `More actions for “${name}”` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await more('Postfix', 'Pause');
  await postfix.getByText('Off', { exact: true }).waitFor();
  await more('Reserve', 'Move up');
  await ui.installation.until('the order is saved', async () => (await saved())[0]!.name === 'Reserve');
  await looks(page, 'relays-own');
  await more('Postfix', 'Resume');
  await more('Reserve', 'Resume');
  await reserve.getByText('Failing', { exact: true }).waitFor();
  for (const name of ['Postfix', 'Reserve']) {
    await more(name, 'Delete');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText(`${name} deleted.`).waitFor();
  }
  assert.deepEqual(await saved(), []);
  assert.doesNotMatch(await page.content(), /hunter/);
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
  const sessions = page.getByRole('table', { name: 'Sessions' });
  await shows(sessions.getByRole('columnheader', { name: 'Action' }), 0);
  await sessions.getByText('This browser').waitFor();
  const top = async (part: Locator) => (await part.boundingBox())!.y;
  const factor = page.getByRole('region', { name: 'Two-factor authentication' });
  const apart = (await top(factor.getByText('Off', { exact: true }))) - (await top(factor.getByRole('heading')));
  assert.ok(Math.abs(apart) < 12, `the state is beside the heading: ${apart}`);
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
  await dialog.getByLabel('Code', { exact: true }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type(codeOf(bytes, stepAt(Date.now())));
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
  const entries = page.getByRole('table', { name: 'Audit log' });
  await entries.getByText('Changed the password').first().waitFor();
  await entries.getByText('Revoked an API key').first().waitFor();
  assert.doesNotMatch(await page.content(), /herons|quiet lake/);
  await looks(page, 'audit');
  // First the area, then one of its actions.
  await page.getByRole('combobox', { name: 'Area' }).click();
  await page.getByRole('option', { name: 'Team, sign-in and keys' }).click();
  await page.waitForURL('**/settings/audit?area=access');
  await entries.getByText('Changed the password').first().waitFor();
  await page.getByRole('combobox', { name: 'Action' }).click();
  await shows(page.getByRole('option', { name: 'Created a list', exact: true }), 0);
  await page.getByRole('option', { name: 'Created an API key', exact: true }).click();
  await entries.getByText('Changed the password').first().waitFor({ state: 'detached' });
  await entries.getByText('Created an API key').first().waitFor();
  const list = await ui.installation.call<string>('listCreate', { title: 'Letters' });
  await ui.open('/settings/audit');
  await entries.getByText('Created a list').first().waitFor();
  for (const value of ['Letters', 'Letters from the lake'])
    await ui.installation.call('listUpdate', { id: list, name: 'title', value });
  await ui.open('/settings/audit');
  // What one caller does to one thing within an hour is one row.
  const changedList = entries.getByRole('row', { name: /Letters from the lake.*2 times/ });
  // It says what changed, and from what to what.
  await changedList.getByText('BeforeLetters').waitFor();
  await changedList.getByText('AfterLetters from the lake').waitFor();
  const automation = await ui.installation.call<string>('automationCreate', { title: 'Onboarding', list });
  await ui.installation.call('automationUpdate', { id: automation, trigger: { type: 'subscribed' } });
  await ui.open('/settings/audit');
  // A click shows each of them, and the way to what was changed.
  await entries
    .getByRole('row', { name: /Letters from the lake.*2 times/ })
    .getByText('2 times')
    .click();
  const panel = page.getByRole('dialog', { name: 'Changed a list' });
  // The first call changed nothing.
  await shows(panel.getByText('name: title'), 1);
  const changed = panel.getByRole('region', { name: 'What changed' });
  await changed.getByText('BeforeLetters', { exact: true }).waitFor();
  await changed.getByText('AfterLetters from the lake', { exact: true }).waitFor();
  await axe(page, 'the entries of a row of the audit log');
  await screenshots(page, 'settings-audit-panel');
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await entries
    .getByRole('row', { name: /Edited an automation/ })
    .getByText('Onboarding')
    .click();
  await page.getByRole('dialog').getByRole('link', { name: 'Open' }).click();
  await page.getByRole('heading', { level: 1, name: 'Onboarding' }).waitFor();
  noErrors(page);
});
