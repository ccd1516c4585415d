// Browser test of the settings of a list that notify its owner, and of the reason in the footer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, noErrors, noSidewaysScroll, screenshots, uiTest } from '../support/browser/ui.ts';

const ui = uiTest();

test('notices of a list are switched on, with a reason for the footer, and a wrong address is shown at its field', async () => {
  const { page } = ui;
  const id = await ui.installation.call<string>('listCreate', { title: 'Letters' });
  await ui.open(`/lists/${id}`);
  await page.getByRole('tab', { name: 'Settings' }).click();
  assert.equal(await page.getByRole('textbox', { name: 'Notify' }).count(), 0, 'no one is notified at first');
  await page.getByRole('checkbox', { name: 'When people subscribe' }).check();
  await page.getByRole('textbox', { name: 'Notify' }).fill('owner');
  await page.getByRole('textbox', { name: 'Footer text' }).fill('You signed up at our shop.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('[aria-invalid="true"]').first().waitFor();
  await axe(page, 'list settings, refused');
  await page.getByRole('textbox', { name: 'Notify' }).fill('owner@example.com');
  await noSidewaysScroll(page);
  await screenshots(page, 'list-notices');
  await page.getByRole('button', { name: 'Save' }).click();
  await ui.installation.until('the list is saved', async () => {
    const info = await ui.installation.call<Record<string, unknown>>('listGet', { id });
    return (
      info.notify_to === 'owner@example.com' &&
      info.subscription_notify === true &&
      info.permission_reminder === 'You signed up at our shop.'
    );
  });
  noErrors(page);
});

test('what readers see of a list is set on its settings', async () => {
  const { page } = ui;
  const id = await ui.installation.call<string>('listCreate', { title: 'cust_2024' });
  await ui.open(`/lists/${id}`);
  await page.getByRole('tab', { name: 'Settings' }).click();
  const readers = page.getByRole('group', { name: 'Preference page' });
  await readers.getByRole('checkbox', { name: 'Public' }).check();
  await readers.getByRole('textbox', { name: 'Name for readers' }).fill('Offers');
  await readers.getByRole('textbox', { name: 'Group' }).fill('Shop');
  await readers.getByRole('textbox', { name: 'Description for readers' }).fill('Once a month.');
  await noSidewaysScroll(page);
  await page.getByRole('button', { name: 'Save' }).click();
  await ui.installation.until('the list is saved', async () => {
    const info = await ui.installation.call<Record<string, unknown>>('listGet', { id });
    return (
      info.public === true &&
      info.public_title === 'Offers' &&
      info.public_group === 'Shop' &&
      info.public_description === 'Once a month.'
    );
  });
  noErrors(page);
});
