// A signed-in browser and a whole installation for tests of the web application, with the checks that every screen gets
// (accessibility in light and dark, room on a phone). With PICTURES set, it also saves screenshots to /tmp/postrider-ui.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Download,
  Locator,
  Page,
  Request,
  Response,
} from 'playwright-core';
import { testDatabase } from '../database/database.ts';
import { InProcess } from '../installation/in-process.ts';
import { Installation } from '../installation/installation.ts';
import type { Service } from '../installation/service.ts';
import { closeBrowser, testBrowser } from './chromium.ts';

export const pictures = '/tmp/postrider-ui';
export const root = join(import.meta.dirname, '../../..');
const takesPictures = process.env.PICTURES !== undefined;
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The user who is signed in unless the settings name another. */
export const owner = { email: 'owner@example.com', password: 'a heron by the quiet lake' };

export type Ui = {
  installation: Service;
  browser: Browser;
  /** Signed in as the owner. */
  page: Page;
  /** A further browser, not signed in, with nothing remembered. */
  visitor(options?: BrowserContextOptions): Promise<Page>;
  /** A further browser, signed in as this user; by default the owner. */
  member(who?: { email: string; password: string }): Promise<Page>;
  /** Opens an address of the application, such as '/campaigns', and waits until it has loaded. */
  open(path: string, page?: Page): Promise<Page>;
  close(): Promise<void>;
};

/**
 * Sets up a test file: before the first test a service, its browser and the owner signed in, and what the file prepares with
 * them; closes them after the last. Node runs separate before() hooks at the same time, so preparing belongs here.
 */
export function uiTest(settings: Record<string, string> = {}, prepare?: (ui: Ui) => Promise<void>): Ui {
  const ui = {} as Ui;
  before(async () => {
    Object.assign(ui, await startUi(settings));
    await prepare?.(ui);
  });
  after(() => ui.close?.());
  return ui;
}

/** @param settings further settings of the installation, as in the environment */
export async function startUi(settings: Record<string, string> = {}): Promise<Ui> {
  const browser = await testBrowser();
  buildUi();
  // A database of the server that all tests share: one of its own takes 3 s more of a processor.
  const database = await testDatabase();
  const all = {
    DATABASE_URL: database.url,
    WORKERS: '1',
    SETUP_EMAIL: owner.email,
    SETUP_PASSWORD: owner.password,
    ...settings,
  };
  // An installation without a password prints the address of its first run, which needs its own processes.
  const installation = all.SETUP_PASSWORD === '' ? new Installation(all) : new InProcess(all);
  try {
    await installation.start();
  } catch (error) {
    await closeBrowser(browser);
    await database.close();
    throw error;
  }
  const contexts: BrowserContext[] = [];
  const visitor = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      locale: 'en-GB',
      // Transitions cost time and are not what the tests are about.
      reducedMotion: 'reduce',
      ...options,
    });
    contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    watch(page);
    return page;
  };
  const open = async (path: string, on: Page) => {
    await on.goto(`${installation.base}/app${path}`);
    await settled(on);
    return on;
  };
  const close = async () => {
    await closeBrowser(browser);
    await installation.remove();
    await database.close();
  };
  const member = async (who = owner) => {
    const page = await visitor();
    const answer = await page.request.post(`${installation.base}/session`, { data: who });
    assert.equal(answer.status(), 200, `signing in answered ${await answer.text()}`);
    return page;
  };
  try {
    const page = settings.SETUP_PASSWORD === undefined ? await member() : await visitor();
    return { installation, browser, page, visitor, member, open: (path, on = page) => open(path, on), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A test mail of a campaign of its own, which the built-in inbox takes. */
export async function testMail(ui: Ui, subject: string, html: string, to = 'reader@example.com'): Promise<void> {
  const list = await ui.installation.call<string>('listCreate', { title: subject.slice(0, 40) });
  const cid = await ui.installation.call<string>('campaignCreate', {
    type: 'HTML',
    options: {
      list_id: list,
      subject,
      from_email: 'editors@example.com',
      from_name: 'The editors',
      generate_text: true,
    },
    content: { html },
  });
  await ui.installation.call('campaignSendTest', { cid, test_emails: [to] });
}

/** Brings ui/dist up to date with its sources. */
export function buildUi(): void {
  // The runner has built it for all files.
  if (process.env.TEST_UI_BUILT === '1') return;
  execFileSync('sh', [join(root, 'bin/build-ui')], { stdio: ['ignore', 'inherit', 'inherit'] });
}

/** What went wrong in a page without a word on it: errors of scripts, and what the security policy refused. */
export const pageErrors = new WeakMap<Page, string[]>();

/** The requests to the program that a page waits for. */
const pendingRequests = new WeakMap<Page, Set<Request>>();

/** Waits until nothing is loading: no request is in flight, no skeleton is shown, and the page is idle. */
export async function settled(page: Page): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    await page.waitForFunction(
      () =>
        document.querySelector('h1') !== null &&
        document.querySelector('[aria-busy="true"]') === null &&
        document.querySelector('.mantine-Skeleton-root') === null,
    );
    // Fonts, transitions, the toasts that slide in, and a question that follows from what was done a moment ago.
    await page.waitForTimeout(250);
    await idle(page);
    if (
      !pendingRequests.get(page)?.size &&
      (await page.locator('[aria-busy="true"], .mantine-Skeleton-root').count()) === 0
    )
      return;
    const left = [...(pendingRequests.get(page) ?? [])].map((request) => new URL(request.url()).pathname);
    assert.ok(performance.now() < deadline, `${page.url()} is still loading: ${left.join(', ') || 'a skeleton'}`);
  }
}

