// Confirming a subscription in a browser: the page confirms as soon as a person looks at it, and never for a program that only
// loads it. The time of the pages is the test's.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { parseId } from '../../src/db/ids.ts';
import { confirmToken } from '../../src/tracking/confirm-token.ts';
import { closeBrowser, testBrowser } from '../support/browser/chromium.ts';
import { screenshot } from '../support/browser/ui.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';

let app: TestApp;
let base: string;
let browser: Browser;
let list: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
  browser = await testBrowser();
  list = await app.call<string>('listCreate', { title: 'Letters from the lake' });
});
after(async () => {
  if (browser) await closeBrowser(browser);
  await app?.close();
});

let people = 0;
const info = (email: string) =>
  app.call<{ id: string; status: string }>('listMemberInfo', { id: list, email_address: email });

/** A pending contact, and the link in its email. */
async function pending() {
  const email = `reader${people++}@example.com`;
  await app.call('listSubscribe', { id: list, email_address: email });
  const ids = { account: app.account.id, list: parseId(list)!, contact: parseId((await info(email)).id)!, email };
  return {
    email,
    url: `${base}/confirm/${confirmToken(app.app, ids)}`,
    status: async () => (await info(email)).status,
  };
}

type Seen = { isAutomated?: boolean; isHidden?: boolean; hasFocus?: boolean; isTimed?: boolean };

/** A page in a browser as a person has it, unless it says otherwise. With `isTimed`, the test moves its clock. */
async function newPage(
  { isAutomated = false, isHidden = false, hasFocus = true, isTimed = false }: Seen,
  options: BrowserContextOptions = {},
) {
  const context = await browser.newContext({ viewport: { width: 1_000, height: 800 }, ...options });
  const page = await context.newPage();
  if (isTimed) await page.clock.install();
  await page.addInitScript(
    ([automated, hidden, focus]) => {
      const scope = globalThis as unknown as { navigator: object; document: object; isHidden: boolean };
      scope.isHidden = hidden!;
      Object.defineProperty(scope.navigator, 'webdriver', { get: () => automated });
      Object.defineProperty(scope.document, 'visibilityState', { get: () => (scope.isHidden ? 'hidden' : 'visible') });
      Object.defineProperty(scope.document, 'hasFocus', { value: () => focus });
    },
    [isAutomated, isHidden, hasFocus],
  );
  return page;
}

const done = (page: Page) => page.getByRole('heading', { name: 'You are subscribed' }).waitFor();
const counted = async () =>
  (await app.call<{ confirmations: Record<string, number> }>('listForm', { id: list })).confirmations;
const evidence = async (email: string) =>
  (await app.call<{ what: string; evidence: Record<string, string> }[]>('contactTimeline', { email }))
    .filter(({ what }) => what === 'confirm')
    .map(({ evidence }) => evidence.how);

test('the page that a person looks at confirms without a click, and says so', async () => {
  const before = await counted();
  const reader = await pending();
  const page = await newPage({});
  const errors: string[] = [];
  page.on('console', (message) => {
    // A browser asks for the icon of the host, whatever the page says.
    if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico')) errors.push(message.text());
  });
  await page.goto(reader.url);
  await page.getByText('Confirming').waitFor();
  assert.equal(await reader.status(), 'pending');
  await done(page);
  assert.equal(await reader.status(), 'subscribed');
  assert.deepEqual(await counted(), { ...before, automatic: before.automatic! + 1 });
  assert.deepEqual(await evidence(reader.email), ['automatic']);
  assert.deepEqual(errors, []);
  // Who did not mean it leaves from here.
  await page.getByRole('link', { name: 'Unsubscribe' }).click();
  await page.getByRole('button', { name: 'Unsubscribe' }).click();
  await page.getByRole('heading', { name: 'You have been unsubscribed' }).waitFor();
  assert.equal(await reader.status(), 'unsubscribed');
  await page.context().close();
});

for (const [name, seen] of Object.entries({
  'a browser that a program drives': { isAutomated: true },
  'a page that no one sees': { isHidden: true },
  'a page without focus that no one touches': { hasFocus: false },
} satisfies Record<string, Seen>))
  test(`nothing is confirmed in ${name}; the button stays`, async () => {
    const before = await counted();
    const reader = await pending();
    const page = await newPage({ ...seen, isTimed: true });
    await page.goto(reader.url);
    await page.clock.runFor(60_000);
    assert.equal(await reader.status(), 'pending');
    // At once: a pointer on its way to the button is a person who looks at the page.
    await page.getByRole('button', { name: 'Yes, subscribe me' }).evaluate((button: HTMLElement) => button.click());
    await done(page);
    assert.deepEqual(await counted(), { ...before, button: before.button! + 1 });
    assert.deepEqual(await evidence(reader.email), ['button']);
    await page.context().close();
  });

test('a page in a tab behind others confirms when it is looked at', async () => {
  const reader = await pending();
  const page = await newPage({ isHidden: true });
  await page.goto(reader.url);
  await page.evaluate('isHidden = false; document.dispatchEvent(new Event("visibilitychange"))');
  await done(page);
  await page.context().close();
});

test('a page without focus confirms once a pointer moves over it', async () => {
  const reader = await pending();
  const page = await newPage({ hasFocus: false });
  await page.goto(reader.url);
  await page.mouse.move(300, 300);
  await page.mouse.move(400, 350);
  await done(page);
  await page.context().close();
});

test('without script the button confirms', async () => {
  const reader = await pending();
  const page = await newPage({}, { javaScriptEnabled: false });
  await page.goto(reader.url);
  assert.equal(await page.getByText('Confirming').isVisible(), false);
  await page.getByRole('button', { name: 'Yes, subscribe me' }).click();
  await done(page);
  assert.deepEqual(await evidence(reader.email), ['button']);
  await page.context().close();
});

test('a scanner that loads the link confirms nothing; a post without the page is counted apart', async () => {
  const before = await counted();
  const reader = await pending();
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT']) await fetch(reader.url, { method });
  assert.equal(await reader.status(), 'pending');
  // A program that takes the form apart and claims to be the page is too fast.
  const body = await (await fetch(reader.url)).text();
  const look = /name="LOOK" value="([^"]+)"/.exec(body)![1]!;
  for (const LOOK of [look, '', 'x.y']) {
    const answer = await fetch(reader.url, { method: 'POST', body: new URLSearchParams({ how: 'automatic', LOOK }) });
    assert.match(await answer.text(), /Yes, subscribe me/);
    assert.equal(await reader.status(), 'pending');
  }
  assert.match(await (await fetch(reader.url, { method: 'POST' })).text(), /You are subscribed/);
  assert.deepEqual(await counted(), { ...before, one_click: before.one_click! + 1 });
  assert.deepEqual(await evidence(reader.email), ['one_click']);
});

test('the page fits in light, dark and on a phone', async () => {
  const reader = await pending();
  const page = await newPage({ isTimed: true });
  await page.goto(reader.url);
  // A jump of the clock fires each timer once: the page is looked at, and not yet for long.
  await page.clock.pauseAt(Date.now() + 10_000);
  await page.getByText('Confirming').waitFor();
  await look(page, 'confirming');
  await page.getByRole('button', { name: 'Yes, subscribe me' }).click();
  await done(page);
  await look(page, 'confirming-done');
  await page.context().close();
});

async function look(page: Page, name: string) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await screenshot(page, `public-${name}-${colorScheme}`);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  assert.equal(over, 0);
  await screenshot(page, `public-${name}-phone`);
  await page.setViewportSize({ width: 1_000, height: 800 });
}
