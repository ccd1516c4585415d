// Hostile newsletters, hostile values and hostile subjects in a real browser: the archive page, the view in the browser
// and the index run no script. The same pages without our headers do run them: that is how the test knows that its
// canary sings. Values and subjects must be harmless even without the headers.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../../src/campaigns/templates/chromium.ts';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { launch } from '../../src/delivery/launch/launch.ts';
import { tokensOf } from '../../src/tracking/token-secret.ts';
import { testChromium } from '../support/browser/chromium.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { hostilePages, hostileValues } from '../support/samples/scripts.ts';

let app: TestApp;
let base: string;
let list: string;
let browser: Browser;
let page: Page;
/** What ran: calls of the canary, dialogs, messages on the console, pages gone to. */
let ran: string[] = [];
/** Serves pages by their number, without the security headers of the program. */
let bare: Server;
let bareUrl: string;
const bareHtml: string[] = [];
let wentElsewhere = 0;
/** Requests that only a script, frame or form of a page behind our headers can have made. */
let neverAsked = 0;

before(async () => {
  app = await testApp();
  base = await app.listen();
  bare = createServer((request, response) => {
    if (request.url?.startsWith('/elsewhere')) wentElsewhere += 1;
    if (request.url?.startsWith('/never')) neverAsked += 1;
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(bareHtml[Number(request.url?.slice('/bare/'.length))] ?? '');
  });
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
  bareUrl = `http://127.0.0.1:${(bare.address() as AddressInfo).port}`;
  list = await app.call<string>('listCreate', { title: 'Letter' });
  browser = await launchChromium(await testChromium(), {
    args: [
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-site-isolation-trials',
    ],
  });
  const context = await browser.newContext();
  await context.exposeBinding('canary', (_source, what: unknown) => void ran.push(`canary ${String(what)}`));
  // A link that is clicked may lead to another site; the browser stays where it is.
  await context.route(
    (url) => url.hostname !== '127.0.0.1',
    (route) => (route.request().isNavigationRequest() ? route.fulfill({ status: 204 }) : route.abort()),
  );
  context.on('page', watch);
  page = await context.newPage();
});
after(async () => {
  await browser?.close();
  await new Promise((resolve) => bare.close(resolve));
  await app.close();
});

function watch(opened: Page): void {
  opened.on('dialog', (dialog) => {
    ran.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  opened.on('console', (message) => {
    if (message.text().startsWith('canary')) ran.push(message.text());
  });
}

/** A test that reports what it looked at. */
const withBrowser = (name: string, run: () => Promise<string>) =>
  test(name, async (context) => context.diagnostic(await run()));

/** What runs on a page when it is opened, its parts are pointed at, and what can be clicked is clicked. */
async function opened(url: string, click: 'mouse' | 'event' = 'mouse'): Promise<string[]> {
  ran = [];
  await go(url);
  await page.waitForTimeout(20);
  if (!page.url().startsWith(url)) ran.push(`went to ${page.url()} without a click`);
  const targets = await page.locator('#x').all();
  for (const target of targets) {
    await target.dispatchEvent('mouseover', undefined, { timeout: 200 }).catch(() => {});
    if (click === 'mouse') await target.click({ force: true, noWaitAfter: true, timeout: 200 }).catch(() => {});
    else await target.dispatchEvent('click', undefined, { timeout: 200 }).catch(() => {});
  }
  await page.waitForTimeout(30);
  const found = ran;
  // What a click has set off may still be on its way: it must not run into the next page.
  if (targets.length > 0) await go('about:blank');
  return found;
}

/** Opens a page, also when what the last one has set off comes in between. */
async function go(url: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await page.goto(url, { waitUntil: 'load' });
      return;
    } catch (error) {
      if (tries > 40 || !String(error).includes('interrupted')) throw error;
      await sleep(50);
    }
  }
}

/** The same of a page that is served without our headers. */
function openedBare(html: string, click: 'mouse' | 'event' = 'mouse'): Promise<string[]> {
  return opened(`${bareUrl}/bare/${bareHtml.push(html) - 1}`, click);
}

/** A launched campaign: its pages, and the tokens of its recipients in the order of their addresses. */
async function sent(html: string, subject: string, plain = 'x') {
  const { db } = app.app;
  const type = html === '' ? 'plain' : 'html';
  const row = (await db.row<{ id: number; web_id: number; archive_key: string }>(sql`
    insert into campaign (account_id, type, status, title, subject, from_name, reply_to, html, plain, track_opens)
    values (${app.account.id}, ${type}, 'launching', ${subject}, ${subject}, ${subject}, 'us@example.com', ${html}, ${plain}, false)
    returning id, web_id, archive_key`))!;
  await db.run(sql`
    insert into campaign_list (account_id, campaign_id, list_id, position) values (${app.account.id}, ${row.id}, ${parseId(list)}, 0)`);
  await launch(app.app, { account: app.account.id, campaign: row.id });
  const recipients = await db.rows<{ seq: number; contact: number }>(sql`
    select seq, contact_id as contact from delivery where campaign_id = ${row.id} order by email`);
  const views = recipients.map(({ seq, contact }) => {
    const ids = { account: app.account.id, campaign: row.id, seq, contact, lists: [parseId(list)] };
    return `${base}/v/${tokensOf(app.app).tokens(ids).view}`;
  });
  return { archive: `${base}/archive/${row.web_id}-${row.archive_key}`, views };
}

