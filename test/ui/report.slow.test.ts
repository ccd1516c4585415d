// A campaign from start to report: live progress, pause, resume and stop; opens and clicks; recipients, bounces and the
// explanation for one address; a scheduled campaign.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { connect, sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import {
  axe,
  eventually,
  noErrors,
  noSidewaysScroll,
  owner,
  savedText,
  screenshots,
  settled,
  shows,
  uiTest,
} from '../support/browser/ui.ts';

type Progress = Record<'queued' | 'trying' | 'accepted' | 'skipped', number> & { delivery_status: string };

const readers = 60;
let cid: string;
const ui = uiTest({}, async (ui) => {
  await setRate(2);
  const list = await ui.installation.listOf(readers, (n) => `reader${n}@example${n % 3}.com`);
  cid = await ui.installation.draft(list, 'News in spring');
  await ui.installation.call('campaignUpdate', { cid, name: 'title', value: 'Spring letter' });
});

/** Slow enough to watch on any machine, or fast enough to finish. The workers apply it within 3 s. */
const setRate = (rate: number) => ui.installation.call('accountUpdate', { name: 'rate', value: String(rate) });
const accepted = async () => (await ui.installation.call<{ accepted: number }>('campaignProgress', { cid })).accepted;

test('the delivery progresses live, is paused, resumed and completed', async () => {
  const { page } = ui;
  await ui.installation.call('campaignSendNow', { cid });
  await ui.installation.until('a message was sent', async () => (await accepted()) > 0);
  await ui.open(`/campaigns/${cid}`);
  await page.getByRole('heading', { level: 1, name: 'Spring letter' }).waitFor();
  const shown = async () =>
    Number(/(\d+) delivered/.exec((await page.getByRole('link', { name: /\d+ delivered/ }).textContent()) ?? '')?.[1]);
  const first = await shown();
  await page.waitForFunction(
    (before) =>
      [...document.querySelectorAll('a')].some(
        (link) => Number(/^(\d+) delivered/.exec(link.textContent ?? '')?.[1]) > before,
      ),
    first,
  );
  await page.waitForFunction(() => /^\d+(\.\d)?% · Spring letter/.test(document.title));
  const finish = page.getByText('Estimated finish', { exact: true }).locator('xpath=following-sibling::*[1]');
  await eventually(async () => assert.match((await finish.textContent())!, /^in \d+ (second|minute)/));
  // The title of the tab says the same as the page.
  const done = page.getByText('Done', { exact: true }).locator('xpath=following-sibling::*[1]');
  await eventually(async () => assert.ok((await page.title()).startsWith(`${await done.textContent()} · `)));
  await page.getByRole('table', { name: 'Relays' }).getByRole('link', { name: 'Built-in inbox' }).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('This campaign is paused').waitFor();
  await page.getByText(`paused by ${owner.email}`).waitFor();
  await page.getByText('You can still correct its subject and content').waitFor();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await ui.installation.until('messages in flight have an outcome', async () => {
    const { trying } = await ui.installation.call<{ trying: number }>('campaignProgress', { cid });
    return trying === 0;
  });
  const sentAtPause = await accepted();
  assert.ok(sentAtPause < readers, 'it was paused before all were sent');
  await axe(page, 'paused');
  await noSidewaysScroll(page);
  await screenshots(page, 'campaign-paused');
  assert.equal(await accepted(), sentAtPause, 'nothing is sent while paused');
  await setRate(30);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await screenshots(page, 'campaign-sending');
  await page.getByText('Sent', { exact: true }).waitFor({ timeout: 90_000 });
  assert.equal(await accepted(), readers);
  await eventually(async () => assert.equal(await shown(), readers, 'the bar shows the end without a reload'));
  await setRate(1);
});

