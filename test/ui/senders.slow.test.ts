// Browser test of senders: added in the settings, chosen in the composer and by a list, and kept while in use.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cidOf, createDraft, list, openSection, optionsOf, saved, ui } from '../support/browser/composer.ts';
import { axe, eventually, noErrors, noSidewaysScroll, screenshots, settled } from '../support/browser/ui.ts';

test('a sender is added, shows what to do for its domain, and is chosen by a campaign and a list', async () => {
  const { page, installation } = ui;
  await ui.open('/settings/senders');
  await page.getByText('No senders yet').waitFor();
  await page.getByRole('button', { name: 'Add sender' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Add sender' });
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  await field('Name').fill('The editors');
  await field('Address').fill('letters at news.example.org');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.getByText(/is not an address that messages can be sent from/).waitFor();
  await settled(page);
  await axe(page, 'sender with a fault');
  await field('Address').fill('letters@news.example.org');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await page.getByText('Not authenticated').first().waitFor();
  await page.getByText(/Add news\.example\.org as a sender domain/).waitFor();
  await settled(page);
  await axe(page, 'senders');
  await noSidewaysScroll(page);
  await screenshots(page, 'settings-senders');
  await page.getByRole('button', { name: 'Set up news.example.org' }).click();
  await page.getByRole('heading', { level: 1, name: 'news.example.org' }).waitFor();
  await ui.open('/settings/senders');
  await page.getByRole('link', { name: 'Open news.example.org' }).waitFor();

  await createDraft('From the editors');
  await openSection('from');
  const from = page.getByRole('combobox', { name: 'From', exact: true });
  await page.getByRole('textbox', { name: 'Sender name' }).waitFor();
  await from.selectOption({ label: 'The editors <letters@news.example.org>' });
  await page.getByText(/Publish the DNS records of news\.example\.org/).waitFor();
  await saved();
  await eventually(async () => {
    const options = await optionsOf(cidOf(page));
    assert.deepEqual([options['from_name'], options['sender']], ['The editors', 'letters@news.example.org']);
  });
  assert.equal(await page.getByRole('textbox', { name: 'Sender name' }).count(), 0);
  await settled(page);
  await axe(page, 'From with a sender');
  await screenshots(page, 'composer-sender');
  await from.selectOption({ label: 'Another name or address' });
  await page.getByRole('textbox', { name: 'Sender name' }).waitFor();

  await ui.open(`/lists/${list}?tab=settings`);
  await page
    .getByRole('combobox', { name: 'Sender', exact: true })
    .selectOption({ label: 'The editors <letters@news.example.org>' });
  await page.getByText(/Until the domain is authenticated/).waitFor();
  await settled(page);
  await axe(page, 'list with a sender');
  await screenshots(page, 'list-sender');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').first().waitFor();
  const info = await installation.call<Record<string, string>>('listGet', { id: list });
  assert.deepEqual(
    [info['sender'] !== '', info['default_from_name'], info['default_from_email']],
    [true, 'The editors', 'letters@news.example.org'],
  );

  await ui.open('/settings/senders');
  await page.getByText('1 list, 1 unsent campaign').waitFor();
  await page.getByRole('button', { name: 'Delete The editors' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText(/is in use.*list “Friends of the lake”; campaign “From the editors”/).waitFor();
  await page.getByRole('button', { name: 'Change The editors' }).click();
  await field('Name').fill('The newsroom');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The newsroom').first().waitFor();
  assert.equal(
    (await installation.call<Record<string, string>>('listGet', { id: list }))['default_from_name'],
    'The newsroom',
  );
  noErrors(page);
});