test('both pages with foreign HTML are sandboxed without scripts, and their type is never guessed', async () => {
  await app.call('listSubscribe', { id: list, email_address: 'a000@example.com', double_optin: false });
  const { archive, views } = await sent('<script>canary(1)</script>', 's');
  for (const url of [archive, views[0]!]) {
    const { headers } = await fetch(url);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /(?:^|; *)sandbox(?: [a-z -]*)?(?:;|$)/);
    assert.doesNotMatch(policy, /allow-scripts|allow-same-origin|allow-forms|allow-top-navigation|script-src/);
    assert.match(policy, /default-src 'none'/);
    assert.match(headers.get('content-type') ?? '', /^text\/html; charset=utf-8$/);
  }
});

withBrowser('hostile pages run 0 scripts in the archive and in the browser’s view', async () => {
  assert.ok(hostilePages.length >= 60, String(hostilePages.length));
  let sang = 0;
  for (const [n, hostile] of hostilePages.entries()) {
    const html = `<!doctype html><body>${hostile}`;
    const went = wentElsewhere;
    const elsewhere = (n: number) => html.replaceAll('ELSEWHERE', `${bareUrl}/elsewhere/${n}`);
    if ((await openedBare(elsewhere(n))).length > 0 || wentElsewhere > went) sang += 1;
    const { archive, views } = await sent(html.replaceAll('ELSEWHERE', `${bareUrl}/never`), `Page ${n}`);
    for (const url of [archive, views[0]!]) assert.deepEqual(await opened(url), [], `${url.slice(22, 25)} ${hostile}`);
  }
  assert.equal(neverAsked, 0, 'requests that a page of ours set off');
  assert.ok(sang >= 40, `only ${sang} of ${hostilePages.length} pages ran anything without our headers`);
  return `${hostilePages.length} pages, ${sang} of which run something elsewhere; in ${hostilePages.length * 2} visits here: 0`;
});

withBrowser('hostile values and subjects are harmless even without the headers', async () => {
  for (const [n, value] of hostileValues.entries()) {
    await app.call('listSubscribe', {
      id: list,
      email_address: `b${String(n).padStart(3, '0')}@example.com`,
      merge_vars: { FNAME: value },
      double_optin: false,
    });
  }
  const everywhere = `<!doctype html><title>*|FNAME|*</title><style>.a{content:"*|FNAME|*"}</style><body class=*|FNAME|*>
<p id=x title="*|FNAME|*" style="background:url(*|FNAME|*)">*|FNAME|*</p><a id=x href="*|FNAME|*">a</a>
<a id=x href="https://a.example/?*|FNAME|*#*|FNAME|*">b</a><a id=x href='javascript:void("*|FNAME|*")'>c</a>
<img src="*|FNAME|*" alt='*|FNAME|*' onerror="void('*|FNAME|*')"><script>void '*|FNAME|*'</script><!-- *|FNAME|* -->
<svg><a id=x href="*|FNAME|*"><text y="20">*|FNAME|*</text></a></svg><textarea>*|FNAME|*</textarea>`;
  const { views } = await sent(everywhere, 'Values');
  assert.equal(views.length, hostileValues.length + 1);
  for (const [n, value] of hostileValues.entries()) {
    assert.deepEqual(await openedBare(await body(views[n + 1]!), 'event'), [], `value: ${value}`);
    const { archive } = await sent('', value, value);
    assert.deepEqual(await openedBare(await body(archive), 'event'), [], `subject: ${value}`);
  }
  await app.app.db.run(sql`update campaign set status = 'sent'`);
  const lists = await app.call<{ id: string }[]>('lists');
  const list_ids = lists.map(({ id }) => id);
  const { url } = await app.call<{ url: string }>('archiveUpdate', { on: true, list_ids });
  assert.deepEqual(await opened(url), []);
  const index = await body(url);
  assert.ok(index.includes('&lt;svg/onload'), 'the index names the last subjects');
  assert.deepEqual(await openedBare(index), [], 'the index without headers');
  return `${hostileValues.length} values and as many subjects: 0`;
});

const body = async (url: string) => (await fetch(url)).text();