test('the report shows the open and the click of a reader', async () => {
  const { page } = ui;
  const [newest] = await ui.installation.call<{ id: string }[]>('inboxMessages', { limit: 1 });
  const [message] = await ui.installation.call<{ html: string }[]>('inboxMessages', { id: newest!.id });
  const { html } = message!;
  const click = /href="([^"]*\/c\/[^"]*)"/.exec(html)![1]!.replaceAll('&amp;', '&');
  const pixel = /<img[^>]*src="([^"]*\/o\/[^"]*)"/.exec(html)![1]!.replaceAll('&amp;', '&');
  const asReader = { headers: { 'user-agent': browserName, accept: 'text/html,image/*' }, redirect: 'manual' as const };
  assert.equal((await fetch(pixel, asReader)).status, 200);
  await fetch(click, asReader);
  await ui.installation.until('both are recorded', async () => {
    const stats = await ui.installation.call<Record<string, number>>('campaignStats', { cid });
    return stats['unique_opens'] === 1 && stats['users_who_clicked'] === 1;
  });
  await ui.open(`/campaigns/${cid}`);
  // Rates before counts.
  await page.getByRole('link', { name: 'Opened: 1.7%' }).waitFor();
  await page.getByRole('link', { name: 'Clicked: 1.7%' }).waitFor();
  await page.getByRole('list', { name: 'Email app' }).getByText('Chrome').waitFor();
  await page.getByRole('list', { name: 'Device' }).getByText('Computer').waitFor();
  await page.getByText('https://example.com/news').first().waitFor();
  await axe(page, 'report');
  await noSidewaysScroll(page);
  await screenshots(page, 'report');
  // On a phone a row of a table takes two lines, and the last of five figures leaves no gap beside it.
  await page.setViewportSize({ width: 390, height: 844 });
  for (const name of ['Links', 'Mailbox domains']) {
    const row = (await page.getByRole('table', { name }).locator('tbody tr').first().boundingBox())!;
    assert.ok(row.height < 80, `a row of ${name} is ${row.height} high`);
  }
  const figures = page.getByRole('group', { name: 'Results' });
  const [all, last] = [await figures.boundingBox(), await figures.locator('> *').last().boundingBox()];
  assert.ok(all!.width - last!.width < 4);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByText('Bots', { exact: true }).first().click();
  await page.getByRole('link', { name: /^Opened: \d/ }).waitFor();
  await page.getByText('People', { exact: true }).first().click();

  await page.getByRole('link', { name: 'Opened: 1.7%' }).click();
  await page.waitForURL('**tab=recipients**state=opened**');
  await shows(page.locator('tbody tr'), 1);
  await axe(page, 'openers');
  await page.goBack();

  await page.getByRole('tab', { name: 'Links' }).click();
  await settled(page);
  await page.frameLocator('iframe').getByText('1 · 100%').waitFor();
  await axe(page, 'links');
  await noSidewaysScroll(page);
  await screenshots(page, 'report-links');
  await page.setViewportSize({ width: 360, height: 740 });
  const tops = await page.getByRole('tab').evaluateAll((tabs) => tabs.map((tab) => tab.getBoundingClientRect().top));
  assert.equal(new Set(tops).size, 1, 'on a phone the tabs stay on one line and scroll');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('link', { name: '1 person clicked https://example.com/news' }).click();
  await page.waitForURL('**state=link-1**');
  await shows(page.locator('tbody tr'), 1);
  noErrors(page);
});

test('the target of a link is changed after delivery, and an address that is none is named beside its field', async () => {
  const { page } = ui;
  await ui.open(`/campaigns/${cid}?tab=links`);
  await page.getByRole('button', { name: 'More actions for “https://example.com/news”' }).click();
  await page.getByRole('menuitem', { name: 'Change target' }).click();
  const field = page.getByLabel('New address');
  await field.fill('example.com');
  await page.getByRole('button', { name: 'Change target' }).click();
  await page.getByText(/must be a complete web address/i).waitFor();
  await field.fill('https://example.com/better');
  await axe(page, 'change-target');
  await page.getByRole('button', { name: 'Change target' }).click();
  await page.getByText(new RegExp(`was https://example.com/news; changed by ${owner.email}`)).waitFor();
  const [link] = await ui.installation.call<{ url: string }[]>('campaignClickStats', { cid });
  assert.equal(link!.url, 'https://example.com/better');
  noErrors(page);
});

test('an autoresponder that is being sent is corrected, and its report lists the revision', async () => {
  const { page } = ui;
  const auto = await ui.installation.draft(await ui.installation.listOf(1, () => 'later@example.com'), 'Typo');
  const change = (name: string, value: unknown) => ui.installation.call('campaignUpdate', { cid: auto, name, value });
  await change('type_opts', { 'offset-units': 'day', 'offset-time': 1, event: 'signup' });
  await change('type', 'auto');
  await ui.installation.call('campaignSendNow', { cid: auto });
  await ui.open(`/campaigns/${auto}`);
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByText('no one gets the change until you publish it').waitFor();
  await page.getByRole('textbox', { name: 'Subject' }).fill('No typo');
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.waitForURL(new RegExp(`/campaigns/${auto}$`));
  await ui.installation.until('it is published', async () => {
    const revisions = await ui.installation.call<unknown[]>('campaignRevisions', { cid: auto });
    return revisions.length === 2;
  });
  noErrors(page);
});