/** The page has drawn, and then found time: a slow machine takes longer for both. */
async function idle(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve) =>
        requestAnimationFrame(() => requestIdleCallback(() => resolve(), { timeout: 5_000 })),
      ),
  );
}

/** Asserts again until it holds; what still does not hold after 20 s fails with its own words. */
export async function eventually<T>(assertion: () => Promise<T>, limitMs = 20_000): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(100);
    }
  }
}

/** The text of a downloaded file, its byte order mark included. A shared browser offers no path, but a stream. */
export async function savedText(download: Download): Promise<string> {
  return (await buffer((await download.createReadStream())!)).toString('utf8');
}

/** So many are shown, now or soon. */
export const shows = (what: Locator, count: number, why?: string): Promise<void> =>
  eventually(async () => assert.equal(await what.count(), count, why));

/** All that was typed into the composer is with the program. */
export async function allSaved(page: Page): Promise<void> {
  // The editors report a letter a moment after it was typed.
  await page.waitForTimeout(150);
  await idle(page);
  await page.getByText(/^(All changes saved|Saved \d\d?:\d\d.*)$/).waitFor();
}

/** Waits until a text block has the focus, so that typing goes into it. */
export async function writing(page: Page): Promise<void> {
  const frame = page.frameLocator('iframe[title="Email editor"]');
  await frame.locator('[contenteditable="true"]:focus').waitFor();
}

/** Does something in a page that calls a method, and waits until that very call is answered, well: no earlier one counts. */
export async function answered(page: Page, method: string, act: () => Promise<unknown>): Promise<Response> {
  const asked = page.waitForRequest((request) => new URL(request.url()).pathname === `/api/${method}`);
  const [request] = await Promise.all([asked, act()]);
  const response = (await request.response())!;
  assert.ok(response.ok(), `${method}: ${await response.text()}`);
  return response;
}

/**
 * The page violates no rule of axe-core. `npm run test:screens` checks all rules at each call in light, and colour contrast
 * in dark. An ordinary run checks each screen and open dialog of a file once, without colour contrast, which depends on the
 * theme alone: axe takes a fifth of the browser's time.
 */
export async function axe(page: Page, name = ''): Promise<void> {
  if (!takesPictures) {
    const dialogs = await page.getByRole('dialog').getByRole('heading').allTextContents();
    const screen = [new URL(page.url()).pathname.replaceAll(/\/[^/]*\d[^/]*/g, '/id'), ...dialogs].join(' ');
    if (checkedScreens.has(screen)) return;
    checkedScreens.add(screen);
    return noViolations(page, name || page.url(), `rules: { 'color-contrast': { enabled: false } },`);
  }
  for (const scheme of ['light', 'dark'] as const) {
    await inScheme(page, scheme);
    // Of all rules only this one can find in dark what it does not find in light.
    const rules = scheme === 'dark' ? `runOnly: ['color-contrast'],` : '';
    await noViolations(page, `${name || page.url()} in ${scheme}`, rules);
  }
  await inScheme(page, 'light');
}

