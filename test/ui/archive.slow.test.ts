// The public archive in a browser: nothing is public until a list is chosen, and a campaign can be left out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answered, axe, noErrors, noSidewaysScroll, screenshots, shows, uiTest } from '../support/browser/ui.ts';

const ui = uiTest();

async function sent(list: string, subject: string): Promise<void> {
  const { installation } = ui;
  const cid = await installation.draft(list, subject);
  await installation.call('campaignSendNow', { cid });
  await installation.until('it is sent', async () => {
    const progress = await installation.call<{ delivery_status: string }>('campaignProgress', { cid });
    return progress.delivery_status === 'sent';
  });
}

test('an archive is switched on, shows the lists that are chosen, and a campaign is left out', async () => {
  const { page, installation } = ui;
  const board = await installation.listOf(1, () => 'board@example.com');
  const readers = await installation.listOf(2, (n) => `reader${n}@example.com`);
  await installation.call('listUpdate', { id: board, name: 'title', value: 'Board' });
  await installation.call('listUpdate', { id: readers, name: 'title', value: 'Readers' });
  await sent(board, 'Salaries');
  await sent(readers, 'News of the lake');
  await sent(readers, 'Too private');

  await ui.open('/settings/archive');
  await page.getByRole('switch', { name: 'The archive is public' }).check({ force: true });
  await page.getByLabel('Title').fill('Letters of the lake');
  await page.getByLabel('Address', { exact: true }).fill('lake');
  await answered(page, 'archiveUpdate', () => page.getByRole('button', { name: 'Save' }).click());
  const open = page.getByRole('link', { name: 'Open the archive' });
  const address = (await open.getAttribute('href'))!;
  assert.match(address, /\/archives\/lake$/);
  const visitor = await ui.visitor();
  await visitor.goto(address);
  await visitor.getByRole('heading', { name: 'Letters of the lake' }).waitFor();
  await shows(visitor.locator('.letters li'), 0, 'no list is chosen');

  await page.getByLabel('Lists in the archive').first().click();
  await page.getByRole('option', { name: 'Readers' }).click();
  await page.keyboard.press('Escape');
  await answered(page, 'archiveUpdate', () => page.getByRole('button', { name: 'Save' }).click());
  const table = page.getByRole('table', { name: 'Sent campaigns' });
  await shows(table.getByText('Not shown: one of its lists is not chosen'), 1);
  await answered(page, 'campaignArchiveUpdate', () =>
    table.getByRole('row').filter({ hasText: 'Too private' }).locator('label').last().click(),
  );
  await axe(page, 'the archive settings');
  await noSidewaysScroll(page);
  await screenshots(page, 'archive-settings');
  await visitor.reload();
  await visitor.getByRole('link', { name: 'News of the lake' }).waitFor();
  await shows(visitor.locator('.letters li'), 1);
  noErrors(page);
  noErrors(visitor);
});

test('before it is sent, a campaign is left out of the archive in the review', async () => {
  const { page, installation } = ui;
  const { list_ids, url } = await installation.call<{ list_ids: string[]; url: string }>('archiveGet');
  const [readers] = list_ids;
  const others = await installation.listOf(1, () => 'other@example.com');
  const cid = await installation.draft(readers!, 'Only for readers');
  await ui.open(`/campaigns/${cid}/edit`);
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  const choice = page.getByRole('switch', { name: 'Leave out of the public archive' });
  await choice.waitFor();
  assert.equal(await choice.isChecked(), false);
  await axe(page, 'the review with the archive');
  await noSidewaysScroll(page);
  await screenshots(page, 'review-archive');
  await answered(page, 'campaignArchiveUpdate', () => choice.click({ force: true }));
  await installation.call('campaignSendNow', { cid });
  await installation.until('it is sent', async () => {
    const progress = await installation.call<{ delivery_status: string }>('campaignProgress', { cid });
    return progress.delivery_status === 'sent';
  });
  assert.doesNotMatch(await (await fetch(url)).text(), /Only for readers/);
  assert.match(await (await fetch(url)).text(), /News of the lake/);

  // A campaign that the archive would not show anyway is asked nothing.
  await ui.open(`/campaigns/${await installation.draft(others, 'To others')}/edit`);
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  await page.locator('#section-also').waitFor();
  await shows(page.getByText('Leave out of the public archive'), 0);
  noErrors(page);
});

test('an address that is too short is refused at its field', async () => {
  const { page } = ui;
  await ui.open('/settings/archive');
  await page.getByLabel('Address', { exact: true }).fill('no');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/must have 3 to 60 lower-case letters/i).waitFor();
  await axe(page, 'a refused address');
});
