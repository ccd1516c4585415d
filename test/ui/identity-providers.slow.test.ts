// Browser test of signing in by a real identity provider: the button, the way back, refusals, connecting by password, the
// settings, and signing out at the provider.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  axe,
  noErrors,
  noSidewaysScroll,
  owner,
  screenshots,
  settled,
  startUi,
  type Ui,
} from '../support/browser/ui.ts';
import { clientSecret, startIdentityProvider } from '../support/network/identity-provider.ts';

const provider = await startIdentityProvider();
const ui: Ui = await startUi({
  OUTBOUND_ALLOW: '127.0.0.1',
  OIDC_PROVIDERS: JSON.stringify([
    {
      id: 'company',
      label: 'Example Ltd',
      issuer: provider.issuer,
      client_id: 'postrider',
      client_secret: clientSecret,
      scopes: 'openid email profile groups',
      groups: [{ group: 'mailing', role: 'editor' }],
      create: true,
    },
  ]),
});
provider.open(ui.installation.base);
after(async () => {
  await ui.close();
  await provider.close();
});

type Person = { sub: string; email: string; email_verified: boolean; groups: string[] };

/** A browser of this person at the provider, who is asked nothing there; without a person, the provider refuses. */
async function visitorAs(sub: string, given?: Partial<Person>): Promise<Page> {
  if (given)
    provider.people.set(sub, { sub, email: `${sub}@example.com`, email_verified: true, groups: ['mailing'], ...given });
  const page = await ui.visitor();
  await page.route(`${provider.issuer}/**`, (route) =>
    route.continue({ headers: { ...route.request().headers(), 'x-person': given ? sub : '' } }),
  );
  return page;
}

const continueAtProvider = (page: Page) => page.getByRole('button', { name: 'Continue with Example Ltd' }).click();

test('a person of the provider signs in by its button and reaches the requested page', async () => {
  const page = await visitorAs('ada', {});
  await ui.open('/lists?q=spring', page);
  await page.getByRole('button', { name: 'Continue with Example Ltd' }).waitFor();
  await axe(page, 'sign-in with providers');
  await noSidewaysScroll(page);
  await screenshots(page, 'sign-in-providers');
  await continueAtProvider(page);
  await page.waitForURL('**/app/lists?q=spring');
  await settled(page);
  noErrors(page);

  await ui.open('/settings/security', page);
  await page.getByText('You have no password').waitFor();
  await page.getByText('as ada@example.com', { exact: true }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Set up two-factor authentication' }).count(), 0);
  await axe(page, 'security of a person without a password');
  await noSidewaysScroll(page);
  await screenshots(page, 'security-provider');
  await page.getByRole('button', { name: 'Disconnect Example Ltd' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  await page.getByText(/you could no longer sign in/).waitFor();
});

test('signing out ends the session at the provider too', async () => {
  const page = await visitorAs('leaving', {});
  await ui.open('/sign-in', page);
  await continueAtProvider(page);
  await page.waitForURL('**/app/home');
  await page.getByRole('button', { name: /^Signed in as/ }).click();
  const left = page.waitForRequest((request) => request.url().startsWith(`${provider.issuer}/session/end`));
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await left;
});

const refusals = [
  {
    who: 'an address that is not verified',
    given: { email_verified: false },
    text: /has not verified your email address/,
  },
  { who: 'a person without a group', given: { groups: [] }, text: /None of your groups at Example Ltd/ },
  { who: 'a refusal of the provider', given: undefined, text: /Example Ltd did not sign you in/ },
] as const;
for (const [i, { who, given, text }] of refusals.entries())
  test(`${who} is explained, with a way back`, async () => {
    const page = await visitorAs(`refused${i}`, given as Partial<Person> | undefined);
    await ui.open('/sign-in', page);
    await continueAtProvider(page);
    await page.waitForURL('**/app/signed-in/company?*');
    assert.match((await page.getByRole('alert').textContent()) ?? '', text);
    await axe(page, 'refused by a provider');
    await noSidewaysScroll(page);
    await screenshots(page, `refused-${i}`);
    await page.getByRole('button', { name: 'Back to sign-in' }).click();
    await page.waitForURL('**/app/sign-in');
    noErrors(page);
  });

test('an answer that was already used is explained', async () => {
  const page = await visitorAs('twice', {});
  await ui.open('/sign-in', page);
  const back = page.waitForRequest((request) => request.url().includes('/app/signed-in/company?'));
  await continueAtProvider(page);
  const address = (await back).url();
  await page.waitForURL('**/app/home');
  await page.goto(address);
  assert.match((await page.getByRole('alert').textContent()) ?? '', /took too long, has already been used/);
});

test('an owner with a password connects by entering it once, and sees what to register', async () => {
  const page = await visitorAs('boss', { email: owner.email });
  await ui.open('/sign-in', page);
  await continueAtProvider(page);
  await page.getByRole('heading', { name: 'Connect your sign-in' }).waitFor();
  await axe(page, 'connecting by password');
  await screenshots(page, 'connect-password');
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.getByRole('button', { name: 'Connect and sign in' }).click();
  assert.match((await page.getByRole('alert').textContent()) ?? '', /The password is wrong/);
  await page.getByLabel('Password', { exact: true }).fill(owner.password);
  await page.getByRole('button', { name: 'Connect and sign in' }).click();
  await page.waitForURL('**/app/home');

  await ui.open('/settings/people', page);
  await page.getByText(`${ui.installation.base}/app/signed-in/company`).waitFor();
  await axe(page, 'providers');
  await noSidewaysScroll(page);
  await screenshots(page, 'people-providers');

  await ui.open('/settings/security', page);
  await page.getByRole('button', { name: 'Disconnect Example Ltd' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  await page.getByText('Not connected').waitFor();
  await page.getByRole('button', { name: 'Connect Example Ltd' }).click();
  await page.getByText('Connected', { exact: true }).waitFor();
  await page.waitForURL('**/app/settings/security');
  noErrors(page);
});
