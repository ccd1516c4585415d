// How few clicks a new owner needs: from the printed setup link to a first campaign that is being sent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { allSaved, noErrors, owner, settled, uiTest, writing } from '../support/browser/ui.ts';

const ui = uiTest({ SETUP_PASSWORD: '' });
const maxClicks = 25;

test(`a first campaign leaves an empty installation after at most ${maxClicks} clicks`, async (t) => {
  const { page, installation } = ui;
  let clicks = 0;
  const click = async (locator: Locator, count = 1) => {
    clicks += count;
    await locator.click({ clickCount: count });
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });

  await ui.open('/');
  await page.waitForURL('**/app/first-run');
  await page.goto('about:blank');
  await ui.open(/\/app(\/first-run#[\w-]+)/.exec(installation.output)![1]!);
  await page.getByLabel('Your name').fill('Ada Lovelace');
  await page.getByLabel('Email address').fill(owner.email);
  await page.getByLabel('Password', { exact: true }).fill(owner.password);
  await click(button('Create account'));
  await page.waitForURL('**/app/setup/address');
  await click(page.getByRole('link', { name: 'Skip for now' }));
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Harbour Books');
  await page.getByRole('textbox', { name: 'Postal address' }).fill('1 Quay Street\nHamburg');
  await click(button('Save and continue'));
  await page.getByRole('heading', { level: 1, name: 'Relay' }).waitFor();
  await click(page.getByRole('link', { name: 'Exit setup' }));
  await click(button('Show all steps'));

  await click(page.getByRole('link', { name: /Import your contacts/ }));
  await page.getByRole('textbox', { name: 'Name of the new list' }).fill('Readers');
  const chooser = page.waitForEvent('filechooser');
  await click(button('Choose file'));
  const people = Array.from({ length: 20 }, (_, n) => `reader${n}@example.com;Reader ${n}`);
  await (await chooser).setFiles({
    name: 'readers.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(['E-mail;First Name', ...people].join('\n')),
  });
  await click(button('Preview import'));
  await click(button('Import 20 contacts'));
  await page.getByRole('heading', { name: 'Result' }).waitFor();

  await click(page.getByRole('navigation').getByRole('link', { name: 'Campaigns', exact: true }));
  await click(page.getByRole('link', { name: 'New campaign' }).first());
  await page.getByRole('textbox', { name: 'Subject' }).fill('News of the harbour');
  await click(button('Continue'));
  await page.waitForURL('**/edit');
  await settled(page);
  const mail = page.frameLocator('iframe[title="Email editor"]');
  await click(mail.getByText('A heading that says'), 2);
  await writing(page);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('The harbour wakes');
  await allSaved(page);
  await click(button('Review'));
  await page.locator('#section-send').waitFor();
  await settled(page);
  await click(page.locator('#section-send').getByRole('button', { name: 'Send to 20 people' }));
  await click(page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }));
  await page.waitForURL(/\/campaigns\/[0-9a-f]{8}$/, { timeout: 60_000 });

  await installation.until('all have it', async () => {
    const [campaign] = await installation.call<{ emails_sent: number }[]>('campaigns');
    return campaign?.emails_sent === 20;
  });
  // The page knows when it started as soon as it knows that it is sent.
  await page.getByText('Sent', { exact: true }).first().waitFor();
  await page.getByText(/started (just now|\d+ seconds? ago)/).waitFor({ timeout: 5_000 });
  const [{ id }] = (await installation.call<{ id: string }[]>('inboxMessages', { limit: 1 })) as [{ id: string }];
  const [message] = await installation.call<{ html: string }[]>('inboxMessages', { id });
  assert.match(message!.html, /The harbour wakes/);
  t.diagnostic(`${clicks} clicks`);
  assert.ok(clicks <= maxClicks, `${clicks} clicks`);
  noErrors(page);
});
