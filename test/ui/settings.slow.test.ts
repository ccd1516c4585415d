// The settings in detail: domains, suppression, the data of a contact, retention, what a viewer sees, German.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createLog } from '../../src/base/log.ts';
import { connect } from '../../src/db/connect.ts';
import { storeReport as storeDmarcReport } from '../../src/senders/domains/dmarc/reports.ts';
import { field, looks, settingsTest } from '../support/browser/settings.ts';
import { axe, eventually, noErrors, noSidewaysScroll, savedText } from '../support/browser/ui.ts';
import { bareEnvironment } from '../support/installation/service.ts';

const { ui, dns } = settingsTest();

test('a domain is added, its records are published and found; then its keys are rotated and it is removed', async () => {
  const { page } = ui;
  await ui.open('/settings/domains');
  await page.getByText('No sender domains yet').waitFor();
  await looks(page, 'domains-empty');
  await page.getByRole('button', { name: 'Add domain' }).first().click();
  await field(page, 'Domain').fill('localhost');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('is not a domain such as').waitFor();
  // The address of a site is as good.
  await field(page, 'Domain').fill('https://news.example.com/archive');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'news.example.com' }).waitFor();
  await page.getByText('Waiting for DNS').first().waitFor();
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByText('Not found', { exact: true }).first().waitFor();
  const logo = page.getByRole('region', { name: 'Logo in mailboxes (BIMI)' });
  await logo.getByText('Not set up', { exact: true }).waitFor();
  await logo.getByText('v=BIMI1; l=https://news.example.com/logo.svg; a=', { exact: true }).waitFor();
  const returned = page.getByRole('region', { name: 'Encryption of bounces' });
  assert.equal(await returned.getByText('Not set up', { exact: true }).count(), 3);
  await returned.getByText(/^version: STSv1\s+mode: testing\s+mx: /).waitFor();
  await looks(page, 'domain-pending');
  dns.set('default._bimi.news.example.com', { TXT: ['v=BIMI1; l=http://news.example.com/logo.svg'] });

  // Publish the records exactly as shown.
  const required = page.getByRole('table', { name: 'DNS records' }).getByRole('row').filter({ hasText: 'required' });
  const values = required.locator('[class*=copied] > code');
  const texts = await values.allTextContents();
  assert.ok(texts.length >= 2 && texts.length % 2 === 0, JSON.stringify(texts));
  for (let at = 0; at < texts.length; at += 2) dns.set(texts[at]!, { TXT: [texts[at + 1]!] });
  // The screen rechecks automatically.
  await page.getByText('Active', { exact: true }).waitFor({ timeout: 90_000 });
  await page.getByText('Found', { exact: true }).first().waitFor();
  await logo.getByText('Incorrect', { exact: true }).waitFor();
  await logo.getByText(/The address of the logo \(l=\) must begin with https/).waitFor();
  await looks(page, 'domain-active');
  const [domain] = await ui.installation.call<{ status: string }[]>('senderDomains');
  assert.equal(domain!.status, 'active');

  const host = page.getByRole('region', { name: 'Tracking domain' });
  await host.getByLabel('Tracking domain').fill('click.example.net');
  await host.getByRole('button', { name: 'Save' }).click();
  await host.getByText('is not a name within news.example.com').waitFor();
  await host.getByLabel('Tracking domain').fill('click.news.example.com');
  await host.getByRole('button', { name: 'Save' }).click();
  await host.getByText('Not found', { exact: true }).waitFor();
  // BASE_URL is an address on loopback.
  dns.set('click.news.example.com', { A: ['127.0.0.1'] });
  await page.getByRole('button', { name: 'Check now' }).click();
  await host.getByText('Found', { exact: true }).waitFor();
  await host.getByText('Links in campaigns from this domain use this tracking domain.').waitFor();
  await looks(page, 'domain-tracking');

  const reports = page.getByRole('region', { name: 'DMARC reports' });
  await reports.getByText('No reports in the last 30 days').waitFor();
  await storeReport();
  await ui.open('/settings/domains/news.example.com');
  await reports.getByRole('row', { name: /192\.0\.2\.44.*120.*100.*20/ }).waitFor();
  await reports.getByText('Emails from this domain: 120, of which 20 failed DMARC').waitFor();
  await looks(page, 'domain-reports');

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

