// Every screen there is, with an account in which everything is filled: nothing that axe finds, in light and dark, wide
// and as on a phone, and nothing that reaches over the side. Which screens there are is asked of the application's own
// router, so that a new one without a visit here fails.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { tabs as listTabs } from '../../ui/src/screens/lists/tabs.ts';
import { tabs as reportTabs } from '../../ui/src/screens/report/tabs.ts';
import { tabs as webhookTabs } from '../../ui/src/screens/webhooks/tabs.ts';
import { type DemoUi, startDemo } from './demo.ts';
import { axe, noErrors, noSidewaysScroll, screenshots, settled } from './support.ts';

let ui: DemoUi;
before(async () => {
  ui = await startDemo();
});
after(() => ui?.close());

/** The addresses at which each screen is looked at; of screens in tabs, each tab. */
function visits(): Record<string, string[]> {
  const { ids, contact, domain } = ui;
  return {
    '/': ['/'],
    '/$': ['/nowhere'],
    '/home': ['/home'],
    '/campaigns': ['/campaigns'],
    '/campaigns/new': ['/campaigns/new'],
    '/campaigns/$id': [
      ...reportTabs.map((tab) => `/campaigns/${ids.sent}?tab=${tab}`),
      ...[ids.sending, ids.scheduled, ids.auto].map((id) => `/campaigns/${id}`),
    ],
    '/campaigns/$id/edit': [ids.draft, ids.auto].map((id) => `/campaigns/${id}/edit`),
    '/lists': ['/lists'],
    '/lists/new': ['/lists/new'],
    '/lists/$id': listTabs.map((tab) => `/lists/${ids.list}?tab=${tab}`),
    '/lists/$id/import/$import': [`/lists/${ids.list}/import/${ids.import}`],
    '/lists/$id/form': [`/lists/${ids.list}/form`],
    '/contacts/$email': [`/contacts/${contact}`],
    '/templates': ['/templates'],
    '/templates/$id': [`/templates/${ids.template}`],
    '/webhooks': ['/webhooks'],
    '/webhooks/new': ['/webhooks/new'],
    '/webhooks/$id': webhookTabs.map((tab) => `/webhooks/${ids.webhook}?tab=${tab}`),
    '/settings': ['/settings'],
    ...Object.fromEntries(
      ['account', 'security', 'people', 'keys', 'domains', 'relays', 'suppression', 'audit', 'data'].map((name) => [
        `/settings/${name}`,
        [`/settings/${name}`],
      ]),
    ),
    '/settings/domains/$domain': [`/settings/domains/${domain}`],
    '/api': ['/api'],
    '/api/$method': ['campaignCreate', 'listBatchSubscribe', 'webhookAttempts'].map((method) => `/api/${method}`),
    '/inbox': ['/inbox'],
    '/inbox/$id': ['shown', 'text', 'headers', 'source'].map((view) => `/inbox/1?view=${view}`),
    '/sign-in': ['/sign-in'],
    '/first-run': ['/first-run'],
    '/forgotten': ['/forgotten'],
    '/reset': ['/reset#somebody'],
    '/invite': ['/invite#somebody'],
  };
}

/** These are for somebody who is not signed in. */
const outside = new Set(['/sign-in', '/first-run', '/forgotten', '/reset', '/invite']);

test('every screen is visited by this test', async () => {
  await ui.open('/home');
  const routes = await ui.page.evaluate(() => {
    const { __TSR_ROUTER__: router } = globalThis as unknown as { __TSR_ROUTER__: { routesByPath: object } };
    return Object.keys(router.routesByPath);
  });
  assert.ok(routes.length > 35, `${routes}`);
  assert.deepEqual(Object.keys(visits()).sort(), routes.sort());
});

test('no screen has anything that axe finds or that reaches over the side, in light and dark, wide and narrow', async (t) => {
  const stranger = await ui.visitor();
  const wrong: string[] = [];
  let seen = 0;
  for (const [route, addresses] of Object.entries(visits()))
    for (const address of addresses) {
      const page = outside.has(route) ? stranger : ui.page;
      // From one address to another that differs behind the # only, nothing would be loaded.
      await page.goto('about:blank');
      await ui.open(address, page);
      await openAll(page);
      const note = (error: unknown) => void wrong.push(`${address}: ${(error as Error).message.slice(0, 1_500)}`);
      await axe(page, `${address}, wide`).catch(note);
      for (const width of [360, 390]) await noSidewaysScroll(page, width).catch(note);
      await page.setViewportSize({ width: 360, height: 740 });
      await axe(page, `${address}, narrow`).catch(note);
      await page.setViewportSize({ width: 1280, height: 800 });
      if (process.env['PICTURES']) await screenshots(page, `all${address.replaceAll(/\W+/g, '-')}`);
      seen += 1;
    }
  assert.deepEqual(wrong, [], wrong.join('\n\n'));
  noErrors(ui.page);
  noErrors(stranger);
  t.diagnostic(`${seen} addresses`);
});

/** What folds within the composer is opened. */
async function openAll(page: Page): Promise<void> {
  const folded = page.locator('section[id^="section-"] h2 button[aria-expanded="false"]');
  while ((await folded.count()) > 0) {
    await folded.first().click();
    await settled(page);
  }
}