const checkedScreens = new Set<string>();

async function noViolations(page: Page, where: string, rules: string): Promise<void> {
  let violations = await askAxe(page, rules);
  // A toast that was fading out is gone at the next check; on a slow machine it takes its time.
  for (let attempts = 0; violations.length > 0 && attempts < 5; attempts++) {
    await page.waitForTimeout(1_000);
    violations = await askAxe(page, rules);
  }
  assert.deepEqual(violations, [], `${where}:\n${violations.join('\n')}`);
}

async function askAxe(page: Page, rules: string): Promise<string[]> {
  // Evaluated by the test, not by the page: the page's own policy stays as it is.
  if (!(await page.evaluate(`typeof axe === 'object'`))) await page.evaluate(`${axeSource}; undefined`);
  const found = await page.evaluate(`axe.run(document, { ${rules} resultTypes: ['violations'] })`);
  return (found as AxeAnswer).violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .slice(0, 4)
        .map((node) => `${node.html.slice(0, 160)} – ${node.failureSummary.replace(/\s+/g, ' ').slice(0, 240)}`)
        .join('\n    ')}`,
  );
}

type AxeAnswer = { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] };

/** Nothing reaches over the side at this width; the window is put back afterwards. */
export async function noSidewaysScroll(page: Page, width = 360): Promise<void> {
  const before = page.viewportSize()!;
  await page.setViewportSize({ width, height: 740 });
  await page.waitForTimeout(200);
  const reachOver = () => {
    const room = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= room) return [];
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > room + 1)
      .slice(0, 5)
      .map((element) => element.outerHTML.slice(0, 160));
  };
  try {
    // What measures its room, as a plot does, finds it a moment later.
    await eventually(async () => {
      const wider = await page.evaluate(reachOver);
      assert.deepEqual(wider, [], `at ${width} px something of ${page.url()} reaches over the side`);
    }, 5_000);
  } finally {
    await page.setViewportSize(before);
  }
}

/** Pictures to be looked at, where they are asked for: wide and as on a phone, both in light and dark. Each file's name begins with `name`. */
export async function screenshots(page: Page, name: string): Promise<void> {
  if (!takesPictures) return;
  const before = page.viewportSize()!;
  await screenshot(page, name);
  await inScheme(page, 'dark');
  await screenshot(page, `${name}-dark`);
  await inScheme(page, 'light');
  await page.setViewportSize({ width: 360, height: 740 });
  await page.waitForTimeout(250);
  await screenshot(page, `${name}-phone`);
  await inScheme(page, 'dark');
  await screenshot(page, `${name}-phone-dark`);
  await inScheme(page, 'light');
  await page.setViewportSize(before);
}

/** A picture of the page as it stands, /tmp/postrider-ui/NAME.png, where pictures are asked for; returns its path. */
export async function screenshot(page: Page, name: string): Promise<string> {
  mkdirSync(pictures, { recursive: true });
  const path = join(pictures, `${name}.png`);
  if (takesPictures) await page.screenshot({ path });
  return path;
}

/** Every error the page has met so far must be none. */
export function noErrors(page: Page): void {
  assert.deepEqual(pageErrors.get(page) ?? [], []);
}

/** The errors that the page has met since the last look. */
export const newErrors = (page: Page): string[] => pageErrors.get(page)?.splice(0) ?? [];

async function inScheme(page: Page, scheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme });
  await page.waitForFunction((wanted) => document.documentElement.dataset.mantineColorScheme === wanted, scheme);
  await page.waitForTimeout(150);
  // What is fading in or out has the colours of neither.
  await page
    .waitForFunction(
      () =>
        document.getAnimations().every((item) => item.effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY),
      undefined,
      { timeout: 2_000 },
    )
    .catch(() => {});
}

function watch(page: Page): void {
  const errors: string[] = [];
  pageErrors.set(page, errors);
  const requests = new Set<Request>();
  pendingRequests.set(page, requests);
  page.on('request', (request) => {
    // Leaving a page ends what it waited for.
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) requests.clear();
    if (new URL(request.url()).pathname.includes('/api/')) requests.add(request);
  });
  page.on('requestfinished', (request) => requests.delete(request));
  page.on('requestfailed', (request) => requests.delete(request));
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    // A refused call is an answer (401 before signing in), not an error of the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      errors.push(message.text());
  });
}
