// Browser test of signing in: password, two-factor code, failures, return to the requested page. A session that ends is in
// session-ends.slow.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { codeOf, stepAt } from '../../src/accounts/sign-in/totp.ts';
import { axe, noErrors, noSidewaysScroll, owner, screenshots, settled, uiTest } from '../support/browser/ui.ts';

/** A second user of the account. */
const other = { email: 'grace@example.com', password: 'three quiet otters swim' };

const ui = uiTest({}, async (ui) => {
  await ui.installation.draft(await ui.installation.listOf(1, () => 'reader@example.com'));
  const invited = await ui.installation.call<{ link: string }>('userInvite', { email: other.email, role: 'editor' });
  const token = decodeURIComponent(new URL(invited.link).hash.slice(1));
  await (await ui.visitor()).request.post(`${ui.installation.base}/session/invitation/join`, {
    data: { token, name: '', password: other.password },
  });
});

async function typeIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('a visitor without a session signs in and reaches the requested page', async () => {
  const page = await ui.visitor();
  await ui.open('/campaigns?q=spring', page);
  await page.waitForFunction((title) => document.title === title, 'Sign in · Postrider');
  await axe(page, 'sign-in');
  await noSidewaysScroll(page);
  await screenshots(page, 'sign-in');
  await typeIn(page, owner.email, owner.password);
  await page.waitForURL('**/app/campaigns?q=spring');
  await settled(page);
  await page.waitForFunction((title) => document.title === title, 'Campaigns · Postrider');
  noErrors(page);
});

test('a wrong password is reported, the input is kept, and no redirect leaves the site', async () => {
  const page = await ui.visitor();
  await ui.open('/sign-in?to=//example.com/', page);
  await typeIn(page, owner.email, 'not the password');
  assert.match((await page.getByRole('alert').textContent()) ?? '', /[Ww]rong/);
  assert.equal(await page.getByLabel('Email address').inputValue(), owner.email);
  await axe(page, 'sign-in refused');
  await typeIn(page, owner.email, owner.password);
  await page.waitForURL('**/app/home');
});

test('signing in works by keyboard', async () => {
  const page = await ui.visitor();
  await ui.open('/sign-in', page);
  await page.getByLabel('Email address').and(page.locator(':focus')).waitFor();
  await page.keyboard.type(owner.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(owner.password);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/app/home');
});

test('signing out ends the session, and the next screen requires a new one', async () => {
  const page = await ui.visitor();
  await ui.open('/sign-in', page);
  await typeIn(page, owner.email, owner.password);
  await page.waitForURL('**/app/home');
  await page.getByRole('button', { name: /^Signed in as/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/app/sign-in');
  await ui.open('/campaigns', page);
  await page.waitForURL('**/app/sign-in?to=*');
});

test('who is invited sees by whom, to what and as what, joins with a name and a password, and is signed in', async () => {
  const setUp = await ui.open('/campaigns');
  const link = await setUp.evaluate(async () => {
    const answer = await fetch('/api/userInvite', {
      method: 'POST',
      body: JSON.stringify({ email: 'tom@harbour.example', role: 'editor' }),
    });
    return ((await answer.json()) as { link: string }).link;
  });
  const path = `/invite${new URL(link).hash}`;
  const page = await ui.visitor();
  await ui.open(path, page);
  await page.getByText(/^.+ invited you to .+ as an editor\.$/).waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Email address' }).inputValue(), 'tom@harbour.example');
  await axe(page, 'invitation');
  await noSidewaysScroll(page);
  await screenshots(page, 'invitation');
  await page.getByLabel('Your name').fill('Tom Reed');
  await page.getByLabel('Password', { exact: true }).fill('seven quiet herons at dusk');
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByRole('button', { name: /^Signed in as Tom Reed/ }).waitFor();
  noErrors(page);
  const late = await ui.visitor();
  await ui.open(path, late);
  await late.getByRole('heading', { name: 'This invitation has ended' }).waitFor();
  assert.equal(await late.getByRole('textbox').count(), 0);
});

test('a password reset email can be requested', async () => {
  const page = await ui.visitor();
  await ui.open('/sign-in', page);
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  // Both screens have a field with this label.
  await page.getByRole('button', { name: 'Send link' }).waitFor();
  await page.getByLabel('Email address').fill('nobody@example.com');
  await page.getByRole('button', { name: 'Send link' }).click();
  assert.match((await page.getByRole('status').textContent()) ?? '', /If there is an account/);
  await axe(page, 'forgotten');
});

test('two-factor authentication asks for a code and reports a wrong one', async () => {
  const setUp = await ui.open('/campaigns');
  const call = (name: string, params: object) =>
    setUp.evaluate(
      async ([method, body]) => {
        const answer = await fetch(`/api/${method}`, { method: 'POST', body: JSON.stringify(body) });
        return (await answer.json()) as { secret: string };
      },
      [name, params] as const,
    );
  const { secret } = await call('totpBegin', { password: owner.password });
  const code = (later: number) => codeOf(fromBase32(secret), stepAt(Date.now()) + later);
  const used = code(0);
  await call('totpConfirm', { code: used });

  const page = await ui.visitor();
  await ui.open('/sign-in', page);
  await typeIn(page, owner.email, owner.password);
  const field = page.getByLabel('Code');
  await field.waitFor();
  await axe(page, 'second step');
  await screenshots(page, 'second-step');
  await field.fill('000000' === code(1) ? '000001' : '000000');
  await page.getByRole('button', { name: 'Sign in' }).click();
  assert.match((await page.getByRole('alert').textContent()) ?? '', /code is wrong/);
  await field.fill(code(1));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/app/home');
});

function fromBase32(text: string): Uint8Array {
  const bits = [...text]
    .map((sign) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(sign).toString(2).padStart(5, '0'))
    .join('');
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}
