// Browser test of the shell around the campaign table: shortcuts, global search, language, colour scheme, phone, and what is shown
// without scripts or a server.
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

test('duplicating a deleted campaign shows a fault', async () => {
  const { page, installation } = ui;
  await ui.open('/campaigns?q=week+30');
  const [campaign] = await installation.call<{ id: string }[]>('campaigns', { filters: { title: 'News of week 30' } });
  await page.getByRole('checkbox', { name: 'Select News of week 30' }).check();
  // The campaign that was just sent makes the table read again, which would take the row away before it is duplicated.
  const duplicated = Promise.withResolvers<void>();
  await page.route('**/api/campaignSearch', async (route) => {
    await duplicated.promise;
    await route.continue();
  });
  await installation.call('campaignDelete', { cid: campaign!.id });
  await page.getByRole('button', { name: 'Duplicate' }).click();
  await page.getByText(/does not exist/).waitFor();
  duplicated.resolve();
  await page.unrouteAll({ behavior: 'wait' });
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

for (const [language, name, campaigns, lists, unknown] of [
  ['fr', 'Français', 'Campagnes', 'Listes', /n’existe pas/],
  ['es', 'Español', 'Campañas', 'Listas', /no existe/],
  ['it', 'Italiano', 'Campagne', 'Liste', /non esiste/],
  ['pl', 'Polski', 'Kampanie', 'Listy', /nie istnieje/],
  ['pt', 'Português', 'Campanhas', 'Listas', /não existe/],
  ['nl', 'Nederlands', 'Campagnes', 'Lijsten', /bestaat niet/],
] as const)
  test(`in ${name}, screens and what the server says on them are in this language`, async () => {
    const page = await ui.member();
    await ui.open('/campaigns', page);
    await page.getByRole('button', { name: /^Signed in as/ }).click();
    await page.getByRole('menuitem', { name }).click();
    await page.getByRole('heading', { name: campaigns }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), language);
    await screenshot(page, `campaigns-${language}`);
    // The texts of this area come with its screen.
    await ui.open('/lists', page);
    await page.getByRole('heading', { name: lists }).waitFor();
    const answer = await page.evaluate(async () => {
      const response = await fetch('/api/listGrowth', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'accept-language': document.documentElement.lang },
        body: '{"id":"none"}',
      });
      return (await response.json()) as { error: string };
    });
    assert.match(answer.error, unknown);
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
