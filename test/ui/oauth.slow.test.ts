// Browser test of access by OAuth: a relay is set up with it, a person signs in at the provider and comes back, and the relay and a mailbox
// say what they need.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { field, settingsTest } from '../support/browser/settings.ts';
import { axe, noErrors } from '../support/browser/ui.ts';
import { startTokenServer, type TokenServer, tokenClient } from '../support/network/token-server.ts';
import { type Sink, startSink } from '../support/smtp-sink/sink.ts';

const { ui } = settingsTest();
let tokens: TokenServer;
let sink: Sink;
before(async () => {
  tokens = await startTokenServer();
  const isValid = (token: string) => tokens.isValid(token);
  sink = await startSink({
    auth: { user: 'news@example.com', password: '', required: true, mechanisms: ['XOAUTH2'], isValid },
  });
});
after(async () => {
  await sink.close();
  await tokens.close();
});

test('a relay gets access at a provider', async () => {
  const { page } = ui;
  await ui.open('/settings/relays');
  await page.getByRole('button', { name: 'Add relay' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add relay' });
  await dialog.getByRole('combobox', { name: 'Access' }).click();
  await page.getByRole('option', { name: 'OAuth (Microsoft 365, Google)' }).click();
  assert.equal(await field(page, 'Server').inputValue(), 'smtp.office365.com');
  assert.equal(await dialog.getByLabel('Password', { exact: true }).count(), 0);
  await dialog.getByLabel('Provider').selectOption('Google');
  assert.equal(await field(page, 'Server').inputValue(), 'smtp.gmail.com');
  await axe(page, 'relay with OAuth');
  await dialog.getByLabel('Provider').selectOption('Another provider');
  await field(page, 'Server').fill('127.0.0.1');
  await field(page, 'Port').fill(String(sink.port));
  await dialog.getByRole('combobox', { name: 'Encryption' }).click();
  await page.getByRole('option', { name: 'None' }).click();
  await dialog.getByLabel('User name').fill('news@example.com');
  await dialog.getByLabel('Client ID').fill(tokenClient.client_id);
  await dialog.getByLabel('Client secret').fill(tokenClient.client_secret);
  await dialog.getByLabel('Name', { exact: true }).fill('Mail of Ann');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('without it the address for access tokens is not known').waitFor();
  await dialog.getByLabel('Token URL').fill(tokens.tokenUrl);
  await dialog.getByLabel('Sign-in URL').fill(tokens.authorizeUrl);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const signIn = page.getByRole('button', { name: 'Sign in at the provider for Mail of Ann' });
  assert.equal(await signIn.textContent(), 'Sign in at the provider');
  await signIn.click();
  await page.getByText('The provider gave access').waitFor();
  await page.getByText('Sign in again').waitFor();
  assert.match(page.url(), /\/settings\/relays$/);
  const [relay] = await relaysOfAnn();
  assert.deepEqual([relay!.oauth.signed_in, relay!.paused], [true, false]);
  noErrors(page);
});

type Relay = { id: string; name: string; paused: boolean; oauth: { signed_in: boolean } };
const relaysOfAnn = async () =>
  (await ui.installation.call<Relay[]>('relays')).filter(({ name }) => name === 'Mail of Ann');

test('a relay that refuses the access is switched off before it gets an email, and the page says so', async () => {
  const { page } = ui;
  const options = { auth: 'oauth', username: 'other@example.com', name: 'Mail of Bob' };
  const oauth = { ...tokenClient, token_url: tokens.tokenUrl, authorize_url: tokens.authorizeUrl };
  await ui.installation.call('relayCreate', {
    ...{ host: '127.0.0.1', port: sink.port, tls: 'none', oauth },
    ...options,
  });
  await ui.open('/settings/relays');
  await page.getByRole('button', { name: 'Sign in at the provider for Mail of Bob' }).click();
  await page.getByText('The provider gave access, but the relay does not work').waitFor();
  await page.getByText('It is switched off and takes no messages').waitFor();
  await axe(page, 'access that the relay refuses');
  await page.getByRole('button', { name: 'Relays' }).click();
  await page.getByText('Mail of Bob').waitFor();
  const relays = await ui.installation.call<Relay[]>('relays');
  assert.equal(relays.find(({ name }) => name === 'Mail of Bob')!.paused, true);
  noErrors(page);
});

test('coming back with an old answer says so', async () => {
  const { page } = ui;
  await ui.open('/mail-access?state=old&code=old');
  await page.getByText('this took too long, has already been used').waitFor();
  await axe(page, 'access to mail, refused');
  await page.getByRole('button', { name: 'Relays' }).waitFor();
});

test('a mailbox offers the same', async () => {
  const { page } = ui;
  await ui.open('/settings/returned');
  await page.getByRole('button', { name: 'Add mailbox' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Access').selectOption('OAuth (Microsoft 365, Google)');
  assert.equal(await field(page, 'Server').inputValue(), 'outlook.office365.com');
  await dialog.getByLabel('User name').fill('bounces@example.com');
  await dialog.getByLabel('Directory (tenant) ID').fill('example.com');
  await dialog.getByLabel('Client ID').fill('an application');
  await axe(page, 'mailbox with OAuth');
  await dialog.getByRole('button', { name: 'Add mailbox' }).click();
  const mailbox = page.getByRole('region', { name: 'bounces@example.com' });
  await mailbox.getByText('sign in at the provider first').waitFor();
  await mailbox.getByRole('button', { name: 'Sign in at the provider for bounces@example.com' }).waitFor();
});
