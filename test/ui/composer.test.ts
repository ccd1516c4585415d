// A campaign is checked before it is sent, and scheduled. The text in the visual editor is in composer-text.slow.test.ts, the other
// sections of the composer in composer-sections.slow.test.ts, its other editors and roles in composer.slow.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import {
  contentOf,
  createDraft,
  openSection,
  optionsOf,
  saved,
  section,
  typeSource,
  ui,
  visual,
} from '../support/browser/composer.ts';
import { typeTime } from '../support/browser/send-time.ts';
import { axe, eventually, noErrors, screenshot, screenshots, settled } from '../support/browser/ui.ts';

test('neither the sample letter of a new campaign nor an empty email can be sent', async () => {
  const { page, installation } = ui;
  const cid = await createDraft('Not written');
  const send = () => section('send').getByRole('button', { name: /^Send to/ });
  const refusals = async () => {
    assert.equal(await send().isDisabled(), true);
    await assert.rejects(installation.call('campaignSendNow', { cid }));
  };
  await openSection('check');
  await section('check')
    .getByText(/still the sample email/)
    .waitFor();
  await refusals();
  await screenshots(page, 'composer-sample');
  // Where it was made, with the sample selected.
  await section('check')
    .getByRole('button', { name: /^Show: .*sample/ })
    .click();
  await page.getByRole('tab', { name: 'Visual', selected: true }).waitFor();
  await visual().locator('.gjs-selected', { hasText: 'A heading that says what this is about' }).waitFor();
  await page.getByRole('tab', { name: 'HTML source' }).click();
  await typeSource('<p>&nbsp;</p><p><a href="*|UNSUB|*">Unsubscribe</a></p>');
  await saved();
  await openSection('check');
  await section('check').getByText('The email is empty').waitFor();
  await refusals();
  // A starter template as it came is refused here, and only warned about in the API.
  const [template] = await installation
    .call<{ id: string; name: string }[]>('campaignTemplates')
    .then((all) => all.filter(({ name }) => name === 'Letter'));
  await installation.call('campaignUpdate', { cid, name: 'template_id', value: template!.id });
  await page.reload();
  await settled(page);
  await openSection('check');
  await section('check')
    .getByText(/still the sample email/)
    .waitFor();
  assert.equal(await send().isDisabled(), true);
  // One heading of one's own is enough to be asked only.
  await openSection('content');
  await page.getByRole('tab', { name: 'HTML source' }).click();
  await typeSource('<h1>Our news</h1><p>A paragraph. Double-click to type.</p><p><a href="*|UNSUB|*">Leave</a></p>');
  await saved();
  await openSection('check');
  await section('check').getByText('The email still has sample text').waitFor();
  await eventually(async () => assert.equal(await send().isDisabled(), false));
  noErrors(page);
});

