// Browser test of the campaign table: search, chips, paging, bulk actions, keyboard. The shell around it is in shell.slow.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  axe,
  eventually,
  noErrors,
  noSidewaysScroll,
  screenshot,
  screenshots,
  shows,
  uiTest,
} from '../support/browser/ui.ts';

const ui = uiTest({}, async (ui) => {
  const { installation, open } = ui;
  await open('/campaigns');
  await axe(ui.page, 'no campaigns');
  await screenshots(ui.page, 'campaigns-empty');
  await ui.page.getByRole('heading', { name: 'Create your first campaign' }).waitFor();
  const list = await installation.listOf(3, (n) => `reader${n}@example.com`);
  const drafts: string[] = [];
  for (let week = 1; week <= 30; week++) drafts.push(await installation.draft(list, `News of week ${week}`));
  await installation.call('campaignSchedule', { cid: drafts[0]!, schedule_time: '2099-01-31 09:00:00' });
  await installation.call('campaignSendNow', { cid: drafts[1]! });
  await installation.until('the campaign has been sent', async () => {
    const { counts } = await installation.call<{ counts: { sent: number } }>('campaignSearch');
    return counts.sent === 1;
  });
});

/** Of the table; the calendar of a field for a day is one, too. */
const rows = () => ui.page.locator('tbody tr:has(td[data-first])');

test('campaigns are listed newest first, 25 per page, and the page is in the URL', async () => {
  const { page } = ui;
  await ui.open('/campaigns');
  await shows(rows(), 25);
  assert.match((await rows().first().textContent()) ?? '', /News of week 30/);
  await page.getByText('1–25 of 30').waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.waitForURL('**/campaigns?page=2');
  await shows(rows(), 5);
  await page.reload();
  await shows(rows(), 5);
  noErrors(page);
});

test('a time stands where the language has it: in German before the verb', async () => {
  const german = await ui.member();
  await german.addInitScript(() => localStorage.setItem('postrider-language', 'de'));
  await ui.open('/campaigns', german);
  await german
    .getByText(/^(gerade eben|vor .+) angelegt$/)
    .first()
    .waitFor();
  await german.close();
});

test('a click anywhere in a row opens the campaign, a click on its checkbox selects it', async () => {
  const { page } = ui;
  await ui.open('/campaigns');
  await rows().first().getByRole('checkbox').click();
  await page.getByText('1 selected').waitFor();
  await rows().first().getByText('Draft').click();
  await page.waitForURL('**/campaigns/*/edit');
  await page.getByRole('heading', { level: 1, name: 'News of week 30' }).waitFor();
  noErrors(page);
});

test('it is accessible and fits on a phone', async () => {
  await ui.open('/campaigns');
  await axe(ui.page, 'campaigns');
  await noSidewaysScroll(ui.page);
  await screenshots(ui.page, 'campaigns');
});

test('campaigns are found by their list and by the days of sending', async () => {
  const { page, installation } = ui;
  const other = await installation.call<string>('listCreate', { title: 'Partners' });
  const cid = await installation.draft(other, 'News for partners');
  await ui.open('/campaigns');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByRole('combobox', { name: 'List' }).fill('Partners');
  await page.getByRole('option', { name: 'Partners' }).click();
  await page.waitForURL(`**list=${other}**`);
  await shows(rows(), 1);
  assert.match((await rows().textContent()) ?? '', /Newsletter.*News for partners.*Draft.*Partners/);
  await axe(page, 'filtered campaigns');
  await screenshots(page, 'campaigns-filter');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await shows(rows(), 25);
  const today = new Date().toISOString().slice(0, 10);
  await page.getByLabel('Sent until').fill('2020-01-01');
  await page.getByText('No results.').waitFor();
  await page.getByLabel('Sent until').fill('');
  await page.getByLabel('Sent from').fill(today);
  await page.waitForURL(`**from=${today}**`);
  await shows(rows(), 1);
  assert.match((await rows().textContent()) ?? '', /News of week 2/);
  await installation.call('campaignDelete', { cid });
  noErrors(page);
});

