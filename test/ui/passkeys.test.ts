// Browser test of passkeys with the virtual authenticator of Chromium: adding, renaming and removing one, signing in with it alone
// and instead of a code.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { codeOf, stepAt } from '../../src/accounts/sign-in/totp.ts';
import { axe, noErrors, noSidewaysScroll, owner, screenshots, settled, uiTest } from '../support/browser/ui.ts';

const ui = uiTest({ BASE_URL: 'http://localhost' });

/** Gives the browser of a page a device that always recognizes its owner. */
async function withDevice(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

test('a user adds a passkey, signs in with it, and removes it', async () => {
  const page = await ui.member();
  await withDevice(page);
  await ui.open('/settings/security', page);
  await page.getByText('You have no passkeys.').waitFor();
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Laptop');
  await axe(page, 'adding a passkey');
  await dialog.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: 'Rename Laptop' }).waitFor();
  await settled(page);
  await axe(page, 'passkeys');
  await noSidewaysScroll(page);
  await screenshots(page, 'passkeys');

  await page.getByRole('button', { name: 'Rename Laptop' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Key on my ring');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Rename Key on my ring' }).waitFor();

  await page.context().clearCookies();
  await ui.open('/campaigns?q=spring', page);
  await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
  await axe(page, 'sign-in with passkeys');
  await noSidewaysScroll(page);
  await screenshots(page, 'sign-in-passkey');
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL('**/app/campaigns?q=spring');
  await settled(page);
  noErrors(page);

  const { secret } = await page.evaluate(async (password) => {
    const answer = await fetch('/api/totpBegin', { method: 'POST', body: JSON.stringify({ password }) });
    return (await answer.json()) as { secret: string };
  }, owner.password);
  const code = codeOf(fromBase32(secret), stepAt(Date.now()));
  await page.evaluate(
    (code) => fetch('/api/totpConfirm', { method: 'POST', body: JSON.stringify({ code }) }).then(() => undefined),
    code,
  );
  await page.context().clearCookies();
  await ui.open('/sign-in', page);
  await page.getByLabel('Email address').fill(owner.email);
  await page.getByLabel('Password', { exact: true }).fill(owner.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Code').waitFor();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL('**/app/home');

  await ui.open('/settings/security', page);
  await page.getByRole('button', { name: 'Remove Key on my ring' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('You have no passkeys.').waitFor();
  await page.context().clearCookies();
  await ui.open('/sign-in', page);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  assert.match((await page.getByRole('alert').textContent()) ?? '', /cannot be used here/);
  noErrors(page);
});

function fromBase32(text: string): Uint8Array {
  const bits = [...text]
    .map((sign) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(sign).toString(2).padStart(5, '0'))
    .join('');
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}