test('a service is connected, its URL is shown once, and the screen shows what it has sent', async () => {
  const { page } = ui;
  await ui.open('/settings/returned');
  await page.getByText('No service is connected').waitFor();
  await looks(page, 'returned-empty');
  await page.getByRole('button', { name: 'Connect service' }).first().click();
  await page.getByRole('combobox', { name: 'Service' }).selectOption('Postmark');
  await field(page, 'Name').fill('Letters');
  await axe(page, 'returned, connecting');
  await page.getByRole('button', { name: 'Create URL' }).click();
  const postmark = page.getByRole('region', { name: 'Letters (Postmark)' });
  await postmark.getByText('Nothing received yet').waitFor();
  await postmark.getByText('add a webhook with the URL to each message stream').waitFor();
  const url = (await postmark.getByText(/\/in\/postmark\/[\w-]{43}$/).textContent())!;
  await looks(page, 'returned-connected');
  const body = JSON.stringify({ RecordType: 'Bounce', Type: 'HardBounce', Email: 'reader@example.com', MessageID: '' });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  assert.equal(response.status, 200);
  await postmark.getByText('Working', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Connect service' }).click();
  await page.getByRole('combobox', { name: 'Service' }).selectOption('Resend');
  await page.getByRole('button', { name: 'Create URL' }).click();
  const resend = page.getByRole('region', { name: 'Resend' });
  await resend.getByText('Key missing').waitFor();
  await field(page, 'Signing secret').fill('re_123');
  await resend.getByRole('button', { name: 'Save key' }).click();
  await resend.getByText('begins with whsec_').waitFor();
  await field(page, 'Signing secret').fill('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
  await resend.getByRole('button', { name: 'Save key' }).click();
  await resend.getByText('Nothing received yet').waitFor();
  await page.getByRole('button', { name: 'Disconnect Resend' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect', exact: true }).click();
  await resend.waitFor({ state: 'detached' });
  await ui.open('/settings/returned');
  await postmark.getByText(/\/in\/postmark\/….{4}$/).waitFor();
  await page.getByRole('button', { name: 'Add mailbox' }).click();
  const dialog = page.getByRole('dialog');
  await field(page, 'Server').fill('127.0.0.2');
  await field(page, 'User name').fill('bounces@sender.example');
  await dialog.getByLabel('Password', { exact: true }).fill('correct horse');
  await axe(page, 'returned, mailbox');
  await dialog.getByRole('button', { name: 'Add mailbox' }).click();
  await dialog.getByText('connections to this server are not allowed').waitFor();
  await field(page, 'Server').fill('mail.example.com');
  await dialog.getByRole('button', { name: 'Add mailbox' }).click();
  const mailbox = page.getByRole('region', { name: 'bounces@sender.example' });
  await mailbox.getByText('Cannot be read').waitFor();
  await mailbox.getByRole('button', { name: 'Change bounces@sender.example' }).click();
  const changing = page.getByRole('dialog', { name: 'Change mailbox' });
  assert.equal(await changing.getByLabel('Password', { exact: true }).inputValue(), '');
  await changing.getByLabel('Server').fill('other.example.com');
  await changing.getByRole('button', { name: 'Save' }).click();
  await changing.getByText('enter the password again').waitFor();
  await axe(page, 'returned, changing a mailbox');
  await changing.getByLabel('Server').fill('mail.example.com');
  await changing.getByLabel('Folder').fill('Bounces');
  await changing.getByRole('button', { name: 'Save' }).click();
  await changing.waitFor({ state: 'detached' });
  assert.equal(await page.getByText(url).count(), 0);
  await looks(page, 'returned');
  noErrors(page);
});

/** Stores a DMARC report as the bounce listener does. */
async function storeReport() {
  const db = connect(ui.installation.settings['DATABASE_URL']!, {
    name: 'test',
    maxConnections: 1,
    log: createLog('silent', 'test'),
  });
  const row = { source: '192.0.2.44', fromDomain: 'news.example.com', messages: 120, passed: 100, dkim: 100, spf: 0 };
  const about = { reporter: 'google.com', reportId: '1', policyDomain: 'news.example.com', beginAt: new Date() };
  assert.equal(await storeDmarcReport({ db }, { ...about, rows: [row], unreadable: 0 }), 'stored');
  await db.close();
}

test('addresses and domains are suppressed, searched and removed', async () => {
  const { page } = ui;
  await ui.open('/settings/suppression');
  await page.getByText('No suppressed addresses').waitFor();
  await axe(page, 'suppression, empty');
  await page.getByRole('button', { name: 'Add addresses' }).first().click();
  await field(page, 'Addresses and domains').fill('never@example.com\n@example.net\nnot an address@@');
  await field(page, 'Reason').fill('Asked by telephone');
  await page.getByRole('dialog').getByRole('button', { name: 'Add addresses' }).click();
  await page.getByText('2 entries added.').waitFor();
  await eventually(async () =>
    assert.equal(await field(page, 'Addresses and domains').inputValue(), 'not\nan\naddress@@'),
  );
  await axe(page, 'suppression, refused');
  await page.keyboard.press('Escape');
  await page.getByRole('cell', { name: 'never@example.com', exact: true }).waitFor();
  await page.getByText('all addresses at this domain').waitFor();
  await page.getByRole('row', { name: /never@example\.com.*Added by hand.*Asked by telephone/ }).waitFor();
  const first = page.getByRole('row').nth(1);
  const byAddress = page.getByRole('columnheader', { name: 'Address or domain' }).getByRole('button');
  await byAddress.click();
  await first.getByText('@example.net').waitFor();
  await byAddress.click();
  await first.getByText('never@example.com').waitFor();
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
  await assert.rejects(ui.installation.call('contactGet', { email: 'ada@example.com' }), { code: 232 });
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
  const waiting = page.getByRole('row', { name: new RegExp(viewer.email) });
  await waiting.getByText('Invited', { exact: true }).waitFor();
  await waiting.getByText('expires in 7 days').waitFor();
  await waiting.getByText(/^Invited by /).waitFor();
  await looks(page, 'people');
  const users = await ui.installation.call<{ id: string; email: string; role: string }[]>('users');
  assert.deepEqual(users.find(({ email }) => email === viewer.email)?.role, 'viewer');

  await ui.installation.call('userUpdate', {
    id: users.find(({ email }) => email === viewer.email)!.id,
    role: 'author',
  });
  await page.reload();
  const menu = page.getByRole('button', { name: `More actions for “${viewer.email}”` });
  await menu.click();
  await page.getByRole('menuitem', { name: 'Resend invitation' }).click();
  await page.getByText('Invitation sent to viewer@example.com.').first().waitFor();
  const again = await ui.installation.call<{ email: string; role: string; invited: boolean }[]>('users');
  assert.deepEqual(
    again.filter(({ email }) => email === viewer.email).map(({ role, invited }) => [role, invited]),
    [['author', true]],
    'with the rights that it has now',
  );
  await menu.click();
  await page.getByRole('menuitem', { name: 'Withdraw invitation' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw invitation' }).click();
  await page.getByText('Invitation of viewer@example.com withdrawn.').first().waitFor();
  await ui.installation.call('userInvite', { email: viewer.email, role: 'viewer' });

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
  assert.equal(await other.getByRole('button', { name: 'Add addresses' }).count(), 0);
  await ui.open('/settings/data', other);
  assert.equal(await other.getByRole('button', { name: 'Erase this person' }).count(), 0);
  for (const [method, params] of [
    ['accountUpdate', { name: 'company', value: 'Mine' }],
    ['apikeyAdd', {}],
    ['senderDomainCreate', { domain: 'mine.example.com' }],
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
  await other.getByText(/needs the permission "account:admin"/).waitFor();
  noErrors(other);

  await ui.open('/settings/people');
  await page.getByRole('button', { name: 'More actions for “viewer@example.com”' }).click();
  await page.getByRole('menuitem', { name: 'Remove', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('viewer@example.com removed.').waitFor();
  const gone = await other.request.post(`${ui.installation.base}/api/ping`, {
    data: {},
    headers: { origin: ui.installation.base },
  });
  assert.equal(gone.status(), 401);
  noErrors(page);
});

test('the settings are available in German', async () => {
  const { page } = ui;
  await page.evaluate(() => localStorage.setItem('postrider-language', 'de'));
  for (const [path, title] of [
    ['account', 'Organisation'],
    ['sending', 'Versandregeln'],
    ['security', 'Profil und Sicherheit'],
    ['people', 'Team'],
    ['keys', 'API-Schlüssel'],
    ['domains', 'Absenderdomains'],
    ['relays', 'Relays'],
    ['suppression', 'Sperrliste'],
    ['data', 'Datenschutz und Daten'],
    ['audit', 'Audit-Log'],
  ] as const) {
    await ui.open(`/settings/${path}`);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await noSidewaysScroll(page);
  }
  await page.evaluate(() => localStorage.removeItem('postrider-language'));
  noErrors(page);
});

test('the plan is hidden where nothing is limited, and shown where the operator limits the account', async () => {
  const { page } = ui;
  await ui.open('/settings/account');
  const region = page.getByRole('region', { name: 'This account' });
  await region.getByText('Account ID').waitFor();
  assert.equal(await region.getByText('Plan', { exact: true }).count(), 0);
  await changeSession(page, ({ account }) => Object.assign(account, { plan: 'free' }));
  await page.reload();
  await region.getByText('Plan', { exact: true }).waitFor();
  await page.unroute('**/api/sessionGet');
  noErrors(page);
});

test('the accessible name of the user button contains its visible text', async () => {
  const page = await ui.member();
  await changeSession(page, ({ user }) => Object.assign(user, { name: 'Ada Lovelace' }));
  await ui.open('/settings/account', page);
  const button = page.getByRole('button', { name: /^Signed in as Ada Lovelace/ });
  const shown = (await button.allInnerTexts()).join('').replace(/\s+/g, ' ').trim();
  assert.match(shown, /^Ada Lovelace .*@/);
  assert.ok((await button.getAttribute('aria-label'))?.includes(shown));
  await axe(page, 'a user with a name');
  noErrors(page);
});

/** Changes what the page learns of its user and account. */
async function changeSession(page: Page, change: (session: { user: object; account: object }) => void) {
  await page.route('**/api/sessionGet', async (route) => {
    const response = await route.fetch();
    const session = await response.json();
    change(session);
    await route.fulfill({ response, json: session });
  });
}
