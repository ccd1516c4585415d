// Browser test of the built-in inbox: new messages appear automatically, in four views; a hostile message runs no
// script and loads nothing remote until the reader allows it.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  axe,
  noSidewaysScroll,
  pageErrors,
  screenshots,
  settled,
  shows,
  testMail,
  uiTest,
} from '../support/browser/ui.ts';

const ui = uiTest();
let elsewhere: Server;
let base: string;
const asked: string[] = [];

before(async () => {
  elsewhere = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'image/gif' }).end();
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
});
after(async () => {
  elsewhere?.close();
});

const send = (subject: string, html: string, to?: string) => testMail(ui, subject, html, to);

/** The only browser errors allowed here are the blocked images of a message. */
function onlyRefusals(page: Page): void {
  const others = (pageErrors.get(page) ?? []).filter((error) => !error.startsWith('Loading the image'));
  assert.deepEqual(others, []);
}

test('new messages appear automatically, in every view', async () => {
  const { page } = ui;
  await ui.open('/inbox');
  await page.getByText('No emails yet').waitFor();
  await axe(page, 'inbox, empty');
  await send(
    'Spring offers',
    `<h1>Hello</h1><p><img src="${base}/picture.gif" alt=""> Read <a href="${base}/news">the news</a>.</p>`,
  );
  await page.getByRole('link', { name: /Spring offers/ }).waitFor();
  await settled(page);
  await screenshots(page, 'inbox');
  await axe(page, 'inbox');
  await noSidewaysScroll(page);
  await page.getByRole('link', { name: /Spring offers/ }).click();
  await page.getByRole('heading', { level: 1, name: /Spring offers/ }).waitFor();
  const frame = page.frameLocator('iframe[title="Preview of the email"]');
  await frame.getByRole('heading', { name: 'Hello' }).waitFor();
  assert.equal(asked.length, 0, 'nothing is loaded from elsewhere');
  await settled(page);
  await screenshots(page, 'inbox-message');
  await axe(page, 'message');
  await noSidewaysScroll(page);
  await page.getByRole('switch', { name: 'Load remote images' }).check();
  await ui.installation.until('the picture was asked for', async () => asked.includes('/picture.gif'));

  await page.getByRole('tab', { name: 'Plain text' }).click();
  await page.getByRole('region', { name: 'Plain text' }).getByText('Hello').waitFor();
  await axe(page, 'text');
  await page.getByRole('tab', { name: 'Headers' }).click();
  await page.locator('dl > div', { hasText: /^Subject.*Spring offers/ }).waitFor();
  await axe(page, 'headers');
  await noSidewaysScroll(page);
  await screenshots(page, 'inbox-headers');
  await page.getByRole('tab', { name: 'Source' }).click();
  await page.getByText(/MIME-Version: 1.0/i).waitFor();
  await axe(page, 'source');
  await noSidewaysScroll(page);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  assert.match((await downloading).suggestedFilename(), /^message-\d+\.eml$/);

  await send('Autumn', '<p>Later</p>', 'somebody.else@example.com');
  await page.getByRole('link', { name: 'Inbox' }).last().click();
  await page.getByRole('link', { name: /Autumn/ }).waitFor();
  await page.getByRole('searchbox', { name: 'Search by subject or address' }).fill('SOMEBODY.else');
  await page.getByRole('link', { name: /Spring offers/ }).waitFor({ state: 'detached' });
  await shows(page.getByRole('link', { name: /Autumn/ }), 1);
  onlyRefusals(page);
});

test('what was not read is marked and counted, in this browser; j and k lead from message to message', async () => {
  const { page } = ui;
  await ui.open('/inbox');
  // The first one was read in the test before, and the browser remembers it.
  await page.getByRole('link', { name: /^Unread: .*Autumn/ }).waitFor();
  await page.getByText('1 unread', { exact: true }).waitFor();
  await shows(page.getByRole('link', { name: /^Unread:/ }), 1);
  await send('Winter', '<p>Latest</p>');
  await page.getByText('2 unread', { exact: true }).waitFor();
  await settled(page);
  await axe(page, 'inbox with unread emails');
  await screenshots(page, 'inbox-unread');
  await page.getByRole('link', { name: /Winter/ }).click();
  const title = (name: RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
  await title(/Winter/);
  await page.locator('[aria-label="Older email"]:not(:disabled)').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Newer email' }).isDisabled(), true);
  await page.keyboard.press('j');
  await title(/Autumn/);
  await page.keyboard.press('k');
  await title(/Winter/);
  await page.getByRole('button', { name: 'Older email' }).click();
  await title(/Autumn/);
  await ui.open('/inbox');
  await page.getByRole('link', { name: /Winter/ }).waitFor();
  await shows(page.getByText(/unread/i), 0);
  await send('Frost', '<p>Coldest</p>');
  await page.getByText('1 unread', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await shows(page.getByText(/unread/i), 0);
  onlyRefusals(page);
});

test('the inbox is available in German', async () => {
  const { page } = ui;
  await page.evaluate(() => localStorage.setItem('postrider-language', 'de'));
  await ui.open('/inbox');
  await page.getByRole('heading', { level: 1, name: 'Integrierter Posteingang' }).waitFor();
  await noSidewaysScroll(page);
  onlyRefusals(page);
});
