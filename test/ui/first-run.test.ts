// Browser test of the first run: from the printed link over all setup steps to a message at a foreign mail server, behind a
// reverse proxy with TLS; and skipping every step, which shows what is missing and can be made good later.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  axe,
  noErrors,
  noSidewaysScroll,
  owner,
  pageErrors,
  screenshots,
  settled,
  shows,
  startUi,
  type Ui,
} from '../support/browser/ui.ts';
import { type DnsStub, startDnsStub } from '../support/network/dns-stub.ts';
import { startTlsFront, type TlsFront } from '../support/network/tls-front.ts';
import { type Sink, startSink } from '../support/smtp-sink/sink.ts';

const host = 'mail.harbour.example';
const publicUrl = `https://${host}`;
let sink: Sink;
let dns: DnsStub;
const closed: (() => Promise<unknown>)[] = [];

before(async () => {
  sink = await startSink({ raw: true });
  dns = await startDnsStub();
});
after(async () => {
  for (const close of closed.reverse()) await close();
  await sink?.close();
  await dns?.close();
});

/** A new installation, as the container starts it: no one has signed in, and links begin with its own address. */
async function newInstallation(): Promise<Ui> {
  const ui = await startUi({ SETUP_PASSWORD: '', DNS_SERVERS: dns.server, OUTBOUND_ALLOW: '127.0.0.1/32' });
  closed.push(() => ui.close());
  return ui;
}

const printedPath = ({ installation }: Ui) => /\/app\/first-run#[\w-]+/.exec(installation.output)![0];

