// Browser test of recurring campaigns: from the address of a site to a feed with its items, a preview, an issue that is approved and
// sent, and the next one in which nothing is new.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import {
  axe,
  eventually,
  noErrors,
  noSidewaysScroll,
  screenshots,
  settled,
  shows,
  uiTest,
} from '../support/browser/ui.ts';
import { item, rss } from '../support/samples/feeds/sample.ts';

let server: Server;
let site: string;
let home = 'https://old.example';
let titles = ['Lamps on the pier', 'Tide tables'];

const ui = uiTest({ OUTBOUND_ALLOW: '127.0.0.0/8' }, async () => {
  server = createServer((request, response) => {
    if (request.url === '/feed.xml')
      return void response
        .writeHead(200, { 'content-type': 'application/rss+xml' })
        .end(
          rss(
            titles
              .map((title, i) =>
                item(
                  `<title>${title}</title><link>https://site.example/${i}</link><guid isPermaLink="false">${title}</guid><author>mara@site.example (Mara)</author><pubDate>${20 - i} Nov 2026 09:00:00 GMT</pubDate><description>About ${title}.</description>`,
                ),
              )
              .join(''),
          ),
        );
    if (request.url === '/moving.xml')
      return void response
        .writeHead(200, { 'content-type': 'application/rss+xml' })
        .end(
          rss(
            ['Lamps on the pier', 'Tide tables']
              .map((title, i) => item(`<title>${title}</title><link>${home}/${i}</link>`))
              .join(''),
          ),
        );
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(
        '<!doctype html><head><link rel="alternate" type="application/rss+xml" href="/feed.xml"></head><body>Hi</body>',
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server?.closeAllConnections();
  server?.close();
});

type Info = { status: string; source_url: string; schedule: object; next_at: string };

test('from the address of a site to an issue that is approved and sent', async () => {
  const { page, installation } = ui;
  await ui.open('/recurring');
  await page.getByRole('heading', { name: 'No recurring campaigns yet' }).waitFor();
  await axe(page, 'recurring campaigns, empty');
  await page.getByRole('link', { name: 'New recurring campaign' }).first().click();
  await page.getByText('needs a list').waitFor();
  const list = await installation.call<string>('listCreate', { title: 'Readers' });
  await installation.call('listSubscribe', { id: list, email_address: 'ada@example.com', double_optin: false });
  await ui.open('/recurring/new');

  // What is missing is named next to its field.
  await page.getByRole('button', { name: 'Create recurring campaign' }).click();
  await page.getByText('Enter a name.').waitFor();
  await page.getByText('Enter an address.').waitFor();

  // The site names its feed, whose items are shown.
  await page.getByRole('textbox', { name: 'Name' }).fill('Harbour weekly');
  await page.getByRole('textbox', { name: 'Address of the feed or site' }).fill(site);
  const found = page.getByRole('region', { name: 'What the feed contains' });
  await found.getByText('Harbour Notes: 2 items').waitFor();
  await found.getByRole('link', { name: 'Lamps on the pier' }).waitFor();
  await found.getByRole('button', { name: `${site}/feed.xml` }).click();
  await page.getByRole('checkbox', { name: 'Thursday' }).check();
  await page.getByText('Every Monday and Thursday at 09:00').waitFor();
  await axe(page, 'new recurring campaign');
  await noSidewaysScroll(page);
  await screenshots(page, 'recurring-new');
  await page.getByRole('button', { name: 'Create recurring campaign' }).click();
  await page.getByRole('heading', { level: 1, name: 'Harbour weekly' }).waitFor();
  await settled(page);
  const id = new URL(page.url()).pathname.split('/').at(-1)!;
  const info = () => installation.call<Info>('recurringGet', { id });
  assert.equal((await info()).source_url, `${site}/feed.xml`);
  await page.getByText('Not started yet. Look at the preview, then start it.').waitFor();

  // The preview, which is all there is before the first issue.
  await page.getByRole('tab', { name: 'Preview', selected: true }).waitFor();
  const frame = page.frameLocator('iframe[title="Preview of the next issue"]');
  await frame.getByRole('link', { name: 'Lamps on the pier' }).waitFor();
  await page.getByText('Harbour Notes: Lamps on the pier').waitFor();
  assert.equal(await page.getByText('In the next issue', { exact: true }).count(), 2);
  await axe(page, 'preview of a recurring campaign');
  await noSidewaysScroll(page);
  await screenshots(page, 'recurring-preview');

  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await eventually(async () => assert.equal((await info()).status, 'active'));
  await page
    .getByText(/next issue/)
    .first()
    .waitFor();

  // Paused before the first issue, it is paused and not one that was never started.
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText('Paused: no issue is made until you start it.').waitFor();
  assert.equal(await page.getByText('Not started', { exact: true }).count(), 0);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await eventually(async () => assert.equal((await info()).status, 'active'));

  // An issue by hand waits for approval.
  await page.getByRole('tab', { name: 'Issues' }).click();
  const runNow = page.getByRole('button', { name: 'Make an issue now' });
  await shows(runNow, 2, 'beside the title, and where the issues will be');
  await screenshots(page, 'recurring-no-issues');
  await runNow.first().click();
  // Whom it reaches, and what becomes of the next regular one.
  const question = page.getByRole('dialog');
  await question.getByText('Nothing is sent yet: the issue waits for your approval.').waitFor();
  assert.match(
    (await question.textContent())!,
    /1recipient.*The next regular issue is still due .* is skipped if nothing is/,
  );
  await axe(page, 'the question before an issue now');
  await screenshots(page, 'recurring-run-now');
  await question.getByRole('button', { name: 'Make an issue now' }).click();
  await page.getByText('An issue is ready for your approval').waitFor();
  await page.getByText('Awaiting approval', { exact: true }).waitFor();
  await axe(page, 'an issue that waits');
  await noSidewaysScroll(page);
  await screenshots(page, 'recurring-waiting');
  // Home leads to it.
  await ui.open('/home');
  await page.getByText('An issue of “Harbour weekly” awaits your approval').waitFor();
  await page.getByRole('listitem').filter({ hasText: 'Harbour weekly' }).getByRole('link', { name: 'Open' }).click();
  await page.getByText('An issue is ready for your approval').waitFor();
  await page.getByRole('button', { name: 'Approve and send' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve and send' }).click();
  await page.getByText('Issue approved. Delivery begins.').waitFor();
  type Issue = { state: string; campaign: string; emails_sent: number };
  const issues = async () => (await installation.call<{ data: Issue[] }>('recurringIssues', { id })).data;
  await eventually(async () =>
    assert.deepEqual(
      (await issues()).map(({ state, emails_sent }) => [state, emails_sent]),
      [['sent', 1]],
    ),
  );

  // Nothing is new; then one item is.
  await runNow.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Make an issue now' }).click();
  await page.getByText('Skipped', { exact: true }).waitFor();
  titles = ['Ropes', ...titles];
  await page.getByRole('tab', { name: 'Preview' }).click();
  await page.getByText('In an earlier issue', { exact: true }).first().waitFor();
  await page.getByText('In the next issue', { exact: true }).waitFor();

  // The settings.
  await page.getByRole('tab', { name: 'Settings' }).click();
  await settled(page);
  await page.getByRole('combobox', { name: 'Schedule' }).click();
  await page.getByRole('option', { name: 'Monthly' }).click();
  await page.getByRole('combobox', { name: 'Day of the month' }).click();
  await page.getByRole('option', { name: '31' }).click();
  await page.getByText('On the last day of each month at 09:00').first().waitFor();
  await axe(page, 'settings of a recurring campaign');
  await noSidewaysScroll(page);
  await page.getByRole('button', { name: 'Save' }).click();
  // Until then the form asks before it is left.
  await page.getByText('Saved. The next issue uses it.').first().waitFor();
  await eventually(async () =>
    assert.deepEqual((await info()).schedule, { type: 'monthly', time: '09:00', weekdays: [], day: 31, cron: '' }),
  );

  // From the issue to its report.
  await page.getByRole('tab', { name: 'Issues' }).click();
  await page.getByRole('link', { name: 'Harbour Notes: Lamps on the pier' }).click();
  await page.getByRole('heading', { level: 1, name: /^Harbour weekly \d{4}-\d\d-\d\d$/ }).waitFor();

  await ui.open('/recurring');
  await page.getByRole('link', { name: 'Harbour weekly' }).waitFor();
  await axe(page, 'recurring campaigns');
  await noSidewaysScroll(page);
  await screenshots(page, 'recurring');
  noErrors(page);
});

test('an issue whose items may have been sent before waits, and says why', async () => {
  const { page, installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'Readers of the moved site' });
  await installation.call('listSubscribe', { id: list, email_address: 'ada@example.com', double_optin: false });
  const id = await installation.call<string>('recurringCreate', {
    title: 'Moved harbour',
    list,
    schedule: { type: 'daily', time: '09:00' },
    source_url: `${site}/moving.xml`,
  });
  const { campaign } = await installation.call<{ campaign: string }>('recurringGet', { id });
  const subject = 'For *|FNAME:friend|*: *|RSSITEM:TITLE|*';
  await installation.call('campaignUpdate', { cid: campaign, name: 'subject', value: subject });
  await installation.call('recurringRunNow', { id });
  home = 'https://new.example/notes';
  await ui.open(`/recurring/${id}?tab=preview`);
  await page.getByText(/This issue would wait for your approval: it may have been sent before/).waitFor();
  await page.getByRole('definition').getByText('For First name: Lamps on the pier').waitFor();
  await axe(page, 'preview of an issue that may have been sent before');
  await installation.call('recurringRunNow', { id });
  await ui.open(`/recurring/${id}`);
  await page.getByText(/Why it was not sent: it may have been sent before.*“Lamps on the pier”/).waitFor();
  // Its subject has what is filled in for each reader in words.
  await page.getByText('“For First name: Lamps on the pier”').waitFor();
  await page.getByRole('button', { name: 'Approve and send' }).first().click();
  await page.getByRole('dialog').getByText('“For friend: Lamps on the pier”').waitFor();
  await page.keyboard.press('Escape');
  assert.doesNotMatch((await page.textContent('body')) ?? '', /\*\|/);
  await axe(page, 'an issue that may have been sent before');
  await noSidewaysScroll(page);
  await page.getByRole('button', { name: 'Skip' }).first().click();
  await page.getByText('Issue skipped. Its draft is kept.').waitFor();
  noErrors(page);
});

test('a source that cannot be read is explained while its address is typed', async () => {
  const { page } = ui;
  await ui.open('/recurring/new');
  await page.getByRole('textbox', { name: 'Address of the feed or site' }).fill('http://127.0.0.1:1/feed');
  await page.getByText(/Can’t read the feed/).waitFor();
  await page.getByRole('radio', { name: 'Web page' }).check();
  await page.getByRole('textbox', { name: 'Address of the page' }).waitFor();
  noErrors(page);
});
