// The documentation as an installation serves it: every link leads somewhere, the search finds, the policy holds in a browser,
// and it can be read in light, in dark, on a phone, and without a script.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse } from 'parse5';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { closeBrowser, testBrowser } from '../support/browser/chromium.ts';
import { noSidewaysScroll, pictures, root } from '../support/browser/ui.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';

let program: TestApp;
let base: string;
let browser: Browser;
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

before(async () => {
  execFileSync('sh', [join(root, 'bin/build-docs')], { stdio: ['ignore', 'inherit', 'inherit'] });
  // Below a path: an address that is written from the root of the host would leave it.
  program = await testApp();
  base = `${await program.listen()}/mail`;
  program.app.baseUrl = base;
  browser = await testBrowser();
});
after(async () => {
  if (browser) await closeBrowser(browser);
  await program?.close();
});

test('every link of the documentation leads to a page and every anchor to a place on it', async () => {
  const pages = new Map<string, { ids: Set<string>; links: string[] }>();
  const linkedFrom = new Map<string, string>();
  const waiting = [`${base}/docs/`];
  const visit = async (url: string) => {
    const answer = await fetch(url);
    assert.equal(answer.status, 200, `${url}, linked from ${linkedFrom.get(url)}`);
    const type = answer.headers.get('content-type')!;
    if (!type.startsWith('text/html') || !url.startsWith(`${base}/docs/`)) {
      await answer.body?.cancel();
      pages.set(url, { ids: new Set(), links: [] });
      return;
    }
    assert.equal(type, 'text/html; charset=utf-8', url);
    const page = elementsOf(await answer.text());
    const links = page.flatMap(({ addresses }) => addresses).map((address) => String(new URL(address, answer.url)));
    pages.set(url, { ids: new Set(page.flatMap(({ id }) => id ?? [])), links });
    for (const link of links) {
      const target = link.split('#')[0]!;
      if (!link.startsWith('http://127.0.0.1:') || linkedFrom.has(target)) continue;
      // Examples in the texts lead to a service on this machine.
      if (new URL(link).port === '8080') continue;
      // Other tests build the application.
      if (target === `${base}/app/`) continue;
      assert.ok(link.startsWith(`${base}/`), `${url} links to ${link}`);
      linkedFrom.set(target, url);
      waiting.push(target);
    }
  };
  while (waiting.length > 0) await Promise.all(waiting.splice(0, 8).map(visit));
  assert.ok(pages.size > 250, `${pages.size} pages`);
  for (const [url, { links }] of pages)
    for (const link of links) {
      const [target = '', anchor] = link.split('#');
      if (!anchor || !target.startsWith(`${base}/docs/`)) continue;
      assert.ok(pages.get(target)!.ids.has(decodeURIComponent(anchor)), `${url} links to ${link}`);
    }
});

test('files have their types, are cached by their names, and come compressed', async () => {
  const page = await fetch(`${base}/docs/operations`);
  assert.equal(page.headers.get('cache-control'), 'no-cache');
  const html = await page.text();
  assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|\sstyle=|<style|\son[a-z]+=/, 'nothing that the policy refuses');
  const typeOf = async (path: string) => {
    const answer = await fetch(new URL(path, page.url), { headers: { 'accept-encoding': 'gzip' } });
    await answer.arrayBuffer();
    const { headers } = answer;
    return [answer.status, headers.get('content-type'), headers.get('content-encoding'), headers.get('cache-control')];
  };
  const built = (name: string, ending: string) => new RegExp(`assets/${name}-\\w+\\.${ending}`).exec(html)![0];
  const permanent = 'public, max-age=31536000, immutable';
  assert.deepEqual(await typeOf(built('docs', 'js')), [
    200,
    'application/javascript; charset=utf-8',
    'gzip',
    permanent,
  ]);
  assert.deepEqual(await typeOf(built('style', 'css')), [200, 'text/css; charset=utf-8', 'gzip', permanent]);
  assert.deepEqual(await typeOf(built('search', 'json')), [200, 'application/json; charset=utf-8', 'gzip', permanent]);
  assert.deepEqual(await typeOf('images/domain.png'), [200, 'image/png', null, 'no-cache']);
  assert.deepEqual(await typeOf('operations.md'), [200, 'text/markdown; charset=utf-8', null, 'no-cache']);
  assert.deepEqual(await typeOf('examples/proxies/Caddyfile.txt'), [
    200,
    'text/plain; charset=utf-8',
    null,
    'no-cache',
  ]);
});

