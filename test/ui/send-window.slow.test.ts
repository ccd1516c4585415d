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
  // The names of groups of fields look like the label of a group of choices.
  const look = (text: string) =>
    sending.getByText(text, { exact: true }).evaluate((element) => {
      const { fontSize, fontWeight, color } = getComputedStyle(element);
      return [fontSize, fontWeight, color];
    });
  const label = await look("If a delivery can't be confirmed");
  for (const name of ['Send window', 'Frequency limit', 'Warm up a new sender'])
    assert.deepEqual(await look(name), label, name);
  // What cannot be changed yet looks so, in dark as well.
  await page.emulateMedia({ colorScheme: 'dark' });
  const ground = (name: string) =>
    sending.getByLabel(name).evaluate((element) => {
      const { backgroundColor } = getComputedStyle(element);
      return Math.max(...backgroundColor.match(/\d+/g)!.map(Number).slice(0, 3));
    });
  assert.equal(await sending.getByLabel('Daily increase').isDisabled(), true);
  const enabled = await ground('Maximum emails per second');
  for (const name of ['Period (days)', 'Daily increase', 'Daily limit', 'Starts on'])
    assert.ok((await ground(name)) < enabled - 10, name);
  await page.emulateMedia({ colorScheme: 'light' });
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
