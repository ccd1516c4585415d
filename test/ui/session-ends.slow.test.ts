// Browser test of a session that ends while someone works.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { allSaved, axe, noErrors, noSidewaysScroll, owner, screenshots, uiTest } from '../support/browser/ui.ts';

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

test('a session that ends while someone writes is renewed in place, and the text is saved', async () => {
  const page = await ui.member();
  const [{ id: cid }] = (await ui.installation.call<{ id: string }[]>('campaigns')) as [{ id: string }];
  const html = async () => (await ui.installation.call<{ html: string }>('campaignContent', { cid })).html;
  await ui.open(`/campaigns/${cid}/edit`, page);
  await page.getByRole('tab', { name: 'HTML source' }).click();
  const write = async (text: string) => {
    const editor = page.getByRole('textbox', { name: 'HTML source' });
    await editor.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(`<p>${text} <a href="*|UNSUB|*">Leave</a></p>`);
  };
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await page.context().clearCookies();
  await write('Written after the session had ended.');
  await dialog.getByText('Your changes are kept on this page').waitFor();
  assert.equal(await dialog.getByLabel('Email address').inputValue(), owner.email);
  await axe(page, 'session ended');
  await noSidewaysScroll(page);
  await screenshots(page, 'session-ended');
  await dialog.getByLabel('Password', { exact: true }).fill('not the password');
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  await dialog.getByText('Wrong email address or password.').waitFor();
  await dialog.getByLabel('Password', { exact: true }).fill(owner.password);
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
  await allSaved(page);
  assert.match(await html(), /Written after the session had ended/);

  // Signing in in another tab is noticed; another user there is not taken for this one.
  await page.context().clearCookies();
  await write('Written before another tab signed in.');
  await dialog.waitFor();
  await page.context().request.post(`${ui.installation.base}/session`, { data: other });
  await dialog.getByText(`${other.email} is signed in in another tab`).waitFor();
  await page.context().clearCookies();
  await page.context().request.post(`${ui.installation.base}/session`, { data: owner });
  await dialog.waitFor({ state: 'hidden' });
  await allSaved(page);
  assert.match(await html(), /Written before another tab signed in/);
  noErrors(page);
});

test('a dialog waits until someone stops typing', async () => {
  const page = await ui.member();
  const [{ id: cid }] = (await ui.installation.call<{ id: string }[]>('campaigns')) as [{ id: string }];
  await ui.open(`/campaigns/${cid}/edit`, page);
  await page.getByRole('tab', { name: 'HTML source' }).click();
  await page.getByRole('textbox', { name: 'HTML source' }).click();
  await page.keyboard.press('Control+a');
  await page.context().clearCookies();
  const sentence = 'Every letter of this sentence is typed after the session has ended. ';
  const refused = page.waitForResponse((answer) => answer.status() === 401);
  await page.keyboard.type(`<p>${sentence}`, { delay: 60 });
  await refused;
  await page.keyboard.type(`${sentence}<a href="*|UNSUB|*">Leave</a></p>`, { delay: 60 });
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.getByLabel('Password', { exact: true }).fill(owner.password);
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
  await allSaved(page);
  const { html } = await ui.installation.call<{ html: string }>('campaignContent', { cid });
  assert.ok(html.includes(sentence + sentence), html);
  noErrors(page);
});

test('who does not sign in again goes to the sign-in page, and from there back', async () => {
  const page = await ui.member();
  await ui.open('/campaigns', page);
  await page.context().clearCookies();
  await page.getByRole('searchbox').fill('autumn');
  await page.getByRole('dialog').getByRole('button', { name: 'Leave this page' }).click();
  await page.waitForURL('**/app/sign-in?to=*');
  await typeIn(page, owner.email, owner.password);
  await page.waitForURL('**/app/campaigns?q=autumn');
  noErrors(page);
});