test('addresses without their slash are completed, missing pages are 404 below the right path', async () => {
  for (const [path, target] of [
    ['/docs', '/mail/docs/'],
    ['/docs/guide', '/mail/docs/guide/'],
  ]) {
    const answer = await fetch(base + path, { redirect: 'manual' });
    assert.deepEqual([answer.status, answer.headers.get('location')], [301, target]);
  }
  for (const path of ['/docs/none', '/docs/guide/none/deeper', '/docs/assets/none.js', '/docs/.sources']) {
    const answer = await fetch(base + path);
    assert.equal(answer.status, 404, path);
    const text = await answer.text();
    assert.match(text, /Page not found/);
    for (const { addresses } of elementsOf(text))
      for (const address of addresses) assert.match(address, /^(\/mail\/(docs|app)\/|#)/, `${path}: ${address}`);
  }
});

test('no path leads out of the folder of the site', async () => {
  const { hostname, port } = new URL(base);
  // fetch() takes dots out of a path; this does not.
  const status = (path: string) =>
    new Promise<number>((resolve, reject) => {
      request({ hostname, port, path }, (answer) => {
        answer.resume();
        resolve(answer.statusCode!);
      })
        .on('error', reject)
        .end();
    });
  for (const path of [
    '/docs/../../package.json',
    '/docs/%2e%2e/%2e%2e/package.json',
    '/docs/..%2f..%2fpackage.json',
    '/docs/..%5c..%5cpackage.json',
    '/docs/guide/../../../package.json',
    '/docs//etc/passwd',
    '/docs/%2fetc%2fpasswd',
    '/docs/assets/..%2f.sources',
  ])
    assert.ok([400, 403, 404].includes(await status(path)), `${path}: ${await status(path)}`);
});

test('where details are not public, the documentation is for signed-in users', async () => {
  const closed = await testApp({ PUBLIC_DETAILS: 'no' });
  try {
    const address = await closed.listen();
    assert.equal((await fetch(`${address}/docs/`)).status, 404);
    assert.equal((await fetch(`${address}/docs/changelog.md`)).status, 404);
  } finally {
    await closed.close();
  }
});

test('the search finds the guide first, and marks no words that every page has', async () => {
  await onPage('/docs/', {}, async (page) => {
    await page.keyboard.press('/');
    await page.keyboard.type('double opt-in');
    await page.locator('.found a').first().waitFor();
    assert.match(
      await page.locator('.found strong').first().textContent().then(String),
      /^Sign-up forms › Double opt-in/,
    );
    const marks = await page.locator('.found mark').allTextContents();
    assert.ok(!marks.some((mark) => mark.toLowerCase() === 'in'), marks.join());
    // A short word matches whole words only.
    assert.ok(!marks.some((mark) => /^option/i.test(mark)), marks.join());
  });
});

test('the search finds DKIM, by keyboard, and violates no policy', async () => {
  await onPage('/docs/', {}, async (page) => {
    await page.keyboard.press('/');
    await page.keyboard.type('DKIM');
    await page.locator('.found a').first().waitFor();
    assert.match(await page.locator('.found [role="status"]').textContent().then(String), /^\d+ results$/);
    const titles = await page.locator('.found strong').allInnerTexts();
    assert.ok(
      titles.some((title) => title.startsWith('Deliverability')),
      titles.join('\n'),
    );
    assert.match((await page.locator('.found mark').first().textContent())!, /dkim/i);
    await noSidewaysScroll(page, 390);
    await page.keyboard.press('ArrowDown');
    const [target] = await page
      .locator('.found a')
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
    await page.keyboard.press('Enter');
    await page.waitForURL(target!);
    assert.match(await page.locator('main').textContent().then(String), /DKIM/);
  });
});

test('a search for a phrase finds a guide first, and marks whole words', async () => {
  await onPage('/docs/', {}, async (page) => {
    await page.locator('#search').fill('double opt-in');
    await page.locator('.found a').first().waitFor();
    const paths = await page
      .locator('.found a')
      .evaluateAll((links) => links.map((link) => new URL((link as HTMLAnchorElement).href).pathname));
    assert.match(paths[0]!, /\/docs\/guide\//, paths.join('\n'));
    const isRecord = (path: string) => /\/docs\/(changelog|decisions\/)/.test(path);
    const firstRecord = paths.findIndex(isRecord);
    const lastGuide = paths.findLastIndex((path) => path.includes('/docs/guide/'));
    const firstInner = paths.findIndex((path) => /\/docs\/(architecture|flows)\b/.test(path));
    assert.ok(firstInner > lastGuide, `what is inside comes after guides:\n${paths.join('\n')}`);
    assert.ok(firstRecord < 0 || firstRecord > lastGuide, `records come after guides:\n${paths.join('\n')}`);
    const marked = await page
      .locator('.found span')
      .evaluateAll((spans) =>
        spans.flatMap((span) =>
          [...span.querySelectorAll('mark')].map(
            (mark) =>
              `${mark.previousSibling?.textContent?.slice(-1) ?? ''}|${mark.textContent}|${mark.nextSibling?.textContent?.slice(0, 1) ?? ''}`,
          ),
        ),
      );
    assert.ok(marked.length > 0);
    for (const mark of marked) assert.doesNotMatch(mark, /^[a-z]\||\|[a-z]$/i, 'a part of a word is marked');
  });
});

test('a search that finds nothing says so, and Escape closes it', async () => {
  await onPage('/docs/guide/webhooks', {}, async (page) => {
    await page.locator('#search').fill('zzzyyyxxx');
    await page.getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.found').isVisible(), false);
  });
});

test('pages are accessible and fit a phone, in light and dark', async () => {
  for (const path of ['/docs/', '/docs/operations', '/docs/api/campaignCreate', '/docs/none'])
    for (const colorScheme of ['light', 'dark'] as const)
      await onPage(path, { colorScheme }, async (page) => {
        await page.evaluate(`${axeSource}; undefined`);
        const found = await page.evaluate(`axe.run(document, { resultTypes: ['violations'] })`);
        const { violations } = found as { violations: { id: string; nodes: { html: string }[] }[] };
        const words = violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join('\n')}`,
        );
        assert.deepEqual(words, [], `${path} in ${colorScheme}`);
        await noSidewaysScroll(page, 390);
        if (process.env.PICTURES === undefined) return;
        const name = `${pictures}/docs${path.replaceAll('/', '-')}-${colorScheme}`;
        await page.screenshot({ path: `${name}.png` });
        await page.setViewportSize({ width: 390, height: 844 });
        await page.screenshot({ path: `${name}-phone.png` });
      });
});

test('the first page has a card for each kind of reader and for the pages that are read most', async () => {
  for (const width of [1440, 390])
    await onPage('/docs/', { viewport: { width, height: 900 } }, async (page) => {
      const readers = page.locator('.readers > li');
      assert.deepEqual(await readers.locator('h3').allTextContents(), [
        'Write and send',
        'Connect programs',
        'Run a server',
      ]);
      const boxes = await readers.evaluateAll((cards) => cards.map((card) => card.getBoundingClientRect().toJSON()));
      const [first, second] = boxes as DOMRect[];
      assert.equal(second!.top === first!.top, width === 1440, 'beside each other where there is room');
      if (width === 1440)
        assert.ok(
          boxes.every(({ bottom }: DOMRect) => bottom < 900),
          'seen at once',
        );
      assert.equal(await page.locator('.read-most > li > a').count(), 8);
      // All of a card is its link.
      const card = page.locator('.read-most > li').first();
      await card.click({ position: { x: 8, y: ((await card.boundingBox())?.height ?? 0) - 6 } });
      await page.waitForURL('**/docs/guide/deliverability');
    });
});

test('light or dark is the choice of the web application, and can be changed here', async () => {
  await onPage('/docs/', { colorScheme: 'light' }, async (page) => {
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.getByRole('button', { name: 'Dark' }).click();
    assert.notEqual(await ground(), light);
    await page.reload();
    assert.notEqual(await ground(), light);
    assert.equal(await page.evaluate(() => localStorage.getItem('postrider-scheme')), 'dark');
  });
});

test('on a phone the list of pages opens and closes, and without a script it is there', async () => {
  const viewport = { width: 390, height: 844 };
  await onPage('/docs/guide/webhooks', { viewport }, async (page) => {
    const sections = page.getByRole('navigation', { name: 'Documentation' });
    assert.equal(await sections.isVisible(), false);
    await page.getByRole('button', { name: 'Menu' }).click();
    assert.equal(await sections.isVisible(), true);
    await page.keyboard.press('Escape');
    assert.equal(await sections.isVisible(), false);
  });
  await onPage('/docs/guide/webhooks', { viewport, javaScriptEnabled: false }, async (page) => {
    assert.equal(await page.getByRole('navigation', { name: 'Documentation' }).isVisible(), true);
    assert.equal(await page.locator('#search').isVisible(), false);
  });
});

/** Does something on a page of the documentation, and expects no error of scripts and nothing that the policy refuses. */
async function onPage(path: string, options: BrowserContextOptions, act: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  try {
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !(path === '/docs/none' && /status of 404/.test(message.text())))
        errors.push(message.text());
    });
    const answer = await page.goto(base + path);
    const policy = answer!.headers()['content-security-policy']!;
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'/);
    await act(page);
    assert.deepEqual(errors, []);
  } finally {
    await context.close();
  }
}

type Element = { id: string | undefined; addresses: string[] };

function elementsOf(html: string): Element[] {
  type Node = { attrs?: { name: string; value: string }[]; childNodes?: Node[] };
  const found: Element[] = [];
  const walk = ({ attrs = [], childNodes = [] }: Node) => {
    const at = (name: string) => attrs.find((attribute) => attribute.name === name)?.value;
    found.push({
      id: at('id'),
      addresses: ['href', 'src', 'data-search', 'data-root'].flatMap((name) => at(name) ?? []),
    });
    childNodes.forEach(walk);
  };
  walk(parse(html) as unknown as Node);
  return found;
}