test("a campaign is scheduled in the account's time zone, changed, rescheduled and unscheduled again", async () => {
  const { page, installation } = ui;
  await installation.call('accountUpdate', { name: 'time_zone', value: 'Europe/Berlin' });
  await page.reload();
  const cid = await createDraft('At nine');
  await page.getByRole('tab', { name: 'HTML source' }).click();
  await typeSource('<p>Nine it is. <a href="*|UNSUB|*">Leave</a></p>');
  await saved();
  await openSection('send');
  // The email as it arrives is a picture beside what is sent, which opens the preview.
  const sent = page.getByRole('region', { name: 'What is sent' });
  await sent.frameLocator('iframe').getByText('Nine it is.').waitFor();
  await sent.getByRole('button', { name: 'Preview: At nine' }).click();
  const preview = page.getByRole('dialog', { name: 'Preview' });
  await preview.frameLocator('iframe').getByText('Nine it is.').waitFor();
  await page.keyboard.press('Escape');
  await preview.waitFor({ state: 'detached' });
  await page.getByRole('radio', { name: 'Schedule' }).check();
  await section('send').getByRole('button', { name: 'Schedule', exact: true }).click();
  // The error is at the field, which has the focus.
  const day = page.getByRole('textbox', { name: 'Date', exact: true });
  const described = () =>
    day.evaluate((field) => document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent ?? '');
  await eventually(async () => assert.match(await described(), /Choose a date and time\./));
  assert.ok(await day.evaluate((field) => field === document.activeElement));
  // It does not push the field out of line with the time, and the calendar offers no day in the past.
  const hours = page.getByRole('spinbutton', { name: 'Hours' });
  const middleOf = async (field: Locator) => {
    const { y, height } = (await field.boundingBox())!;
    return y + height / 2;
  };
  assert.ok(Math.abs((await middleOf(day)) - (await middleOf(hours))) < 2);
  await axe(page, 'schedule without a time');
  await screenshots(page, 'composer-schedule-empty');
  await typeTime('1 January 2020', '09:00', page);
  assert.equal(await described(), '');
  await section('send').getByRole('button', { name: 'Schedule', exact: true }).click();
  await eventually(async () => assert.match(await described(), /Choose a time in the future\./));
  // A proposal is one click; the field shows it as people write it here.
  await page.getByRole('button', { name: 'Tomorrow, 09:00' }).click();
  assert.match(await day.inputValue(), /^\w{3},? \d{1,2} \w{3,4} \d{4}$/);
  assert.equal(await page.getByRole('spinbutton', { name: 'Hours' }).inputValue(), '09');
  await page.getByText(/^Time zone: Europe\/Berlin · (in \d+ hours|tomorrow)$/).waitFor();
  await screenshots(page, 'composer-schedule-proposal');
  await typeTime('1/7/2098', '09:00', page);
  await axe(page, 'schedule');
  await screenshots(page, 'composer-schedule');
  // The domain is not authenticated: a warning, which the user confirms.
  const schedule = section('send').getByRole('button', { name: 'Schedule', exact: true });
  const confirmation = page.getByRole('dialog', { name: 'Schedule this campaign?' });
  await schedule.click();
  await confirmation.getByText(/isn't authenticated/).waitFor();
  await settled(page);
  await axe(page, 'confirmation of warnings');
  await confirmation.getByRole('button', { name: 'Cancel' }).click();
  await confirmation.waitFor({ state: 'hidden' });
  assert.equal((await optionsOf(cid))['delivery_status'], 'draft');
  await schedule.click();
  await confirmation.getByRole('button', { name: 'Schedule anyway' }).click();
  await page.getByText(/This campaign is scheduled for 1 Jul 2098, 09:00/).waitFor();
  // The notice is at the top, the button was at the bottom.
  const notice = page.getByRole('status').filter({ hasText: 'This campaign is scheduled' });
  assert.equal(await page.getByRole('button', { name: 'Send test' }).isVisible(), true, 'a test of it can be sent');
  await eventually(async () => assert.ok(await notice.evaluate((element) => element === document.activeElement)));
  assert.ok((await notice.boundingBox())!.y >= 0);
  assert.equal((await optionsOf(cid))['schedule_time'], '2098-07-01 07:00:00');
  await openSection('from');
  await page.getByRole('textbox', { name: 'Subject' }).fill('At nine sharp');
  await saved();
  // A new time without unscheduling.
  await openSection('content');
  await notice.getByRole('button', { name: 'Reschedule' }).click();
  const reschedule = section('send').getByRole('button', { name: 'Reschedule', exact: true });
  assert.equal(await reschedule.isDisabled(), true, 'the time is the same');
  await typeTime('2 July 2098', '09:00', page);
  await screenshots(page, 'composer-reschedule');
  await reschedule.click();
  const again = page.getByRole('dialog', { name: 'Reschedule this campaign?' });
  await again.getByRole('button', { name: 'Reschedule anyway' }).click();
  await page.getByText(/This campaign is scheduled for 2 Jul 2098, 09:00/).waitFor();
  const changed = await optionsOf(cid);
  assert.deepEqual(
    [changed['delivery_status'], changed['subject'], changed['schedule_time']],
    ['scheduled', 'At nine sharp', '2098-07-02 07:00:00'],
  );
  await axe(page, 'scheduled');
  await screenshot(page, 'composer-scheduled');
  await page.getByRole('button', { name: 'Unschedule' }).click();
  await page.getByText('Moved back to drafts.').waitFor();
  await openSection('content');
  assert.equal((await optionsOf(cid))['delivery_status'], 'draft');
  await page.getByRole('textbox', { name: 'Subject' }).fill('At ten');
  // The editor still has the text from before.
  const source = page.getByRole('textbox', { name: 'HTML source' });
  await source.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText('<p>Or ten.</p>');
  await saved();
  await eventually(async () => {
    assert.equal((await optionsOf(cid))['subject'], 'At ten');
    assert.equal((await contentOf(cid)).html, '<p>Nine it is. <a href="*|UNSUB|*">Leave</a></p><p>Or ten.</p>');
  });
});
