// Browser test of undoing the start of a campaign: it is a state of the campaign, shown on every device and on every screen that
// shows the campaign, not only in the tab that has started it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, eventually, noErrors, noSidewaysScroll, screenshots, uiTest } from '../support/browser/ui.ts';

let list: string;
const ui = uiTest({}, async ({ installation }) => {
  list = await installation.listOf(2, (n) => `reader${n}@example.com`);
});

/** A campaign that another device has just started, with time to undo it. */
async function started(subject: string, seconds = 60): Promise<string> {
  const cid = await ui.installation.draft(list, subject);
  await ui.installation.call('campaignSendNow', { cid, undo_seconds: seconds });
  return cid;
}
const state = async (cid: string) =>
  (await ui.installation.call<{ delivery_status: string }>('campaignGet', { cid })).delivery_status;
const waiting = () => ui.page.getByText(/^Sending in \d+ s$/);
const undo = () => ui.page.getByRole('button', { name: 'Undo sending' });

const places: Record<string, (cid: string) => string> = {
  composer: (cid) => `/campaigns/${cid}/edit`,
  report: (cid) => `/campaigns/${cid}`,
  list: () => '/campaigns',
  home: () => '/home',
};
for (const [place, path] of Object.entries(places))
  test(`a start is undone from the ${place}`, async () => {
    const { page, installation } = ui;
    const cid = await started(`Undone from the ${place}`);
    await page.goto(`${installation.base}/app${path(cid)}`);
    await waiting().waitFor();
    assert.equal(await page.getByText('has been sent').count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Pause', exact: true }).count(), 0);
    await undo().click();
    await page.getByText('Undone. Nothing was sent.').waitFor();
    await waiting().waitFor({ state: 'detached' });
    assert.equal(await state(cid), 'draft');
    noErrors(page);
  });

test('the tab that has started it undoes it in the review, and on the screen that is opened meanwhile', async () => {
  const { page, installation } = ui;
  const cid = await installation.draft(list, 'Undone in the review');
  const send = page.getByRole('button', { name: /^Send to 2/ });
  const countdown = page.getByRole('button', { name: /^Undo \(\d+\)/ });
  const start = async () => {
    await send.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
  };
  await ui.open(`/campaigns/${cid}/edit`);
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  await start();
  await page.getByRole('region', { name: 'Send' }).locator(countdown).click();
  await eventually(async () => assert.equal(await state(cid), 'draft'));
  await eventually(async () => assert.ok(await send.evaluate((button) => button === document.activeElement)));
  await start();
  await countdown.waitFor();
  await page.getByRole('link', { name: 'Campaigns' }).first().click();
  await page.waitForURL('**/app/campaigns');
  await countdown.click();
  await eventually(async () => assert.equal(await state(cid), 'draft'));
  noErrors(page);
});

test('once the time is over, the screen shows the campaign as it is', async () => {
  const { page } = ui;
  const cid = await started('Not undone', 20);
  await page.goto(`${ui.installation.base}/app/campaigns/${cid}`);
  await waiting().waitFor();
  await eventually(async () => assert.equal(await state(cid), 'sent'), 60_000);
  await waiting().waitFor({ state: 'detached' });
  await page.getByRole('link', { name: '2 delivered' }).waitFor();
  await undo().waitFor({ state: 'detached' });
  await assert.rejects(ui.installation.call('campaignUnschedule', { cid }));
  noErrors(page);
});

test('the screens of a campaign that is about to start are accessible and fit a phone', async () => {
  const { page } = ui;
  for (const place of ['composer', 'list']) {
    const cid = await started(`Seen in the ${place}`);
    await ui.open(places[place]!(cid));
    await waiting().first().waitFor();
    await axe(page, `${place} of a campaign that is about to start`);
    await noSidewaysScroll(page);
    await screenshots(page, `undo-send-${place}`);
  }
  noErrors(page);
});
