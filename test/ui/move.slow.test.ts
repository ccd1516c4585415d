// Browser test of moving in from another program: choose it, upload the export, see what would happen, and do it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, noErrors, noSidewaysScroll, screenshots, settled, uiTest } from '../support/browser/ui.ts';
import { mailchimpArchive } from '../support/samples/source-exports.ts';

const ui = uiTest();

async function sound(name: string): Promise<void> {
  await settled(ui.page);
  await axe(ui.page, name);
  await noSidewaysScroll(ui.page);
  await screenshots(ui.page, name);
}

test('an export is checked, its result shown before anything changes, and then brought', async () => {
  const { page, installation } = ui;
  await ui.open('/contacts/import');
  await page.getByRole('link', { name: 'Move from another program' }).click();
  await page.getByRole('heading', { level: 1, name: 'Move from another program' }).waitFor();
  await sound('move');
  await page.getByRole('button', { name: 'Check export' }).click();
  await page.getByRole('alert').getByText('Choose the files of the export first.').waitFor();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose files' }).click();
  await (await chooser).setFiles({ name: 'export.zip', mimeType: 'application/zip', buffer: mailchimpArchive() });
  await page.getByRole('button', { name: 'Remove export.zip' }).waitFor();
  await page.getByRole('button', { name: 'Check export' }).click();
  await page.getByRole('heading', { level: 1, name: 'Move from Mailchimp' }).waitFor();
  const apply = page.getByRole('button', { name: /^Move [\d,]+ contacts$/ });
  await apply.waitFor({ timeout: 60_000 });
  await page.getByRole('table', { name: 'Lists' }).getByRole('cell', { name: 'Offers' }).waitFor();
  await page.getByRole('table', { name: 'Not taken' }).getByText('duplicate of an earlier row').waitFor();
  await sound('move-checked');
  assert.deepEqual(await installation.call('lists'), []);
  await apply.click();
  await page.getByRole('heading', { name: 'What was done' }).waitFor({ timeout: 90_000 });
  await sound('move-done');
  const lists = await installation.call<{ name: string; member_count: number }[]>('lists');
  assert.deepEqual(lists.map(({ name }) => name).sort(), ['News', 'Offers']);
  await page.getByRole('link', { name: 'News' }).click();
  await page.getByRole('heading', { level: 1, name: 'News' }).waitFor();
  await ui.open('/contacts/move');
  await page.getByRole('table', { name: 'Earlier moves' }).getByText('Done').waitFor();
  noErrors(page);
});

test('an export that does not say who has left is refused with the reason', async () => {
  const { page } = ui;
  await ui.open('/contacts/move');
  await page.getByRole('radio', { name: 'Brevo' }).check();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose files' }).click();
  await (await chooser).setFiles({
    name: 'all.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('EMAIL\na@example.com\n'),
  });
  await page.getByRole('button', { name: 'Check export' }).click();
  await page.getByText(/does not say who has unsubscribed/).waitFor({ timeout: 60_000 });
  await sound('move-failed');
  await page.getByRole('link', { name: 'Choose other files' }).click();
  await page.getByRole('button', { name: 'Check export' }).waitFor();
  noErrors(page);
});
