// Browser test of the campaign table and the shell: search, chips, paging, bulk actions, keyboard, global search,
// colour scheme, phone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  axe,
  eventually,
  noErrors,
  noSidewaysScroll,
  screenshot,
  screenshots,
  settled,
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

const rows = () => ui.page.locator('tbody tr');

test('campaigns are listed newest first, 25 per page, and the page is in the URL', async () => {
  const { page } = ui;
  await ui.open('/campaigns');
  await shows(rows(), 25);
  assert.match((await rows().first().textContent()) ?? '', /News of week 30/);
  await page.getByText('1–25 of 30').waitFor();
  await page.getByRole('button', { name: 'Page 2' }).click();
  await page.waitForURL('**/campaigns?page=2');
  await shows(rows(), 5);
  await page.reload();
  await shows(rows(), 5);
  noErrors(page);
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

test('duplicating a deleted campaign shows a fault', async () => {
  const { page, installation } = ui;
  await ui.open('/campaigns?q=week+30');
  const [campaign] = await installation.call<{ id: string }[]>('campaigns', { filters: { title: 'News of week 30' } });
  await page.getByRole('checkbox', { name: 'Select News of week 30' }).check();
  await installation.call('campaignDelete', { cid: campaign!.id });
  await page.getByRole('button', { name: 'Duplicate' }).click();
  await page.getByText(/does not exist/).waitFor();
});

test('shortcuts navigate and open the help and the search', async () => {
  const { page } = ui;
  await ui.open('/campaigns?state=sent');
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await page.waitForURL('**/app/campaigns');
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await help.waitFor();
  await page.waitForTimeout(300);
  await axe(page, 'help');
  await screenshot(page, 'keys');
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'hidden' });

  await page.keyboard.press('/');
  const field = page.getByPlaceholder('Search or run a command');
  await field.waitFor();
  await field.fill('week 17');
  await page.getByRole('button', { name: 'News of week 17' }).waitFor();
  await axe(page, 'search');
  await screenshot(page, 'search');
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'hidden' });
  await page.keyboard.press('Control+k');
  await field.waitFor();
  await page.keyboard.press('Escape');
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

test('letters typed into a field do not trigger shortcuts', async () => {
  const { page } = ui;
  await ui.open('/campaigns');
  await page.getByRole('searchbox').click();
  await page.keyboard.type('g?c/');
  await page.waitForURL((url) => url.searchParams.get('q') === 'g?c/');
  await settled(page);
  assert.equal(await page.getByRole('searchbox').inputValue(), 'g?c/');
  assert.equal(await page.getByRole('dialog').count(), 0);
});

test('the first Tab offers to skip the navigation', async () => {
  const { page } = ui;
  await ui.open('/campaigns');
  await page.keyboard.press('Tab');
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to content'),
  );
  await page.keyboard.press('Enter');
  await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement?.id), 'main'));
});

test('the navigation folds away on a phone and comes back', async () => {
  const { page } = ui;
  await page.setViewportSize({ width: 360, height: 740 });
  await ui.open('/campaigns');
  const link = page.getByRole('link', { name: 'Campaigns' });
  await link.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Navigation' }).click();
  await link.waitFor();
  await page.waitForTimeout(300);
  await axe(page, 'navigation on a phone');
  await screenshot(page, 'navigation-phone');
  await link.click();
  await link.waitFor({ state: 'hidden' });
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('language and colour scheme are remembered', async () => {
  const page = await ui.member();
  await ui.open('/campaigns', page);
  await page.getByRole('button', { name: /^Signed in as/ }).click();
  await page.getByRole('menuitem', { name: 'Dark' }).click();
  await page.getByRole('button', { name: /^Signed in as/ }).click();
  await page.getByRole('menuitem', { name: 'Deutsch' }).click();
  await page.getByRole('heading', { name: 'Kampagnen' }).waitFor();
  await page.reload();
  await settled(page);
  await page.getByRole('heading', { name: 'Kampagnen' }).waitFor();
  await eventually(async () => {
    assert.equal(await page.evaluate(() => document.documentElement.dataset.mantineColorScheme), 'dark');
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'de');
  });
  await screenshot(page, 'campaigns-german');
  noErrors(page);
});

test('an unreachable server is reported, with a retry button', async () => {
  const page = await ui.open('/campaigns');
  await page.route('**/api/campaignSearch', (route) => route.abort());
  await page.reload();
  // Queries retry a few times first.
  await page.getByRole('alert').waitFor({ timeout: 90_000 });
  await axe(page, 'out of reach');
  await page.unroute('**/api/campaignSearch');
  await page.getByRole('alert').getByRole('button').click();
  await rows().first().waitFor();
});

test('an unknown URL shows "page not found"', async () => {
  await ui.open('/nowhere');
  assert.equal(await ui.page.locator('h1').count(), 1);
  await axe(ui.page, 'no such screen');
});

const browserName =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

test('on a phone the filters are one row, and a campaign takes two lines', async () => {
  const page = await ui.member();
  await page.setViewportSize({ width: 390, height: 844 });
  await ui.open('/campaigns', page);
  const first = page.locator('tbody tr').first();
  await first.waitFor();
  const box = (await first.boundingBox())!;
  assert.ok(box.y < 300, `the first campaign begins at ${box.y}px`);
  assert.ok(box.height < 90, `a campaign is ${box.height}px high`);
  assert.match((await first.textContent()) ?? '', /News of week \d+.*Draft/);
  await axe(page, 'campaigns on a phone');
  await noSidewaysScroll(page);
  await screenshot(page, 'campaigns-brief');
  noErrors(page);
});

test('until the scripts have arrived, the page shows its frame and is not white', async () => {
  const page = await ui.member();
  const released = Promise.withResolvers<void>();
  await page.route('**/assets/*.js', async (route) => {
    await released.promise;
    await route.continue();
  });
  await page.goto(`${ui.installation.base}/app/campaigns`, { waitUntil: 'commit' });
  const frame = page.locator('.waiting');
  await frame.getByText('Postrider').waitFor();
  await screenshot(page, 'waiting');
  released.resolve();
  await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor();
  await frame.waitFor({ state: 'hidden' });
  noErrors(page);
  const visitor = await ui.visitor();
  await visitor.goto(`${ui.installation.base}/app/sign-in`, { waitUntil: 'commit' });
  await visitor.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  assert.equal(await visitor.locator('.waiting').isVisible(), false);
});
