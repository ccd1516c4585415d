// Browser test of the first run: skipping every step shows what is missing, and each can be done later; and the first step
// where the operator has set the public address.
import { test } from 'node:test';
import {
  addSink,
  at,
  closed,
  createOwner,
  host,
  looks,
  newInstallation,
  printedPath,
  publicUrl,
} from '../support/browser/first-run.ts';
import { noErrors, owner, shows, startUi } from '../support/browser/ui.ts';
import { startTlsFront } from '../support/network/tls-front.ts';

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
  // A path has to be known to the program before anyone can open it.
  await page.getByRole('textbox', { name: 'Public address' }).fill('www.example.com/mail');
  await page.getByRole('button', { name: 'Open this address' }).click();
  await page.getByText('BASE_URL=https://www.example.com/mail').waitFor();
  await looks(page, 'address-local');
  const skip = async (name: string, until: string) => {
    await page.getByText(until).first().waitFor();
    const button = page.getByRole('button', { name }).or(page.getByRole('link', { name }));
    await button.focus();
    await page.keyboard.press('Enter');
  };
  await skip('Skip for now', 'Without it, links in your emails only open on this machine.');
  await at(page, 'Organisation and sender');
  await looks(page, 'organisation-empty');
  await skip('Skip for now', 'Without these, your email footer is incomplete');
  await at(page, 'Relay');
  await skip('Use the built-in inbox for now', 'Without one, every email stays in the built-in inbox');
  await at(page, 'Sender domain');
  await looks(page, 'domain-empty');
  await skip('Skip for now', "Without it, your emails aren't signed");
  await at(page, 'Test email');
  const missing = page.getByRole('region', { name: 'To do' });
  await shows(missing.getByRole('link'), 4);
  await looks(page, 'test-missing');
  await skip('Finish', 'Check that your emails arrive.');
  await page.getByText('0 of 9 done').waitFor();
  await page.setViewportSize({ width: 1280, height: 800 });
  await looks(page, 'home');

  await page.getByRole('button', { name: 'Show all steps' }).click();
  await page.getByRole('link', { name: /^Add a relay/ }).click();
  await at(page, 'Relay');
  await addSink(page);
  await page
    .getByRole('navigation', { name: 'Setup steps' })
    .getByRole('link', { name: /^Test email/ })
    .click();
  await at(page, 'Test email');
  await page.getByRole('button', { name: 'Send test' }).click();
  // The refusal is shown with the words of the mail server, and the step stays open.
  await page.getByText('The email was refused.').waitFor();
  await page.getByText('550 5.1.1 scripted: user unknown').waitFor();
  await page.getByText('Check that your emails arrive.').waitFor();
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
  noErrors(page);
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