async function createOwner(page: Page, email: string): Promise<void> {
  await page.getByLabel('Your name').fill('Ada Lovelace');
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(owner.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await at(page, 'Public address');
}

/** Waits for a step. */
async function at(page: Page, title: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  await settled(page);
}

/** The checks of a screen: no violation of axe, room on a phone, pictures. */
async function looks(page: Page, name: string): Promise<void> {
  await settled(page);
  await screenshots(page, `setup-${name}`);
  await axe(page, name);
  await noSidewaysScroll(page);
}

async function addSink(page: Page): Promise<void> {
  const choose = async (label: string, option: string) => {
    await page.getByRole('combobox', { name: label }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  await choose('Service', 'Postfix');
  await page.getByRole('textbox', { name: 'Server' }).fill('127.0.0.1');
  await page.getByRole('textbox', { name: 'Port' }).fill(String(sink.port));
  await choose('Encryption', 'None');
  await page.getByRole('button', { name: 'Save and test' }).click();
  await page.getByText(/^Connected, \d+ ms$/).waitFor();
}

test('a new installation gets from the printed link to a message at a foreign mail server', async () => {
  const ui = await newInstallation();
  const front: TlsFront = await startTlsFront(host, ui.installation.base);
  closed.push(() => front.close());
  const page = await ui.visitor({ proxy: { server: front.proxy }, ignoreHTTPSErrors: true });
  await page.goto(publicUrl + printedPath(ui));
  await settled(page);
  await looks(page, 'first-run');
  await createOwner(page, owner.email);

  await page.getByText(ui.installation.base, { exact: true }).waitFor();
  await page.getByText(/Your browser reached Postrider at another address/).waitFor();
  await page.getByText('Until then, links in your emails open on this machine only.').waitFor();
  await looks(page, 'address');
  await page.getByRole('button', { name: `Use ${publicUrl}` }).click();
  await page.getByText('Your browser has reached Postrider at this address.').waitFor();
  await page.getByText('Set here.').waitFor();
  // The session goes on under a cookie for TLS only, also after a reload.
  const cookies = await page.context().cookies(publicUrl);
  assert.ok(cookies.some(({ name, secure }) => name === '__Host-postrider_session' && secure));
  await page.reload();
  await settled(page);
  await looks(page, 'address-set');
  await page.getByRole('link', { name: 'Continue' }).click();

  await at(page, 'Organisation and sender');
  const save = () => page.getByRole('button', { name: 'Save and continue' }).click();
  await save();
  await shows(page.getByText('This field is required.'), 3);
  await page.getByRole('textbox', { name: 'Organisation' }).fill('Harbour Books');
  assert.equal(await page.getByLabel('Sender name').inputValue(), 'Harbour Books', 'the sender is named like it');
  await page.getByRole('textbox', { name: 'Postal address' }).fill('1 Quay Street\nHamburg');
  await page.getByLabel('Sender address').fill('letters at harbour.example');
  await save();
  await page.getByText(/is not an address that messages can be sent from/).waitFor();
  await looks(page, 'organisation');
  await page.getByLabel('Sender address').fill('letters@harbour.example');
  await save();

  await at(page, 'Relay');
  await page.getByText(/every email stays in the built-in inbox/).waitFor();
  await looks(page, 'relay');
  await addSink(page);
  await page.getByRole('link', { name: 'Continue' }).waitFor();
  await looks(page, 'relay-set');
  // The steps are derived from what is set up: the bare address leads to the first one that is missing.
  await page.goto(`${publicUrl}/app/setup`);
  await page.waitForURL('**/app/setup/domain');

  await at(page, 'Sender domain');
  assert.equal(await page.getByRole('textbox', { name: 'Domain' }).inputValue(), 'harbour.example');
  await looks(page, 'domain');
  await page.getByRole('button', { name: 'Show the DNS records' }).click();
  const values = page.getByRole('region', { name: 'Required records' }).locator('[class*=value] > span');
  await values.first().waitFor();
  const texts = await values.allTextContents();
  for (let i = 0; i < texts.length; i += 2) dns.set(texts[i]!, { TXT: [texts[i + 1]!] });
  await looks(page, 'domain-records');
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByText('Active', { exact: true }).waitFor();
  await looks(page, 'domain-active');
  await page.getByRole('link', { name: 'Continue' }).click();

  await at(page, 'Test email');
  await page.getByText('Harbour Books <letters@harbour.example>').waitFor();
  await looks(page, 'test');
  const hold = sink.hold({ step: 'dot' });
  await page.getByRole('button', { name: 'Send test' }).click();
  await hold.reached;
  await page.getByText('Waiting for the relay.').waitFor();
  hold.release();
  await page.getByText('The relay accepted the message.').waitFor();
  await page.getByText('Everything is set up.').waitFor();
  await looks(page, 'test-accepted');
  const [message, ...others] = sink.accepted();
  assert.equal(others.length, 0);
  assert.equal(message!.to, owner.email);
  assert.match(message!.raw!, /^From: Harbour Books <letters@harbour\.example>/m);
  assert.match(message!.raw!, /^DKIM-Signature: /m);
  assert.match(message!.raw!, new RegExp(`${publicUrl}/app/`));
  await page.reload();
  await page.getByText('The relay accepted the message.').waitFor();

  await page.getByRole('link', { name: 'Go to Home' }).click();
  await page.getByText('6 of 7 done').waitFor();
  await page.getByTitle('Harbour Books').waitFor();
  noErrors(page);
});

test('every step can be skipped, shows what is missing, and is reached later from Home and the settings', async () => {
  const ui = await newInstallation();
  const { page } = ui;
  await page.goto(ui.installation.base + printedPath(ui));
  await createOwner(page, '550rcpt.ada@example.com');
  // On a phone, by keyboard alone.
  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByText('Only this machine can open this address.', { exact: false }).waitFor();
  await page.getByRole('textbox', { name: 'Public address' }).fill('not an address');
  await page.keyboard.press('Enter');
  await page.getByText('Enter an address such as https://mail.example.com.').waitFor();
  await looks(page, 'address-local');
  const skip = async (name: string, until: string) => {
    await page.getByText(until).first().waitFor();
    const button = page.getByRole('button', { name }).or(page.getByRole('link', { name }));
    await button.focus();
    await page.keyboard.press('Enter');
  };
  await skip('Skip for now', 'Until then, links in your emails open on this machine only.');
  await at(page, 'Organisation and sender');
  await looks(page, 'organisation-empty');
  await skip('Skip for now', 'Until then, the footer of your emails is incomplete');
  await at(page, 'Relay');
  await skip('Use the built-in inbox for now', 'Until then, every email stays in the built-in inbox');
  await at(page, 'Sender domain');
  await looks(page, 'domain-empty');
  await skip('Skip for now', 'Until then, your emails are not signed');
  await at(page, 'Test email');
  const missing = page.getByRole('region', { name: 'Still missing' });
  await shows(missing.getByRole('link'), 4);
  await looks(page, 'test-missing');
  await skip('Go to Home', "Until then, you don't know whether your emails arrive.");
  await page.getByText('0 of 7 done').waitFor();
  await page.setViewportSize({ width: 1280, height: 800 });
  await looks(page, 'home');

  await page.getByRole('link', { name: 'Add a relay' }).click();
  await at(page, 'Relay');
  await addSink(page);
  await page
    .getByRole('navigation', { name: 'Setup steps' })
    .getByRole('link', { name: /^Test email/ })
    .click();
  await at(page, 'Test email');
  await page.getByRole('button', { name: 'Send test' }).click();
  // The refusal is shown with the words of the mail server, and the step stays open.
  await page.getByText('The message was refused.').waitFor();
  await page.getByText('550 5.1.1 scripted').waitFor();
  await page.getByText("Until then, you don't know whether your emails arrive.").waitFor();
  await looks(page, 'test-refused');
  await ui.open('/settings/account');
  await page.getByRole('link', { name: 'Setup steps' }).click();
  await at(page, 'Public address');

  // German, with all texts.
  await page.evaluate(() => localStorage.setItem('postrider-language', 'de'));
  await ui.open('/setup/test');
  await at(page, 'Test-E-Mail');
  await page.getByText('Die E-Mail wurde abgelehnt.').waitFor();
  await looks(page, 'test-german');
  assert.deepEqual(pageErrors.get(page), []);
});

test('where the operator has set BASE_URL, the step shows what to set instead', async () => {
  const ui = await startUi({ BASE_URL: 'https://old.harbour.example' });
  closed.push(() => ui.close());
  const front = await startTlsFront(host, ui.installation.base);
  closed.push(() => front.close());
  const page = await ui.visitor({ proxy: { server: front.proxy }, ignoreHTTPSErrors: true });
  await page.goto(`${publicUrl}/app/sign-in?to=/setup/address`);
  await page.getByLabel('Email address').fill(owner.email);
  await page.getByLabel('Password', { exact: true }).fill(owner.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await at(page, 'Public address');
  await page.getByText('Set by the operator in BASE_URL.').waitFor();
  await page.getByText(`BASE_URL=${publicUrl}`, { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Copy Setting' }).waitFor();
  await shows(page.getByRole('button', { name: /^Use / }), 0);
  await looks(page, 'address-operator');
  noErrors(page);
});
