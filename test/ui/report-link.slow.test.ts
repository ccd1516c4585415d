// A report shared with a client: the link is made on the report, opened without an account on a desktop and a phone, printed, and
// withdrawn. The rates of the account and its usage, on their screens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { connect, type Sql, sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { lookAt } from '../support/browser/public-page.ts';
import {
  axe,
  eventually,
  noErrors,
  noSidewaysScroll,
  savedText,
  screenshot,
  screenshots,
  shows,
  uiTest,
} from '../support/browser/ui.ts';

const readers = 40;
let cid: string;
let list: string;
const ui = uiTest({}, async ({ installation }) => {
  list = await installation.listOf(readers, (n) => `reader${n}@example${n % 3}.com`);
  for (const subject of ['Winter bread', 'Spring at the bakery']) {
    cid = await installation.draft(list, subject);
    await installation.call('campaignSendNow', { cid });
    await installation.until('it is sent', async () => {
      const { delivery_status } = await installation.call<{ delivery_status: string }>('campaignProgress', { cid });
      return delivery_status === 'sent';
    });
  }
});

async function change(...statements: Sql[]): Promise<void> {
  const db = connect(ui.installation.settings['DATABASE_URL']!, { name: 'test', maxConnections: 1 });
  try {
    for (const statement of statements) await db.run(statement);
  } finally {
    await db.close();
  }
}

/** All requests of a page. */
function requestsOf(page: Page): string[] {
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  return urls;
}

test('a link is made on the report, and a client opens it on a desktop and on a phone', async () => {
  const { page, installation } = ui;
  await ui.open(`/campaigns/${cid}`);
  await page.getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share the report' });
  await dialog.getByLabel('For whom').fill('The bakers');
  await axe(page, 'share');
  await screenshots(page, 'share');
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const url = await dialog.getByRole('textbox', { name: 'Link' }).inputValue();
  assert.match(url, /\/report\/[\w-]{43}$/);
  await dialog.getByText('The bakers').waitFor();
  await axe(page, 'share, made');
  await noSidewaysScroll(page);
  await screenshots(page, 'share-made');
  for (const [name, viewport] of [
    ['desktop', { width: 1_280, height: 800 }],
    ['phone', { width: 390, height: 844 }],
  ] as const) {
    const client = await ui.visitor({ viewport, javaScriptEnabled: false });
    const requests = requestsOf(client);
    const response = await client.goto(url);
    assert.equal(response!.status(), 200);
    await client.getByRole('heading', { level: 1, name: 'Spring at the bakery' }).waitFor();
    await client.getByText('Delivered', { exact: true }).waitFor();
    await client.getByText(String(readers), { exact: false }).first().waitFor();
    const over = await client.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    assert.equal(over, 0, `${name}: nothing reaches over the side`);
    assert.deepEqual(
      [...new Set(requests.map((one) => new URL(one).origin))].filter((one) => one !== 'null'),
      [new URL(installation.base).origin],
    );
    await lookAt(ui.browser, client, `report-link-${name}`);
    await client.emulateMedia({ media: 'print', colorScheme: 'light' });
    assert.equal(await client.getByRole('link', { name: 'View the email' }).isVisible(), false);
    await screenshot(client, `report-link-${name}-print`);
    await client.context().close();
  }
  const looked = await ui.visitor();
  await looked.goto(url);
  await looked.getByRole('link', { name: 'View the email' }).click();
  await looked.waitForURL('**/archive/**');
  await dialog.getByRole('button', { name: 'Withdraw the link The bakers' }).click();
  await shows(dialog.getByText('The bakers'), 0);
  await looked.goto(url);
  await looked.getByText('No longer available').first().waitFor();
  noErrors(page);
});

test('a link to all campaigns lists them, each with its report', async () => {
  const { page } = ui;
  await ui.open(`/campaigns/${cid}`);
  await page.getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share the report' });
  await dialog.getByLabel('The link shows').selectOption('list');
  await dialog.getByLabel('Expires after').selectOption('7');
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const url = await dialog.getByRole('textbox', { name: 'Link' }).inputValue();
  const client = await ui.visitor({ viewport: { width: 390, height: 844 } });
  await client.goto(url);
  await client.getByRole('heading', { level: 1, name: 'Reports' }).waitFor();
  await lookAt(ui.browser, client, 'report-link-list');
  await client.getByRole('link', { name: 'Winter bread' }).click();
  await client.getByRole('heading', { level: 1, name: 'Winter bread' }).waitFor();
  await client.getByRole('link', { name: 'Reports' }).click();
  await client.getByRole('link', { name: 'Spring at the bakery' }).waitFor();
});

test('the rates of the account, a warning on Home, the choice to pause, and usage', async () => {
  const { page } = ui;
  const account = sql`(select account_id from list where id = ${parseId(list)})`;
  await change(
    sql`
    insert into sending_day (account_id, day, kind, list_id, provider, shard, accepted, refused, complaints)
    select ${account}, (now() at time zone 'UTC')::date - 3, 'campaign', ${parseId(list)}::int, provider, 0, accepted, refused, complaints
    from (values ('gmail', 6210, 40, 0), ('outlook', 2400, 31, 3), ('yahoo', 1900, 12, 9), ('gmx', 800, 4, 0)) as v(provider, accepted, refused, complaints)`,
    sql`insert into reputation_warning (account_id, scope, name) values (${account}, 'account', ''), (${account}, 'provider', 'yahoo')`,
  );
  await ui.open('/home');
  await page.getByText('Too many recipients report emails as spam').first().waitFor();
  await page.getByText(/Provider Yahoo and AOL: 9 of 1900/).waitFor();
  await screenshots(page, 'reputation-home');
  await page.getByRole('link', { name: 'Show rates' }).first().click();
  await page.getByRole('heading', { name: 'Complaints and hard bounces' }).waitFor();
  await page.getByRole('table', { name: 'By mailbox provider' }).getByText('Yahoo and AOL').waitFor();
  await axe(page, 'reputation');
  await noSidewaysScroll(page);
  await screenshots(page, 'reputation');
  await ui.open('/settings/sending');
  await page.getByRole('radio', { name: 'Pause the campaign' }).check();
  await page.getByRole('radio', { name: 'Pause the campaign' }).scrollIntoViewIfNeeded();
  await screenshots(page, 'reputation-setting');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await eventually(async () => {
    await ui.open('/settings/sending');
    assert.equal(await page.getByRole('radio', { name: 'Pause the campaign' }).isChecked(), true);
  });
  await ui.open('/settings/data');
  const usage = page.getByRole('table', { name: 'Usage' });
  await usage.getByText('11,390').first().waitFor();
  await axe(page, 'usage');
  await noSidewaysScroll(page);
  await screenshots(page, 'usage');
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download all accounts as CSV' }).click();
  assert.match(await savedText(await download), /^month,account,name,campaigns,/);
  noErrors(page);
});
