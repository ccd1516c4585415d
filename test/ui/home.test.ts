// Browser test of the home screen: onboarding checklist, campaigns in progress, results against the average, and items
// that need attention.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { connect, sql } from '../../src/db/connect.ts';
import { axe, noErrors, noSidewaysScroll, owner, screenshots, shows, uiTest } from '../support/browser/ui.ts';
import { bareEnvironment } from '../support/installation/service.ts';
import { visits } from './visits.ts';

const ui = uiTest({ OUTBOUND_ALLOW: '127.0.0.0/8' });
let list: string;

test('it is the landing page, and shows the onboarding checklist at first', async () => {
  const { page } = ui;
  await ui.open('/');
  await page.waitForURL('**/app/home');
  await page.getByText('0 of 9 done').waitFor();
  // Without anything to show, the next three of the setup and those to the first campaign as cards and no band of zeros; the others are shown on request.
  const steps = page.getByRole('region', { name: 'Get started' }).getByRole('listitem');
  await shows(steps, 6);
  await page.getByRole('link', { name: 'Start: Create a list' }).waitFor();
  await page.getByRole('link', { name: 'Start: Send your first campaign' }).waitFor();
  await shows(page.getByText('Delivered emails'), 0);
  await page.getByRole('link', { name: 'Start: Add your organisation and postal address' }).waitFor();
  await page.getByRole('button', { name: 'Show all steps' }).click();
  await shows(steps, 9);
  await page.getByText('No campaigns are being sent').waitFor();
  await axe(page, 'home, new');
  await noSidewaysScroll(page);
  await screenshots(page, 'home-new');

  // The first campaign needs a list: once that is made, one is back at the campaign.
  await page.getByRole('link', { name: 'Send your first campaign' }).click();
  const create = page.getByRole('link', { name: 'New list' });
  const [button, main] = [(await create.boundingBox())!, (await page.getByRole('main').boundingBox())!];
  assert.ok(Math.abs(button.x + button.width / 2 - main.x - main.width / 2) < 2, 'it is in the middle');
  await screenshots(page, 'new-campaign-no-list');
  await create.click();
  const groups = await page.getByRole('group', { name: 'Default sender' }).boundingBox();
  assert.equal(groups!.x, (await page.getByRole('textbox', { name: 'Name', exact: true }).boundingBox())!.x);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('First readers');
  await page.getByRole('button', { name: 'Create list' }).click();
  await page.waitForURL('**/app/campaigns/new');
  await page.getByRole('textbox', { name: 'Subject' }).waitFor();
  noErrors(page);
});

test('steps are checked off automatically', async () => {
  const { page, installation } = ui;
  list = await installation.listOf(4, (n) => `reader${n}@example.com`);
  await ui.open('/home');
  await page.getByText('2 of 9 done').waitFor();
  await page.getByRole('button', { name: 'Show all steps' }).click();
  await page.getByText('Import your contacts (done)').waitFor();
  const draft = await installation.draft(list, 'A try');
  await installation.call('campaignSendTest', { cid: draft, test_emails: ['me@example.com'] });
  await ui.open('/home');
  await page.getByText('3 of 9 done').waitFor();
  await page.getByRole('button', { name: 'Hide' }).click();
  await page.getByText('3 of 9 done').waitFor({ state: 'detached' });
  await ui.open('/home');
  await shows(page.getByText('3 of 9 done'), 0, 'the steps stay away');
  noErrors(page);
});