test('non-openers get a draft and clickers a segment, straight from the report', async () => {
  const { page } = ui;
  type Segment = { name: string; filter: { field: string; value: string }[] };
  const [report] = await ui.installation.call<{ list_ids: string[] }[]>('campaigns', { filters: { campaign_id: cid } });
  const [list] = report!.list_ids;
  const segments = () => ui.installation.call<Segment[]>('listSegments', { id: list });
  let clicks = 0;
  const click = async (locator: Locator) => {
    clicks++;
    await locator.click();
  };
  await ui.open('/home');
  await click(page.getByRole('link', { name: 'Spring letter' }).first());
  // Right after sending, resending is possible, but not what is suggested.
  const resend = page.getByRole('button', { name: 'Resend to non-openers' });
  await page.getByText('Most opens arrive within 24 hours.').waitFor();
  assert.equal(await resend.getAttribute('data-variant'), 'default');
  await click(resend);
  await page.waitForURL('**/edit**');
  const copy = /campaigns\/([0-9a-f]{8})\/edit/.exec(page.url())![1]!;
  await settled(page);
  await click(page.getByRole('button', { name: 'Review', exact: true }));
  await page
    .locator('#section-send')
    .getByRole('button', { name: /^Send to/ })
    .waitFor();
  assert.ok(clicks <= 4, `${clicks} clicks from Home to the page that sends to those who did not open`);
  const { recipients } = await ui.installation.call<{ recipients: number }>('campaignAudience', { cid: copy });
  assert.equal(recipients, readers - 1, 'everyone who received it except the reader who opened it');
  await ui.open(`/campaigns/${cid}`);
  // Of those the report counts, one has left since: the draft and the message about it have the same number.
  await page.getByText(`${readers - 1} people received it`).waitFor();
  await ui.installation.call('listUnsubscribe', { id: list, email_address: 'reader7@example1.com' });
  await page.getByRole('button', { name: 'Resend to non-openers' }).click();
  await page.getByText(`Draft for ${readers - 2} people created.`).waitFor();
  await page.getByText('1 other is left out').waitFor();
  await page.waitForURL('**/edit**');
  await page
    .getByText(`${readers - 2} recipients`)
    .first()
    .waitFor();
  await ui.installation.call('listSubscribe', {
    id: list,
    email_address: 'reader7@example1.com',
    double_optin: false,
    send_welcome: false,
  });
  assert.equal((await segments()).length, 1, 'the segment is made once');

  await page.goBack();
  await page.getByRole('button', { name: 'Save as segment' }).click();
  await page.waitForURL(`**/lists/${list}**segment=**`);
  const [clicked] = (await segments()).filter(({ name }) => name === 'Clicked: Spring letter');
  assert.deepEqual(
    clicked?.filter.map(({ field, value }) => [field, value]),
    [['clicked', cid]],
  );
  await shows(page.locator('tbody tr'), 1);
  noErrors(page);
});

test('recipients are filtered by state, exported as CSV and explained one by one', async () => {
  const { page } = ui;
  await ui.open(`/campaigns/${cid}?tab=recipients`);
  await page.getByText(`1–25 of ${readers}`).waitFor();
  await page.getByRole('button', { name: /^Not opened/ }).click();
  await page.getByText(`1–25 of ${readers - 1}`).waitFor();
  await page.getByRole('button', { name: /^Delivered/ }).click();
  await page.getByText(`1–25 of ${readers}`).waitFor();
  await axe(page, 'recipients');
  await noSidewaysScroll(page);
  await screenshots(page, 'report-recipients');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  const file = await savedText(download);
  assert.equal(file.trim().split('\r\n').length, readers + 1);
  assert.match(file, /reader7@example1\.com/);

  await page.locator('tbody').getByRole('link').first().click();
  await page.waitForURL('**tab=explain**');
  await page.getByText(/: delivered$/).waitFor();
  await page.locator('dl > div', { hasText: /^First attempt\d{1,2} \w{3,4} \d{4}, \d\d:\d\d$/ }).waitFor();
  await page.getByRole('textbox', { name: 'Address' }).fill('nobody@example.com');
  await page.getByRole('button', { name: 'Look up' }).click();
  await page.getByText('nobody@example.com: excluded').waitFor();
  await page.getByText('on none of the lists').waitFor();
  await axe(page, 'explain');
  await noSidewaysScroll(page);
  await screenshots(page, 'report-explain');
  await page.getByRole('tab', { name: 'Bounces' }).click();
  await page.getByRole('heading', { name: 'No bounces' }).waitFor();
  await refuse(2, 'hard', 550, '5.1.1 unknown user');
  await refuse(1, 'blocked', 554, '5.7.1 refused by policy');
  await ui.open(`/campaigns/${cid}?tab=bounces`);
  await page.getByText('554 5.7.1 refused by policy').waitFor();
  await page.getByRole('button', { name: 'Hard 2' }).click();
  await page.getByText('1–2 of 2').waitFor();
  await shows(page.getByText('554 5.7.1 refused by policy'), 0);
  await axe(page, 'bounces');
  await noSidewaysScroll(page);
  await screenshots(page, 'report-bounces');
  noErrors(page);
});

