// An A/B test from the composer to the report: two variants are set up, sent to the test group, and one is sent to the rest.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSection, saved, section, ui } from '../support/browser/composer.ts';
import { axe, eventually, noErrors, noSidewaysScroll, screenshots, settled } from '../support/browser/ui.ts';

const readers = 40;
let cid: string;
type Info = {
  on: boolean;
  state: string;
  share: number;
  winner: string;
  chosen: number;
  variants: { subject: string; html: string; sent: number }[];
};
const info = () => ui.installation.call<Info>('campaignTestGet', { cid });

test('variants are set up, saved while typing, previewed and checked', async () => {
  const { page } = ui;
  const list = await ui.installation.listOf(readers, (n) => `reader${n}@example.com`);
  cid = await ui.installation.draft(list, 'Ten quiet places');
  await ui.open(`/campaigns/${cid}/edit`);
  await openSection('test', page);
  const part = section('test', page);
  await part.getByRole('button', { name: 'Set up an A/B test' }).click();
  // Nothing is asked of the server that it would refuse.
  let refused = 0;
  page.on('response', (answer) => {
    if (answer.status() === 400) refused += 1;
  });
  // A hint, no fault, before anything was written.
  await part.getByRole('status').getByText('A variant does not differ yet').waitFor();
  assert.equal(await page.getByText('Some changes are not saved').count(), 0, 'the section says what is missing');
  const b = part.getByRole('group', { name: 'Variant B' });
  await b.getByLabel('Subject', { exact: true }).fill('Where it is quiet');
  await b.getByLabel('Sender name', { exact: true }).fill('Ada of the lake');
  await part.getByLabel('Share of the recipients in the test').fill('50');
  await part.getByText('About 10 get each variant; 20 wait for the winner.').waitFor();
  await part.getByRole('radio', { name: 'I choose it myself' }).check();
  await saved(page);
  assert.equal(await part.getByRole('alert').count(), 0);
  assert.equal(refused, 0);
  await axe(page, 'A/B test');
  await noSidewaysScroll(page);
  await screenshots(page, 'composer-ab-test');
  const set = await info();
  assert.deepEqual([set.on, set.share, set.winner], [true, 50, 'manual']);
  assert.equal(set.variants[1]!.subject, 'Where it is quiet');

  await b.getByRole('button', { name: 'Edit content' }).click();
  const writing = page.getByRole('dialog', { name: 'Content of variant B' });
  await writing.getByRole('tab', { name: 'HTML source' }).click();
  const source = writing.getByRole('textbox', { name: 'HTML source' });
  await source.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('<p>Another letter. <a href="*|UNSUB|*">Leave</a></p>');
  await writing.getByRole('button', { name: 'Done' }).click();
  await saved(page);
  assert.match((await info()).variants[1]!.html, /Another letter/);

  await part.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Preview' }).first().click();
  const preview = page.getByRole('dialog', { name: 'Preview' });
  await preview.getByText('Ten quiet places').waitFor();
  await preview.getByRole('radiogroup', { name: 'Variants' }).getByText('B', { exact: true }).click();
  await preview.getByText('Where it is quiet').waitFor();
  await page.keyboard.press('Escape');

  await page.reload();
  await settled(page);
  await openSection('test', page);
  assert.equal(await b.getByLabel('Subject', { exact: true }).inputValue(), 'Where it is quiet');
  noErrors(page);
});

test('the review shows the variants, how the winner is found, what is attached and what is recorded', async () => {
  const { page } = ui;
  const { no } = await ui.installation.call<{ no: number }>('campaignAttachmentCreate', {
    cid,
    name: 'prices.pdf',
    content: Buffer.alloc(2_048).toString('base64'),
    content_type: 'application/pdf',
  });
  await ui.open(`/campaigns/${cid}/edit`);
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  const card = page.getByRole('region', { name: 'What is sent' });
  const side = (name: string) =>
    card.getByRole('list', { name: 'Variants' }).getByRole('listitem').filter({ hasText: name });
  await side('A · 10 people').getByText('Ten quiet places').waitFor();
  await side('B · 10 people').getByText('Where it is quiet').waitFor();
  await side('B ·').getByText('Sender name: Ada of the lake').waitFor();
  await side('B ·').getByText('Its own content').waitFor();
  await card.getByText('20 others wait until you choose the winner.').waitFor();
  await card.getByText('prices.pdf 2 kB').waitFor();
  await card.getByText('Opens, Clicks (HTML)').waitFor();
  await settled(page);
  await axe(page, 'review with an A/B test');
  await noSidewaysScroll(page);
  await screenshots(page, 'review-ab-test');
  for (const row of ['To', 'From', 'Subject', 'Attachments', 'Tracking'])
    await card.getByRole('button', { name: `Change: ${row}`, exact: true }).waitFor();
  await page.getByRole('button', { name: 'Send A/B test to 20 people' }).waitFor();
  await card.getByRole('button', { name: 'Change: A/B test' }).click();
  await section('test', page).getByRole('group', { name: 'Variant B' }).waitFor();
  await ui.installation.call('campaignAttachmentDelete', { cid, no });
  noErrors(page);
});

test('the report shows the variants, and one is sent to the rest', async () => {
  const { page } = ui;
  await ui.installation.call('campaignSendNow', { cid });
  await ui.installation.until('the test group is sent to', async () => (await info()).state === 'waiting');
  await ui.open(`/campaigns/${cid}`);
  const table = page.getByRole('table', { name: 'A/B test' });
  await table.getByText('Where it is quiet').waitFor();
  await page.getByText('20 recipients wait until you choose the winner.').waitFor();
  await page.getByText('A/B test running', { exact: true }).waitFor();
  await page.getByText('After the test', { exact: true }).waitFor();
  await page.getByText('No one has opened or clicked yet.').waitFor();
  await axe(page, 'A/B test');
  await noSidewaysScroll(page);
  await table.scrollIntoViewIfNeeded();
  await screenshots(page, 'campaign-ab-test');
  await table.getByRole('button', { name: 'Send to the rest: variant B' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Variant B was chosen by hand').waitFor();
  await ui.installation.until('all are sent to', async () => {
    const { accepted } = await ui.installation.call<{ accepted: number }>('campaignProgress', { cid });
    return accepted === readers;
  });
  assert.equal((await info()).chosen, 1);
  await eventually(async () => assert.equal(await table.getByText('Winner').count(), 1));
  noErrors(page);
});
