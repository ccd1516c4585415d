// An installation below a path of its host, in a browser behind a reverse proxy: from signing in to a campaign and back through all
// pages of recipients. The proxy takes the path off every second request, because both kinds of proxy have to work.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noErrors, owner, pageErrors, settled, startUi, type Ui } from '../support/browser/ui.ts';
import { pictures } from '../support/builders/archives.ts';
import type { InProcess } from '../support/installation/in-process.ts';
import { clientSecret, type IdentityProvider, startIdentityProvider } from '../support/network/identity-provider.ts';
import { type PathProxy, startPathProxy } from '../support/network/path-proxy.ts';

let ui: Ui;
let proxy: PathProxy;
let provider: IdentityProvider;
let shop: Awaited<ReturnType<typeof otherSite>>;
before(async () => {
  provider = await startIdentityProvider();
  shop = await otherSite();
  proxy = await startPathProxy('/mail', {
    target: () => (ui.installation as InProcess).listening,
    strips: (request) => request % 2 === 0,
  });
  ui = await startUi({
    BASE_URL: proxy.url,
    OUTBOUND_ALLOW: '127.0.0.1',
    // The browser signs in by the screen, not before.
    SETUP_PASSWORD: owner.password,
    OIDC_PROVIDERS: JSON.stringify([
      {
        id: 'company',
        label: 'Example Ltd',
        issuer: provider.issuer,
        client_id: 'postrider',
        client_secret: clientSecret,
        scopes: 'openid email profile groups',
        create: true,
        groups: [{ group: 'mailing', role: 'editor' }],
      },
    ]),
  });
  provider.open(proxy.url);
});
after(async () => {
  await ui?.close();
  await proxy?.close();
  await shop?.close();
  await provider?.close();
});

/** A site of someone else: its pages are set by the test, and it notes what is asked of it. */
async function otherSite() {
  const site = { page: '', asked: [] as string[], url: '', close: async () => {} };
  const server = createServer((request, response) => {
    site.asked.push(request.url!);
    response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end(
        `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><h1>Shop</h1>${site.page}`,
      );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  site.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  site.close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return site;
}

/** Everything that was asked for was below the path, and existed. A browser asks for an icon of the whole host on its own. */
function nothingMissed(): void {
  const missed = proxy.passed.filter(
    ({ path, status }) => path !== '/favicon.ico' && (!/^\/mail(?:\/|\?|$)/.test(path) || status === 404),
  );
  assert.deepEqual(missed, []);
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Email address').fill(owner.email);
  await page.getByLabel('Password', { exact: true }).fill(owner.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const call = <T>(method: string, params: Record<string, unknown> = {}) => ui.installation.call<T>(method, params);
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

test('an owner signs in, uploads a picture, writes and sends a campaign, and reads it in the inbox', async () => {
  const { page } = ui;
  await page.goto(`${proxy.url}/`);
  await page.waitForURL(`${proxy.url}/app/sign-in**`);
  await signIn(page);
  await page.waitForURL(`${proxy.url}/app/home`);
  await settled(page);
  const cookies = await page.context().cookies();
  assert.deepEqual([...new Set(cookies.map(({ path }) => path))], ['/mail']);

  const list = await call<string>('listCreate', { title: 'Letters from the lake' });
  await call('listSubscribe', { id: list, email_address: 'reader@example.com', double_optin: false });
  await ui.open('/settings/brand');
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: pictures.png });
  await page.getByRole('img', { name: 'Logo' }).waitFor();
  await button(page, 'Save').click();
  await page.getByText(/^Brand saved/).waitFor();

  await page.getByRole('navigation').getByRole('link', { name: 'Campaigns', exact: true }).click();
  await page.getByRole('link', { name: 'New campaign' }).first().click();
  await page.getByRole('textbox', { name: 'Subject' }).fill('News of the lake');
  await button(page, 'Continue').click();
  await page.waitForURL(`${proxy.url}/app/campaigns/*/edit`);
  await settled(page);
  const cid = /campaigns\/([0-9a-f]{8})/.exec(page.url())![1]!;
  const { logo_url } = await call<{ logo_url: string }>('brandGet');
  assert.ok(logo_url.startsWith(`${proxy.url}/asset/`), logo_url);
  await call('campaignUpdate', {
    cid,
    name: 'content',
    value: {
      html: `<h1>The lake</h1><img src="${logo_url}" alt="Heron"><p><a href="${shop.url}/news">The news</a> <a href="*|ARCHIVE|*">Online</a> <a href="*|UPDATE_PROFILE|*">Choices</a> <a href="*|UNSUB|*">Leave</a></p>`,
    },
  });
  await page.goto(`${proxy.url}/app/campaigns/${cid}/edit`);
  await settled(page);
  await button(page, 'Review').click();
  await page.locator('#section-send').waitFor();
  await settled(page);
  await page
    .locator('#section-send')
    .getByRole('button', { name: /^Send to 1 / })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: /^Send/ }).click();
  await page.waitForURL(`${proxy.url}/app/campaigns/${cid}`, { timeout: 60_000 });
  await ui.installation.until('it is sent', async () => {
    const [campaign] = await call<{ emails_sent: number }[]>('campaigns');
    return campaign?.emails_sent === 1;
  });

  await page.getByRole('navigation').getByRole('link', { name: 'Inbox' }).click();
  await page.getByRole('link', { name: /News of the lake/ }).click();
  const frame = page.frameLocator('iframe[title="Preview of the email"]');
  const picture = frame.getByRole('img', { name: 'Heron' });
  await picture.waitFor();
  await ui.installation.until('the picture is shown', () =>
    picture.evaluate((element: HTMLImageElement) => element.complete && element.naturalWidth > 0),
  );
  for (const screen of [
    '/templates',
    '/api',
    '/forms',
    '/settings/security',
    `/lists/${list}/import`,
    `/campaigns/${cid}/report`,
  ])
    await ui.open(screen);
  // The reader has not asked for remote images: only the stored one is shown.
  const errors = (pageErrors.get(page) ?? []).filter((error) => !/^Loading the image '[^']+\/mail\/o\//.test(error));
  assert.deepEqual(errors, []);
  nothingMissed();
});