test('a campaign is stopped permanently, and its report shows who did not receive it', async () => {
  const { page, installation } = ui;
  const people = 60;
  const list = await installation.listOf(people, (n) => `other${n}@example.com`);
  const other = await installation.draft(list, 'Stopped');
  await installation.call('campaignSendNow', { cid: other });
  await ui.open(`/campaigns/${other}`);
  // Messages are in flight: it is paused first, and stopped once they have an outcome.
  const progress = () => installation.call<Progress>('campaignProgress', { cid: other });
  await installation.until('some have received it', async () => (await progress()).accepted > 0);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Stop permanently' }).click();
  await page.getByText(/people will not receive it/).waitFor();
  await axe(page, 'stop confirmation');
  const now = await progress();
  assert.ok(now.delivery_status === 'sending' && now.queued + now.trying > 0, 'it is still sending');
  await page.getByRole('dialog').getByRole('button', { name: 'Stop permanently' }).click();
  await page.getByText('Sent', { exact: true }).waitFor();
  const end = await progress();
  assert.equal(end.delivery_status, 'sent');
  assert.equal(end.accepted + end.skipped, people);
  assert.ok(end.accepted > 0 && end.skipped > 0, 'some received it, and some did not');
  await page.getByRole('link', { name: /skipped/ }).click();
  await page.waitForURL('**state=skipped**');
  await eventually(async () => assert.match((await page.locator('tbody tr').first().textContent()) ?? '', /stopped/));
  noErrors(page);
});

test('a scheduled campaign shows its time and recipients; unscheduled, it is a draft again', async () => {
  const { page, installation } = ui;
  const list = await installation.listOf(3, (n) => `later${n}@example.com`);
  const later = await installation.draft(list, 'At New Year');
  await installation.call('campaignSchedule', { cid: later, schedule_time: '2099-01-01 00:00:00' });
  await ui.open(`/campaigns/${later}`);
  await page.getByRole('heading', { name: 'Scheduled' }).waitFor();
  await page.getByText('3 recipients').waitFor();
  await page.getByText(/Sending starts automatically on .*2099/).waitFor();
  await axe(page, 'scheduled');
  await noSidewaysScroll(page);
  await screenshots(page, 'campaign-scheduled');
  await page.getByRole('button', { name: 'Unschedule' }).click();
  await installation.until('it is a draft', async () => {
    const [campaign] = await installation.call<{ delivery_status: string }[]>('campaigns', {
      filters: { campaign_id: later },
    });
    return campaign?.delivery_status === 'draft';
  });
  noErrors(page);
});

test('on a phone the row of tabs stays on one line and shows the open one', async () => {
  const page = await ui.member();
  await page.setViewportSize({ width: 390, height: 844 });
  await ui.open(`/campaigns/${cid}?tab=explain`, page);
  const row = (await page.getByRole('tablist').boundingBox())!;
  const open = (await page.getByRole('tab', { name: 'Recipient lookup' }).boundingBox())!;
  assert.ok(row.height < 48, `${row.height} px high`);
  assert.ok(open.x >= row.x && open.x + open.width <= row.x + row.width + 1, 'the open tab is in view');
  await page.context().close();
});

test('the report is available in German', async () => {
  const page = await ui.member();
  await page.addInitScript(() => localStorage.setItem('postrider-language', 'de'));
  await ui.open(`/campaigns/${cid}`, page);
  await page.getByRole('heading', { name: 'Versand' }).waitFor();
  await page.getByRole('tab', { name: 'Empfänger', exact: true }).click();
  await page.getByRole('button', { name: /^Zugestellt/ }).waitFor();
  await ui.open('/settings/relays', page);
  const week = page.getByRole('group', { name: 'Letzte 7 Tage' });
  await week.getByText('Angenommen').waitFor();
  await week.getByText(/^[\d.]+ in den letzten 24 Stunden$/).waitFor();
  await axe(page, 'relays');
  await noSidewaysScroll(page);
  await screenshots(page, 'relays-day');
  noErrors(page);
});

/** As after replies of the receiving server. */
async function refuse(count: number, reason: string, code: number, reply: string) {
  const db = connect(ui.installation.settings['DATABASE_URL']!, { name: 'test', maxConnections: 1 });
  try {
    await db.run(sql`
      update delivery
      set state = 4, reason = ${reason}, reply_code = ${code}, reply = ${reply}
      where (campaign_id, seq) in (
        select campaign_id, seq from delivery where campaign_id = ${parseId(cid)} and state = 2 order by seq desc limit ${count}
      )`);
    await db.run(sql`
      update tally
      set accepted = accepted - ${count}, failed = failed + ${count}
      where campaign_id = ${parseId(cid)}
        and shard = (select min(shard) from tally where campaign_id = ${parseId(cid)} and accepted >= ${count})`);
  } finally {
    await db.close();
  }
}

const browserName =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
