// Browser test of the best hour: chosen in the review of a campaign.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { typeTime } from '../support/browser/send-time.ts';
import { axe, noErrors, screenshots, settled, uiTest } from '../support/browser/ui.ts';

const ui = uiTest();

test('the best hour is chosen in the review, turns the time zone off, and is kept', async () => {
  const { page, installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'Readers' });
  await installation.call('listSubscribe', { id: list, email_address: 'ann@readers.example', double_optin: false });
  const cid = await installation.call<string>('campaignCreate', {
    type: 'html',
    options: {
      list_id: list,
      subject: 'News',
      from_email: 'ann@example.com',
      from_name: 'Ann',
      generate_text: true,
      time_match: true,
    },
    content: { html: '<p>News</p><p><a href="*|UNSUB|*">Leave</a></p>' },
  });
  const saved = (best: boolean, matched: boolean) =>
    installation.until('the options are saved', async () => {
      const options = await installation.call<{ best_hour: boolean; time_match: boolean }>('campaignGet', { cid });
      return options.best_hour === best && options.time_match === matched;
    });
  await ui.open(`/campaigns/${cid}/edit`);
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  const best = page.getByRole('radio', { name: 'At each recipient’s best hour' });
  const zone = page.getByRole('switch', { name: "Send in each recipient's time zone" });
  await page.getByRole('radio', { name: 'Schedule' }).check();
  assert.equal(await zone.isChecked(), true);
  assert.equal(await page.getByRole('switch', { name: /best hour/ }).count(), 0, 'it is offered once');
  await best.check();
  assert.equal(await zone.count(), 0);
  await saved(true, false);
  await settled(page);
  await axe(page, 'review with the best hour');
  await screenshots(page, 'composer-best-hour');
  await page.getByRole('radio', { name: 'Schedule' }).check();
  assert.equal(await zone.isChecked(), false);
  await zone.check();
  await saved(false, true);
  await best.check();
  await saved(true, false);
  await page.reload();
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  const atOnce = page.getByRole('radio', { name: 'At each recipient’s best hour' });
  assert.equal(await atOnce.isChecked(), true);
  await page.getByRole('radio', { name: 'Now' }).check();
  await saved(false, false);
  await atOnce.check();
  await saved(true, false);
  // What is chosen is among what is sent.
  const sent = page.getByRole('region', { name: 'What is sent' });
  await sent.getByText('At each recipient’s best hour').waitFor();

  // It can begin on a later day, and still does after a reload.
  await page.getByRole('switch', { name: 'Start later' }).check();
  await typeTime('1/7/2098', '09:00', page);
  await sent.getByText('best hour of the recipient').waitFor();
  await page.getByRole('button', { name: 'Schedule', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Schedule anyway' }).click();
  await page.getByText(/This campaign is scheduled for 1 Jul 2098, 09:00/).waitFor();
  const options = await installation.call<Record<string, unknown>>('campaignGet', { cid });
  assert.deepEqual([options['best_hour'], options['schedule_time']], [true, '2098-07-01 09:00:00']);
  noErrors(page);
});