test('a recipient opens, clicks, reads online, changes its choices, leaves and comes back', async () => {
  const visitor = await ui.visitor();
  const [{ id }] = (await call<{ id: string }[]>('inboxMessages', { limit: 1 })) as [{ id: string }];
  const [message] = await call<{ html: string; source: string }[]>('inboxMessages', { id });
  const { html, source } = message!;
  const addresses = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address]) => address!);
  assert.ok(addresses.length >= 6, html);
  for (const address of addresses) assert.ok(address.startsWith(`${proxy.url}/`), address);
  const link = (words: string) => new RegExp(`href="([^"]+)"[^>]*>${words}<`).exec(html)![1]!;

  await visitor.goto(link('The news'));
  assert.equal(visitor.url(), `${shop.url}/news`);
  for (const address of addresses.filter((address) => /\/(?:o|asset)\//.test(address)))
    assert.equal((await visitor.request.get(address)).status(), 200, address);
  await visitor.goto(link('Online'));
  await visitor.getByRole('heading', { name: 'The lake' }).waitFor();

  await visitor.goto(link('Choices'));
  await visitor.getByRole('img', { name: 'Test organisation' }).or(visitor.locator('header img')).first().waitFor();
  await visitor.getByLabel('Pause').or(visitor.locator('select[name="PAUSE"]')).first().selectOption('1');
  await visitor.getByRole('button', { name: 'Save' }).click();
  await visitor.getByRole('status').waitFor();

  const leave = link('Leave');
  await visitor.goto(leave);
  await visitor.getByRole('link').last().click();
  assert.match(visitor.url(), /\/mail\/p\//);
  await visitor.goto(leave);
  await visitor.getByRole('button').click();
  await visitor.getByRole('heading', { name: 'You have been unsubscribed' }).waitFor();
  await visitor.getByRole('button').click();
  await visitor.getByRole('heading', { name: 'You are subscribed' }).waitFor();
  assert.match(visitor.url(), /\/mail\/u\/[^/]+\/back$/);

  const oneClick = /^List-Unsubscribe: <([^>]+)>/im.exec(source.replace(/\r?\n[ \t]+/g, ''))![1]!;
  assert.ok(oneClick.startsWith(`${proxy.url}/u/`), oneClick);
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
  assert.equal((await fetch(oneClick, { method: 'POST', body })).status, 200);
  const lists = await call<{ id: string }[]>('lists');
  const list_ids = lists.map(({ id }) => id);
  const { url } = await call<{ url: string }>('archiveUpdate', { on: true, list_ids });
  await visitor.goto(url);
  await visitor.getByRole('link', { name: 'News of the lake' }).click();
  await visitor.getByRole('heading', { name: 'The lake' }).waitFor();
  assert.equal((await fetch(`${url}/feed.xml`)).status, 200);
  noErrors(visitor);
  nothingMissed();
});

test('a visitor signs up by the page of a form and by one on another site, and confirms', async () => {
  const visitor = await ui.visitor();
  const [{ id: list }] = (await call<{ id: string }[]>('lists')) as [{ id: string }];
  await call('listFormUpdate', { id: list, options: { origins: [shop.url] } });
  const form = await call<{ url: string; inline_html: string }>('listForm', { id: list });
  assert.ok(form.url.startsWith(`${proxy.url}/subscribe/`));

  shop.page = form.inline_html;
  await visitor.goto(shop.url);
  await visitor.getByRole('textbox', { name: /^Email/ }).fill('inline@example.com');
  await visitor.getByRole('checkbox').check();
  await visitor.getByRole('button').click();
  await visitor.getByRole('status').waitFor();
  assert.equal(new URL(visitor.url()).origin, shop.url, 'the visitor stays on the page');

  await visitor.goto(form.url);
  await visitor.getByRole('textbox', { name: /^Email/ }).fill('hosted@example.com');
  await visitor.getByRole('checkbox').check();
  await visitor.waitForTimeout(1_600);
  await visitor.getByRole('button').click();
  await visitor.getByRole('status').waitFor();

  const mail = async () => {
    const messages = await call<{ id: string; to: string }[]>('inboxMessages', { limit: 10 });
    return messages.find(({ to }) => String(to).includes('hosted@example.com'));
  };
  await ui.installation.until('the confirmation arrives', async () => (await mail()) !== undefined);
  const [{ html }] = (await call<{ html: string }[]>('inboxMessages', { id: (await mail())!.id })) as [
    { html: string },
  ];
  await visitor.goto(/href="([^"]+\/confirm\/[^"]+)"/.exec(html)![1]!);
  await visitor.getByRole('button').click();
  await ui.installation.until('confirmed', async () => {
    const member = await call<{ status: string }>('listMemberInfo', { id: list, email_address: 'hosted@example.com' });
    return member.status === 'subscribed';
  });
  noErrors(visitor);
  nothingMissed();
});

test('a person of an identity provider and one with a passkey come back to the page they asked for', async () => {
  provider.people.set('ada', {
    sub: 'ada',
    email: 'ada@example.com',
    email_verified: true,
    groups: ['mailing'],
  });
  const ada = await ui.visitor();
  await ada.route(`${provider.issuer}/**`, (route) =>
    route.continue({ headers: { ...route.request().headers(), 'x-person': 'ada' } }),
  );
  await ui.open('/lists?q=lake', ada);
  await button(ada, 'Continue with Example Ltd').click();
  await ada.waitForURL(`${proxy.url}/app/lists?q=lake`);
  await settled(ada);
  noErrors(ada);

  const page = await ui.member();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await ui.open('/settings/security', page);
  await button(page, 'Add a passkey').click();
  await page.getByRole('dialog').getByLabel('Name').fill('Laptop');
  await page.getByRole('dialog').getByRole('button', { name: 'Next' }).click();
  await button(page, 'Rename Laptop').waitFor();
  await page.context().clearCookies();
  // The address field offers the passkey, and its owner chooses it.
  await page.goto(`${proxy.url}/app/campaigns?q=lake`);
  await page.waitForURL(`${proxy.url}/app/campaigns?q=lake`);
  await settled(page);
  noErrors(page);
  nothingMissed();
});

test('at the port of the program itself, the application leads to its own path', async () => {
  const visitor = await ui.visitor();
  const { listening } = ui.installation as InProcess;
  await visitor.goto(`${listening}/app/inbox`);
  await visitor.waitForURL(`${listening}/mail/app/sign-in**`);
  noErrors(visitor);
});
