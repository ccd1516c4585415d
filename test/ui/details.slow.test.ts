// Details of screens: a rating without enough to rate, a figure without its reason, a name in code,
// the emails of automations and recurring campaigns among drafts, errors in the console.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
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

let list: string;
let cid: string;
const ui = uiTest({}, async ({ installation }) => {
  list = await installation.call<string>('listCreate', { title: 'Readers' });
  for (const [email_address, FNAME] of [
    ['grace@xn--exmple-cua.de', 'Grace'],
    ['mary@example.com', 'Mary'],
    ['ada@example.com', 'Ada'],
  ])
    await installation.call('listSubscribe', { id: list, email_address, merge_vars: { FNAME }, double_optin: false });
  const segment = await installation.call<string>('listSegmentCreate', {
    list,
    title: 'Not Ada',
    match: 'all',
    filter: [{ field: 'FNAME', condition: 'not', value: 'Ada' }],
  });
  cid = await installation.draft(list, 'The boats are back');
  await installation.call('campaignUpdate', { cid, name: 'segment_id', value: [segment] });
});

const row = (page: Page, name: RegExp) => page.getByRole('row', { name });

test('who is left out because of a segment is named before and after sending', async () => {
  const { page, installation } = ui;
  await ui.open(`/campaigns/${cid}/edit`);
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  await page.getByText('1 not in the segments').filter({ visible: true }).first().waitFor();
  await installation.call('campaignSendNow', { cid });
  await installation.until('it is sent', async () => {
    const { delivery_status } = await installation.call<{ delivery_status: string }>('campaignProgress', { cid });
    return delivery_status === 'sent';
  });
  await ui.open(`/campaigns/${cid}`);
  await page.getByText('1 not in the segments').filter({ visible: true }).first().waitFor();
  // A domain is shown as people write it.
  await page.getByRole('table', { name: 'Mailbox domains' }).getByText('exämple.de').waitFor();
  noErrors(page);
});

test('a contact who has got one email is new, and is found by name', async () => {
  const { page } = ui;
  await ui.open('/contacts');
  await eventually(async () => {
    assert.equal(
      await row(page, /grace@exämple\.de/)
        .getByText('New', { exact: true })
        .count(),
      1,
    );
  });
  await shows(page.getByText('Cold', { exact: true }), 0);
  // An address of usual length is on one line.
  const address = await page.getByRole('link', { name: 'grace@exämple.de' }).boundingBox();
  assert.ok(address!.height < 30, `${address!.height} px`);
  await axe(page, 'contacts, new');
  await screenshots(page, 'contacts-new');
  await page.getByRole('searchbox').fill('mary');
  await shows(page.locator('tbody tr'), 1);
  await row(page, /mary@example\.com/).waitFor();
  noErrors(page);
});

test('a message with a picture that counts opens is shown in the inbox without an error in the console', async () => {
  const { page } = ui;
  await ui.open('/inbox');
  await page.getByRole('link', { name: 'The boats are back' }).first().click();
  await page.frameLocator('iframe').first().getByText('the news').waitFor();
  await settled(page);
  noErrors(page);
});

test('the emails of a recurring campaign are not among the drafts', async () => {
  const { page, installation } = ui;
  await installation.call('recurringCreate', {
    title: 'Harbour weekly',
    list,
    schedule: { type: 'daily', time: '09:00' },
    source_url: 'https://harbour.example/feed.xml',
  });
  await ui.open('/campaigns');
  await row(page, /The boats are back/).waitFor();
  await shows(page.locator('tbody tr'), 1, 'only the campaign');
  await ui.open('/recurring');
  await row(page, /Harbour weekly/)
    .getByText('Not started')
    .waitFor();
  noErrors(page);
});

test('on a phone Home shows what is in progress by its whole name', async () => {
  const { installation } = ui;
  const page = await ui.member();
  const due = await installation.draft(list, 'News of the winter');
  await installation.call('campaignSchedule', { cid: due, schedule_time: '2099-01-01 00:00:00' });
  await installation.call('accountUpdate', { name: 'rate', value: '1' });
  const many = await installation.listOf(200, (n) => `many${n}@example.com`);
  const running = await installation.draft(many, 'News of the autumn');
  await installation.call('campaignSendNow', { cid: running });
  await page.setViewportSize({ width: 390, height: 844 });
  await ui.open('/home', page);
  await page.getByText(/of 200/).waitFor();
  for (const name of ['News of the autumn', 'News of the winter']) {
    const box = await page.getByRole('link', { name, exact: true }).first().boundingBox();
    assert.ok(box!.height < 30, `${name}: ${box!.height} px`);
  }
  await noSidewaysScroll(page);
  await installation.call('campaignPause', { cid: running });
  noErrors(page);
});

test('no text speaks of plans that this installation does not have', async () => {
  const { page, installation } = ui;
  const draft = await installation.draft(list, 'Plans');
  const plans = /\b(pro|plus|premium)[- ](plan|account)|add-on|addon/i;
  await ui.open(`/campaigns/${draft}/edit`);
  for (const name of [/^From/, /^Options/]) await page.getByRole('button', { name, expanded: false }).first().click();
  await settled(page);
  assert.doesNotMatch((await page.getByRole('complementary').first().textContent())!, plans);
  await ui.open('/api/campaignCreate');
  assert.doesNotMatch((await page.getByRole('main').textContent())!, /for PRO accounts/);
  // The description of all methods comes packed.
  const [whole, packed] = await page.evaluate(() => {
    const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    const file = entries.find(({ name }) => name.endsWith('/api/openapi.json'))!;
    return [file.decodedBodySize, file.encodedBodySize];
  });
  assert.ok(packed! < whole! / 3, `${packed} of ${whole} bytes`);
  noErrors(page);
});

test('a public page asks for nothing that is missing, such as an icon', async () => {
  const { installation } = ui;
  const page = await ui.visitor();
  const failed: string[] = [];
  page.on('response', (answer) => answer.status() >= 400 && failed.push(answer.url()));
  const messages = await installation.call<{ id: string; subject: string }[]>('inboxMessages', { limit: 100 });
  const received = messages.find(({ subject }) => subject === 'The boats are back')!;
  const [message] = await installation.call<{ html: string }[]>('inboxMessages', { id: received.id });
  const leave = /href="([^"]*\/u\/[^"]*)"/.exec(message!.html)![1]!.replaceAll('&amp;', '&');
  await page.goto(leave);
  await page.getByRole('button', { name: 'Unsubscribe' }).click();
  await page.getByRole('heading', { name: 'You have been unsubscribed' }).waitFor();
  assert.deepEqual(failed, []);
});
