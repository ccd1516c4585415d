// Browser test of attachments: files are added to a campaign, refused by name, removed, and warned of in the review.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, noErrors, screenshots, settled, uiTest } from '../support/browser/ui.ts';

const ui = uiTest();

test('files are attached in the composer, and stay with the campaign', async () => {
  const { page, installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'Readers' });
  await installation.call('listSubscribe', { id: list, email_address: 'ann@readers.example', double_optin: false });
  const cid = await installation.call<string>('campaignCreate', {
    type: 'html',
    options: { list_id: list, subject: 'News', from_email: 'ann@example.com', from_name: 'Ann', generate_text: true },
    content: { html: '<p>News</p><p><a href="*|UNSUB|*">Leave</a></p>' },
  });
  const attached = async () =>
    (await installation.call<{ name: string }[]>('campaignAttachments', { cid })).map(({ name }) => name);
  await ui.open(`/campaigns/${cid}/edit`);
  const section = page.locator('#section-attachments');
  await section.getByRole('button', { name: /Attachments/ }).click();
  const file = (name: string, size: number, mimeType = 'application/pdf') => ({
    name,
    mimeType,
    buffer: Buffer.alloc(size, name),
  });
  const chooser = section.locator('input[type="file"]');
  await chooser.setInputFiles([file('prices.pdf', 40_000), file('film.mp4', 6_000_000), file('Setup.exe', 2_000_000)]);
  await section.getByText('film.mp4: larger than 5 MB').waitFor();
  const files = section.getByRole('list', { name: 'Attachments' });
  await files.getByText('Setup.exe').waitFor();
  await section.getByText('2 files, 1.9 MB').waitFor();
  await chooser.setInputFiles([file('more.pdf', 4_000_000)]);
  await section.getByText(/more\.pdf: .*the attachments would have 6040000 bytes together/).waitFor();
  assert.deepEqual(await attached(), ['prices.pdf', 'Setup.exe']);
  await settled(page);
  await axe(page, 'composer with attachments');
  await screenshots(page, 'composer-attachments');
  await section.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  await page.getByText(/Many mail servers reject messages with an attachment such as .Setup\.exe/).waitFor();
  await page.reload();
  await section.getByRole('button', { name: /Attachments/ }).click();
  await section.getByRole('button', { name: 'Remove Setup.exe' }).click();
  await section.getByText('1 file, 39 kB').waitFor();
  assert.deepEqual(await attached(), ['prices.pdf']);
  noErrors(page);
});