test('a sent campaign shows what share opened and clicked; the table is sorted by its columns', async () => {
  const { page, installation } = ui;
  await ui.open('/campaigns?state=sent');
  assert.match((await rows().textContent()) ?? '', /News of week 2.*3.*0.*%.*0.*%/);
  const [{ id }] = (await installation.call<{ id: string }[]>('inboxMessages', { limit: 1 })) as [{ id: string }];
  const [{ html }] = (await installation.call<{ html: string }[]>('inboxMessages', { id })) as [{ html: string }];
  const pixel = /<img[^>]*src="([^"]*\/o\/[^"]*)"/.exec(html)![1]!.replaceAll('&amp;', '&');
  await fetch(pixel, { headers: { 'user-agent': browserName } });
  await installation.until('the open is recorded', async () => {
    const { data } = await installation.call<{ data: { id: string }[] }>('campaignSearch', { state: 'sent' });
    const [row] = await installation.call<{ unique_opens: number }[]>('campaignReactions', { cids: [data[0]!.id] });
    return row!.unique_opens === 1;
  });
  await page.reload();
  await page.getByRole('cell', { name: /33(\.3)?%$/ }).waitFor();
  await ui.open('/campaigns');
  await page.getByRole('button', { name: 'Delivered' }).click();
  await page.waitForURL('**sort=-emails_sent**');
  await rows().first().getByText('News of week 2', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Campaign', exact: true }).click();
  await page.waitForURL('**sort=name**');
  await rows().first().getByText('News of week 1', { exact: true }).waitFor();
  noErrors(page);
});

test('search and chips filter the rows, and can be cleared', async () => {
  const { page } = ui;
  await ui.open('/campaigns');
  await page.getByRole('searchbox').fill('WEEK 2');
  await page.waitForURL('**/campaigns?q=WEEK+2');
  await shows(rows(), 11);
  await page.getByRole('button', { name: /^Sent/ }).click();
  await page.waitForURL('**state=sent**');
  await shows(rows(), 1);
  assert.match((await rows().textContent()) ?? '', /News of week 2.*Sent.*3/);
  await page.getByRole('searchbox').fill('100%_');
  await page.getByText('No results.').waitFor();
  await axe(page, 'nothing found');
  await page.getByRole('button', { name: 'Show all' }).click();
  await shows(rows(), 25);
  await eventually(async () => assert.equal(await page.getByRole('searchbox').inputValue(), ''));
});

test('several campaigns can be duplicated and deleted at once, after a confirmation with numbers', async () => {
  const { page } = ui;
  await ui.open('/campaigns?q=week+2');
  await page.getByRole('checkbox', { name: 'Select News of week 29' }).check();
  await page.getByRole('checkbox', { name: 'Select News of week 28' }).check();
  await axe(page, 'two chosen');
  await screenshots(page, 'campaigns-chosen');
  await page.getByRole('button', { name: 'Duplicate' }).click();
  await page.getByText('2 campaigns duplicated.').waitFor();
  await shows(page.getByText('(copy)'), 2);

  await page.getByRole('searchbox').fill('(copy)');
  await page.waitForURL('**copy**');
  await shows(rows(), 2);
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 2 campaigns?' });
  await dialog.waitFor();
  await page.waitForTimeout(300);
  await axe(page, 'question');
  await screenshot(page, 'campaigns-delete');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await shows(rows(), 2);
  await page.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('2 campaigns deleted.').waitFor();
  await page.getByText('No results.').waitFor();
});

test('the table is used by keyboard: j and k move, Space shows a panel, x selects, Enter opens', async () => {
  const { page } = ui;
  await ui.open('/campaigns?q=week');
  const names = await rows().locator('td[data-first] a').allTextContents();
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  await page.keyboard.press('j');
  await eventually(async () => assert.equal(await focused(), names[0]));
  await page.keyboard.press('j');
  await page.keyboard.press('ArrowDown');
  await eventually(async () => assert.equal(await focused(), names[2]));
  await page.keyboard.press('k');
  await eventually(async () => assert.equal(await focused(), names[1]));
  await page.keyboard.press('Space');
  await page.getByRole('dialog', { name: names[1]! }).waitFor();
  await page.waitForTimeout(300);
  await axe(page, 'preview of a campaign');
  await screenshot(page, 'campaign-peek');
  await page.keyboard.press('j');
  await page.getByRole('dialog', { name: names[2]! }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await eventually(async () => assert.equal(await focused(), names[1]));
  await page.keyboard.press('x');
  await page.getByText('1 selected').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: names[1]! }).waitFor();
  noErrors(page);
});

const browserName =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