test('campaigns in progress, results, growth and items that need attention are shown with links', async () => {
  const { page, installation } = ui;
  for (const subject of ['First news', 'Second news']) {
    const cid = await installation.draft(list, subject);
    await installation.call('campaignUpdate', { cid, name: 'title', value: subject });
    await installation.call('campaignSendNow', { cid });
    await installation.until('it is sent', async () => {
      const { delivery_status } = await installation.call<{ delivery_status: string }>('campaignProgress', { cid });
      return delivery_status === 'sent';
    });
  }
  await ui.open('/home');
  await page.getByText('Your average is shown 48 hours after your first campaign.').waitFor();
  await daysAgo(3, 'First news', 'Second news');
  const young = await installation.draft(list, 'Third news');
  await installation.call('campaignUpdate', { cid: young, name: 'title', value: 'Third news' });
  await installation.call('campaignSendNow', { cid: young });
  await installation.until('it is sent', async () => {
    const { delivery_status } = await installation.call<{ delivery_status: string }>('campaignProgress', {
      cid: young,
    });
    return delivery_status === 'sent';
  });
  const due = await installation.draft(list, 'New Year');
  await installation.call('campaignSchedule', { cid: due, schedule_time: '2099-01-01 00:00:00' });
  await installation.call('senderDomainCreate', { domain: 'letters.example.com' });
  const asked: string[] = [];
  const note = (request: { url(): string }) => asked.push(request.url().split('/api/')[1] ?? '');
  page.on('request', note);
  await ui.open('/home');
  await page.getByText('Your average over 2 campaigns').waitFor();
  await page.getByRole('link', { name: 'First news' }).waitFor();
  await page.getByRole('link', { name: 'New Year' }).waitFor();
  page.off('request', note);
  // One answer has what is in progress, however much that is.
  assert.ok(asked.includes('homeSummary'));
  assert.ok(!asked.includes('campaignProgress'), asked.join());
  // Opens and clicks of the newest one are still to come.
  await page
    .getByRole('row', { name: /Third news/ })
    .getByText('so far')
    .first()
    .waitFor();
  await shows(page.getByText('Your average over 2 campaigns'), 1);
  // Two of three campaigns count for the rates; all are delivered.
  const figures = page.getByRole('group', { name: 'Key figures' });
  await figures.getByRole('link', { name: 'Delivered emails: 12' }).waitFor();
  await figures.getByText('Net growth this month').waitFor();
  await figures.getByText('4 subscriptions').waitFor();
  await page.getByText('letters.example.com is not verified yet').waitFor();
  await shows(page.getByText('Scheduled', { exact: true }), 1);
  await axe(page, 'home');
  await noSidewaysScroll(page);
  await screenshots(page, 'home');
  await page.getByRole('link', { name: 'Set up DNS' }).click();
  await page.waitForURL('**/settings/domains/letters.example.com');
  await page.goBack();
  await page.getByRole('link', { name: 'Second news' }).click();
  await page.getByRole('heading', { level: 1, name: 'Second news' }).waitFor();
  await page.getByText(/compared with the average of your last 2 campaigns/).waitFor();
  noErrors(page);
});

/** As if these campaigns had been sent so many days ago. */
async function daysAgo(days: number, ...titles: string[]): Promise<void> {
  const db = connect(ui.installation.settings['DATABASE_URL']!, { name: 'test', maxConnections: 1 });
  try {
    await db.run(
      sql`update campaign set send_at = send_at - ${days}::int * interval '1 day' where title = any(${titles}::text[])`,
    );
  } finally {
    await db.close();
  }
}

test('an invitation to another account is declined or accepted', async () => {
  const { page, installation } = ui;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['src/main.ts', 'account', 'create', '--email', 'other@example.com', '--name', 'The other house'],
    {
      env: {
        ...bareEnvironment,
        ...installation.settings,
        DATA_DIR: installation.dataDir,
        LOG_LEVEL: 'silent',
      },
    },
  );
  const key = /API key\s+(\S+)/.exec(stdout)![1]!;
  const there = async <T>(method: string, params: object = {}) => {
    const answer = await fetch(`${installation.base}/api/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(params),
    });
    assert.ok(answer.ok, method);
    return (await answer.json()) as T;
  };
  const invite = () => there('userInvite', { email: owner.email, role: 'editor' });
  const invited = page.getByRole('region', { name: 'The other house has invited you' });

  await invite();
  await ui.open('/home');
  await invited.getByText('You can join as an editor.').waitFor();
  await axe(page, 'home, invited');
  await noSidewaysScroll(page);
  await screenshots(page, 'home-invited');
  await invited.getByRole('button', { name: 'Decline' }).click();
  await page.getByText('Invitation declined.').first().waitFor();
  await invited.waitFor({ state: 'detached' });
  assert.equal((await there<unknown[]>('users')).length, 1);

  await invite();
  await ui.open('/home');
  await invited.getByRole('button', { name: 'Accept' }).click();
  await page.getByRole('button', { name: /^Account: The other house/ }).waitFor();
  const { account } = await installation.call<{ account: { id: string } }>('sessionGet');
  await page.request.post(`${installation.base}/api/sessionSwitch`, {
    data: { account_id: account.id },
    headers: { origin: installation.base },
  });
  noErrors(page);
});

test('the tour of all screens visits every route', async () => {
  await ui.open('/home');
  const routes = await ui.page.evaluate(() => {
    const { __TSR_ROUTER__: router } = globalThis as unknown as { __TSR_ROUTER__: { routesByPath: object } };
    return Object.keys(router.routesByPath);
  });
  assert.deepEqual(Object.keys(visits).sort(), routes.sort(), 'name the new screen in visits.ts');
});
