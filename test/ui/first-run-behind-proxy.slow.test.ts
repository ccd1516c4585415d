// Browser test of the first run: from the printed link over all setup steps to a message at a foreign mail server, behind a
// reverse proxy with TLS.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addSink,
  at,
  closed,
  createOwner,
  dns,
  host,
  looks,
  newInstallation,
  printedPath,
  publicUrl,
  sink,
} from '../support/browser/first-run.ts';
import { noErrors, owner, settled, shows } from '../support/browser/ui.ts';
import { startTlsFront } from '../support/network/tls-front.ts';

test('a new installation gets from the printed link to a message at a foreign mail server', async () => {
  const ui = await newInstallation();
  const front = await startTlsFront(host, ui.installation.base);
  closed.push(() => front.close());
  const page = await ui.visitor({ proxy: { server: front.proxy }, ignoreHTTPSErrors: true });
  await page.goto(publicUrl + printedPath(ui));
  await settled(page);
  await looks(page, 'first-run');
  await createOwner(page, owner.email);

  await page.getByText(ui.installation.base, { exact: true }).waitFor();
  await page.getByText(/Your browser reached Postrider at another address/).waitFor();
  await page.getByText('Without it, links in your emails only open on this machine.').waitFor();
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
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Harbour Books');
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
  await page.getByRole('button', { name: 'Show DNS records' }).click();
  const required = page.getByRole('table', { name: 'DNS records' }).getByRole('row').filter({ hasText: 'required' });
  const values = required.locator('[class*=copied] > code');
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
  await page.getByText('The relay accepted the email.').waitFor();
  await page.getByText('Everything is set up.').waitFor();
  await looks(page, 'test-accepted');
  const [message, ...others] = sink.accepted();
  assert.equal(others.length, 0);
  assert.equal(message!.to, owner.email);
  assert.match(message!.raw!, /^From: Harbour Books <letters@harbour\.example>/m);
  assert.match(message!.raw!, /^DKIM-Signature: /m);
  assert.match(message!.raw!, new RegExp(`${publicUrl}/app/`));
  await page.reload();
  await page.getByText('The relay accepted the email.').waitFor();

  await page.getByRole('link', { name: 'Finish' }).click();
  await page.getByText('6 of 9 done').waitFor();
  await page.getByTitle('Harbour Books').waitFor();
  noErrors(page);

  // The link has been used: its page says so before anything is typed.
  const late = await ui.visitor({ proxy: { server: front.proxy }, ignoreHTTPSErrors: true });
  await late.goto(publicUrl + printedPath(ui));
  await late.getByRole('heading', { name: 'This link is no longer valid' }).waitFor();
  assert.equal(await late.getByRole('textbox').count(), 0);
  await looks(late, 'first-run-spent');
  noErrors(late);
});
