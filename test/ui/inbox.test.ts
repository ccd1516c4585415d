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

test('the inbox is available in German', async () => {
  const { page } = ui;
  await page.evaluate(() => localStorage.setItem('postrider-language', 'de'));
  await ui.open('/inbox');
  await page.getByRole('heading', { level: 1, name: 'Integrierter Posteingang' }).waitFor();
  await noSidewaysScroll(page);
  onlyRefusals(page);
});
