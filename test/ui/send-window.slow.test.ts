// Browser test of the send window: set in the settings, shown in the review of a campaign, which may be exempt from it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { typeTime } from '../support/browser/send-time.ts';
import { looks } from '../support/browser/settings.ts';
import { axe, noErrors, screenshots, settled, uiTest } from '../support/browser/ui.ts';

const ui = uiTest();

type Session = { account: { settings: Record<string, string> } };

test('a send window is set, and the review says until when a campaign waits', async () => {
  const { page, installation } = ui;
  await ui.open('/settings/sending');
  const sending = page.getByRole('region', { name: 'Sending' });
  await sending.getByRole('checkbox', { name: 'Monday' }).check();
  await sending.getByRole('checkbox', { name: 'Friday' }).check();
  await page.getByLabel('From', { exact: true }).fill('20:00');
  await page.getByLabel('Until', { exact: true }).fill('09:00');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Must be weekdays and hours').waitFor();
  await page.getByLabel('From', { exact: true }).fill('08:00');
  await page.getByLabel('Until', { exact: true }).fill('8.01 am');
  await page.getByLabel('From', { exact: true }).focus();
  assert.equal(await page.getByLabel('Until', { exact: true }).inputValue(), '08:01');
  await looks(page, 'account-send-window');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await installation.until('the window is saved', async () => {
    const { account } = await installation.call<Session>('sessionGet');
    return account.settings['send_window'] === '15 08:00-08:01';
  });
  const list = await installation.call<string>('listCreate', { title: 'Readers' });
  await installation.call('listSubscribe', { id: list, email_address: 'ann@readers.example', double_optin: false });
  const cid = await installation.call<string>('campaignCreate', {
    type: 'html',
    options: { list_id: list, subject: 'News', from_email: 'ann@example.com', from_name: 'Ann', generate_text: true },
    content: { html: '<p>News</p><p><a href="*|UNSUB|*">Leave</a></p>' },
  });
  await ui.open(`/campaigns/${cid}/edit`);
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  await page.getByRole('radio', { name: 'Schedule' }).check();
  // A Saturday.
  await typeTime('28 November 2099', '12:00', page);
  await page.getByText(/the campaign waits until Monday,? (at )?08:00/).waitFor();
  await settled(page);
  await axe(page, 'review with a send window');
  await screenshots(page, 'composer-send-window');
  await page.getByRole('switch', { name: 'Send outside the send window too' }).check();
  await page.getByText('The send window does not apply to this campaign.').waitFor();
  await installation.until('the option is saved', async () => {
    const options = await installation.call<{ any_time: boolean }>('campaignGet', { cid });
    return options.any_time;
  });
  noErrors(page);
});
