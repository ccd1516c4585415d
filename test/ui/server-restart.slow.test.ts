// Browser test of a restart of the program while an email is being written.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { closeBrowser, testBrowser } from '../support/browser/chromium.ts';
import { allSaved, buildUi, eventually, owner, settled } from '../support/browser/ui.ts';
import { testDatabase } from '../support/database/database.ts';
import { Installation } from '../support/installation/installation.ts';

let browser: Browser;
let installation: Installation;
let dropDatabase = async () => {};
before(async () => {
  buildUi();
  browser = await testBrowser();
  const database = await testDatabase();
  dropDatabase = () => database.close();
  installation = new Installation({
    DATABASE_URL: database.url,
    WORKERS: '1',
    SETUP_EMAIL: owner.email,
    SETUP_PASSWORD: owner.password,
  });
  await installation.start();
});
after(async () => {
  if (browser) await closeBrowser(browser);
  await installation?.remove();
  await dropDatabase();
});

test('what is typed before, during and after a restart of the server is saved', async () => {
  const list = await installation.call<string>('listCreate', { title: 'Friends of the lake' });
  const cid = await installation.call<string>('campaignCreate', {
    type: 'HTML',
    options: { list_id: list, subject: 'Notes', from_email: owner.email, from_name: 'The lake', generate_text: true },
    content: { html: '<p>Hello</p>' },
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
  assert.equal((await page.request.post(`${installation.base}/session`, { data: owner })).status(), 200);
  await page.goto(`${installation.base}/app/campaigns/${cid}/edit`);
  await settled(page);
  await page.getByRole('tab', { name: 'HTML source' }).click();
  const source = page.getByRole('textbox', { name: 'HTML source' });
  await source.focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('<p>Before.</p>');
  await installation.stop();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText('<p>Meanwhile.</p>');
  await page.getByText('No connection – trying again.').waitFor();
  await installation.start();
  await page.keyboard.insertText('<p>After.</p>');
  await allSaved(page);
  await eventually(async () => {
    const { html } = await installation.call<{ html: string }>('campaignContent', { cid });
    for (const words of ['Before.', 'Meanwhile.', 'After.']) assert.ok(html.includes(`<p>${words}</p>`), html);
  });
});
