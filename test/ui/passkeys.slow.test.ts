// Browser test of passkeys with the virtual authenticator of Chromium: adding, renaming and removing one, signing in with it alone
// and instead of a code.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { codeOf, stepAt } from '../../src/accounts/sign-in/totp.ts';
import { axe, noErrors, noSidewaysScroll, owner, screenshots, settled, uiTest } from '../support/browser/ui.ts';

const ui = uiTest({ BASE_URL: 'http://localhost' });

type Device = {
  /** Whether the owner answers the device: chooses the passkey that is offered, and shows a finger. */
  answers(isThere: boolean): Promise<void>;
};

/** Gives the browser of a page a device that recognizes its owner, who answers. */
async function withDevice(page: Page): Promise<Device> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    async answers(enabled) {
      await devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
    },
  };
}

test('a user adds a passkey, signs in with it, and removes it', async () => {
  const page = await ui.member();
  const device = await withDevice(page);
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

  // The address field offers the passkey, and its owner chooses it.
  await page.context().clearCookies();
  await page.goto(`${ui.installation.base}/app/lists?q=spring`);
  await page.waitForURL('**/app/lists?q=spring');
  await settled(page);

  // The owner uses the button instead: the offer gives way to it.
  await device.answers(false);
  await page.context().clearCookies();
  const offered = page.waitForResponse('**/session/passkey/begin');
  await ui.open('/campaigns?q=spring', page);
  await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
  await offered;
  assert.equal(await page.getByLabel('Email address').getAttribute('autocomplete'), 'username webauthn');
  await axe(page, 'sign-in with passkeys');
  await noSidewaysScroll(page);
  await screenshots(page, 'sign-in-passkey');
  await device.answers(true);
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
  await device.answers(false);
  await page.context().clearCookies();
  await ui.open('/sign-in', page);
  await page.getByLabel('Email address').fill(owner.email);
  await page.getByLabel('Password', { exact: true }).fill(owner.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Code').waitFor();
  await device.answers(true);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL('**/app/home');

  await ui.open('/settings/security', page);
  await page.getByRole('button', { name: 'Remove Key on my ring' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('You have no passkeys.').waitFor();
  await device.answers(false);
  await page.context().clearCookies();
  await ui.open('/sign-in', page);
  await device.answers(true);
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
