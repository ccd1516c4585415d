// Browser test of the settings: account, security, team, keys, domains, relays, suppression, privacy, audit log; and
// what a viewer sees.

import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { codeOf, stepAt } from '../../src/accounts/sign-in/totp.ts';
import {
  axe,
  eventually,
  noErrors,
  noSidewaysScroll,
  owner,
  savedText,
  screenshots,
  settled,
  shows,
  startUi,
  type Ui,
} from '../support/browser/ui.ts';
import { encodeCall } from '../support/builders/xmlrpc-client.ts';
import { bareEnvironment } from '../support/installation/service.ts';
import { type DnsStub, startDnsStub } from '../support/network/dns-stub.ts';

let ui: Ui;
let dns: DnsStub;
let relay: Server;
let relayPort: number;
const talks = new Set<Socket>();

before(async () => {
  dns = await startDnsStub();
  // A relay that greets, offers no extensions and accepts QUIT: enough for a connection test, and no email is ever sent.
  relay = createServer((socket) => {
    talks.add(socket);
    socket.on('close', () => talks.delete(socket));
    socket.on('error', () => {});
    socket.write('220 relay.test ESMTP\r\n');
    socket.on('data', (bytes) => {
      const verb = bytes.toString().slice(0, 4).toUpperCase();
      socket.write(verb === 'QUIT' ? '221 bye\r\n' : '250 relay.test\r\n');
      if (verb === 'QUIT') socket.end();
    });
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  relayPort = (relay.address() as AddressInfo).port;
  ui = await startUi({
    DNS_SERVERS: dns.server,
    SMTP_URL: `smtp://127.0.0.1:${relayPort}?tls=none smtp://ann:hunter2@127.0.0.1:9?tls=none&weight=0`,
  });
});
after(async () => {
  await ui?.close();
  await dns?.close();
  for (const socket of talks) socket.destroy();
  relay?.close();
});

/** The checks for every screen. */
async function looks(page: Page, name: string): Promise<void> {
  await settled(page);
  await screenshots(page, `settings-${name}`);
  await axe(page, name);
  await noSidewaysScroll(page);
}

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

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
  await page.getByRole('button', { name: 'Create key' }).click();
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
  await page.getByRole('row', { name: /shop/ }).getByText('now').first().waitFor();
  await page.getByRole('button', { name: 'Revoke shop' }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByText('Key “shop” revoked.').waitFor();
  assert.match(await ping(), /<int>104<\/int>|<i4>104<\/i4>/);
  await page.getByLabel('Show revoked keys').check();
  await page.getByRole('row', { name: /shop/ }).getByText('revoked').waitFor();
  noErrors(page);
});

test('a domain is added, its records are published and found; then its keys are rotated and it is removed', async () => {
  const { page } = ui;
  await ui.open('/settings/domains');
  await page.getByText('No sender domains yet').waitFor();
  await looks(page, 'domains-empty');
  await page.getByRole('button', { name: 'Add domain' }).first().click();
  await field(page, 'Domain').fill('localhost');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('is not a domain such as').waitFor();
  await field(page, 'Domain').fill('news.example.com');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'news.example.com' }).waitFor();
  await page.getByText('Waiting for DNS').first().waitFor();
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByText('Not found', { exact: true }).first().waitFor();
  await looks(page, 'domain-pending');

  // Publish the records exactly as shown.
  const values = page.getByRole('region', { name: 'Required records' }).locator('[class*=value] > span');
  const texts = await values.allTextContents();
  assert.ok(texts.length >= 2 && texts.length % 2 === 0, JSON.stringify(texts));
  for (let at = 0; at < texts.length; at += 2) dns.set(texts[at]!, { TXT: [texts[at + 1]!] });
  // The screen rechecks automatically.
  await page.getByText('Active', { exact: true }).waitFor({ timeout: 90_000 });
  await page.getByText('Found', { exact: true }).first().waitFor();
  await looks(page, 'domain-active');
  const [domain] = await ui.installation.call<{ status: string }[]>('senderDomains');
  assert.equal(domain!.status, 'active');

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Rotate keys' }).click();
  await page.getByRole('button', { name: 'Rotate keys' }).click();
  await page.getByText('New keys created. Publish their records.').waitFor();
  await ui.open('/settings/domains');
  await looks(page, 'domains');
  await page.getByRole('link', { name: 'news.example.com' }).click();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('No sender domains yet').waitFor();
  assert.deepEqual(await ui.installation.call('senderDomains'), []);
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

test('addresses and domains are suppressed, searched and removed', async () => {
  const { page } = ui;
  await ui.open('/settings/suppression');
  await page.getByText('No suppressed addresses').waitFor();
  await axe(page, 'suppression, empty');
  await page.getByRole('button', { name: 'Suppress addresses' }).first().click();
  await field(page, 'Addresses and domains').fill('never@example.com\n@example.net\nnot an address@@');
  await field(page, 'Reason').fill('Asked by telephone');
  await page.getByRole('dialog').getByRole('button', { name: 'Suppress addresses' }).click();
  await page.getByText('2 entries added.').waitFor();
  await eventually(async () =>
    assert.equal(await field(page, 'Addresses and domains').inputValue(), 'not\nan\naddress@@'),
  );
  await axe(page, 'suppression, refused');
  await page.keyboard.press('Escape');
  await page.getByRole('cell', { name: 'never@example.com', exact: true }).waitFor();
  await page.getByText('all addresses at this domain').waitFor();
  await looks(page, 'suppression');
  await page.getByRole('searchbox', { name: 'Search addresses' }).fill('never');
  await page.getByText('all addresses at this domain').waitFor({ state: 'detached' });
  await page.getByRole('checkbox', { name: 'Select never@example.com' }).check();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('1 entry removed.').waitFor();
  const left = await ui.installation.call<{ email: string }[]>('suppressedListMembers');
  assert.deepEqual(
    left.map(({ email }) => email.replace(/^@/, '')),
    ['example.net'],
  );
  noErrors(page);
});

test('the data of a contact is exported and erased', async () => {
  const { page } = ui;
  const list = await ui.installation.call<string>('listCreate', { title: 'Readers' });
  await ui.installation.call('listSubscribe', { id: list, email_address: 'ada@example.com', double_optin: false });
  await ui.open('/settings/data');
  await field(page, 'Email address').fill('nobody@example.com');
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByText(/nobody@example\.com/).waitFor();
  await field(page, 'Email address').fill('ada@example.com');
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByText('Readers · subscribed').waitFor();
  await looks(page, 'data');
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download everything' }).click();
  const file = await downloading;
  assert.equal(file.suggestedFilename(), 'ada@example.com.json');
  const { contact } = JSON.parse(await savedText(file)) as { contact: { email: string } };
  assert.equal(contact.email, 'ada@example.com');
  await page.getByRole('button', { name: 'Erase this person' }).click();
  await page.getByRole('button', { name: 'Erase permanently' }).click();
  await page.getByText('ada@example.com erased.').waitFor();
  await assert.rejects(ui.installation.call('contactInfo', { email: 'ada@example.com' }), { code: 232 });
  noErrors(page);
});

test('data retention is explained, selected, and confirmed before data is deleted', async () => {
  const { page } = ui;
  const choice = (name: string) => page.getByRole('combobox', { name, exact: true });
  await ui.open('/settings/data');
  await page.getByText('each night at about 3:30 UTC').waitFor();
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const taking = page.getByRole('dialog');
  await taking.getByRole('link', { name: 'Download' }).waitFor();
  await page.keyboard.press('Escape');
  await taking.waitFor({ state: 'hidden' });
  await eventually(async () => assert.equal(await choice('Webhook attempts').inputValue(), 'Delete after 30 days'));
  await choice('Individual opens and clicks').click();
  await page.getByRole('option', { name: 'Delete after 90 days' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  const question = page.getByRole('dialog', { name: 'Delete older data from now on?' });
  await question.getByText(/Individual opens and clicks: Delete after 90 days/).waitFor();
  await question.getByRole('button', { name: 'Delete older data' }).click();
  await page.getByText('Saved.').first().waitFor();
  await page.reload();
  await eventually(async () =>
    assert.equal(await choice('Individual opens and clicks').inputValue(), 'Delete after 90 days'),
  );
  await looks(page, 'data-retention');
  noErrors(page);
});

const viewer = { email: 'viewer@example.com', password: 'a kettle upon the stove' };

test('an invited viewer can change nothing', async () => {
  const { page } = ui;
  await ui.open('/settings/people');
  await page.getByRole('button', { name: 'Invite' }).click();
  await field(page, 'Email address').fill(viewer.email);
  await page
    .getByRole('combobox', { name: 'Role', exact: true })
    .or(page.getByRole('textbox', { name: 'Role', exact: true }))
    .first()
    .click();
  await page.getByRole('option', { name: 'Viewer' }).click();
  await axe(page, 'invite');
  await page.getByRole('button', { name: 'Send invitation', exact: true }).click();
  await page.getByText('Invitation sent to viewer@example.com.').waitFor();
  await page.getByText('invited', { exact: true }).waitFor();
  await looks(page, 'people');
  const users = await ui.installation.call<{ email: string; role: string }[]>('users');
  assert.deepEqual(users.find(({ email }) => email === viewer.email)?.role, 'viewer');

  // The invitation is not delivered here; the operator sets the password instead.
  const { execFile } = await import('node:child_process');
  const { promisify } = await import('node:util');
  const { stdout } = await promisify(execFile)(process.execPath, ['src/main.ts', 'user', 'password', viewer.email], {
    env: {
      ...bareEnvironment,
      ...ui.installation.settings,
      DATA_DIR: ui.installation.dataDir,
      LOG_LEVEL: 'silent',
    },
  });
  viewer.password = stdout.trim();
  const other = await ui.member(viewer);
  await ui.open('/settings', other);
  for (const hidden of ['Team', 'API keys', 'Relays', 'Audit log'])
    assert.equal(await other.getByRole('link', { name: hidden, exact: true }).count(), 0, hidden);
  await other.getByText('Only owners can change this.').waitFor();
  assert.equal(await other.getByRole('button', { name: 'Save' }).count(), 0);
  await axe(other, 'account, viewer');
  await ui.open('/settings/domains', other);
  assert.equal(await other.getByRole('button', { name: 'Add domain' }).count(), 0);
  await ui.open('/settings/suppression', other);
  assert.equal(await other.getByRole('button', { name: 'Suppress addresses' }).count(), 0);
  await ui.open('/settings/data', other);
  assert.equal(await other.getByRole('button', { name: 'Erase this person' }).count(), 0);
  for (const [method, params] of [
    ['accountUpdate', { name: 'company', value: 'Mine' }],
    ['apikeyAdd', {}],
    ['senderDomainAdd', { domain: 'mine.example.com' }],
    ['suppressedListSubscribe', { email_address: 'x@example.com' }],
    ['userInvite', { email: 'y@example.com', role: 'owner' }],
    ['contactErase', { email: 'never@example.com' }],
    ['relayTest', {}],
    ['auditLog', {}],
  ] as const) {
    const answer = await other.request.post(`${ui.installation.base}/api/${method}`, {
      data: params,
      headers: { origin: ui.installation.base },
    });
    const { code } = (await answer.json()) as { code: number };
    assert.deepEqual([method, answer.status(), code], [method, 403, 120]);
  }
  await ui.open('/settings/people', other);
  await other.getByText(/needs the permission "admin"/).waitFor();
  noErrors(other);

  await page.getByRole('button', { name: 'Remove viewer@example.com' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('viewer@example.com removed.').waitFor();
  const gone = await other.request.post(`${ui.installation.base}/api/ping`, {
    data: {},
    headers: { origin: ui.installation.base },
  });
  assert.equal(gone.status(), 401);
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

test('the settings are available in German', async () => {
  const { page } = ui;
  await page.evaluate(() => localStorage.setItem('postrider-language', 'de'));
  for (const [path, title] of [
    ['account', 'Konto'],
    ['security', 'Ihre Anmeldung'],
    ['people', 'Team'],
    ['keys', 'API-Schlüssel'],
    ['domains', 'Absender-Domains'],
    ['relays', 'Relays'],
    ['suppression', 'Sperrliste'],
    ['data', 'Daten'],
    ['audit', 'Protokoll'],
  ] as const) {
    await ui.open(`/settings/${path}`);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await noSidewaysScroll(page);
  }
  noErrors(page);
});
