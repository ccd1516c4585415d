// Browser test of events: the page of a contact shows what was reported about it, and contacts are filtered by it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { parseId } from '../../src/db/ids.ts';
import { axe, eventually, noErrors, noSidewaysScroll, screenshots, settled, uiTest } from '../support/browser/ui.ts';

const ui = uiTest();

test('the events of a contact are on its page, and a filter finds who did something how often with what data', async () => {
  const { page, installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'Shop' });
  for (const name of ['ann', 'ben', 'cem'])
    await installation.call('listSubscribe', { id: list, email_address: `${name}@example.com`, double_optin: false });
  const order = (name: string, total: number) => ({
    name: 'order.placed',
    email_address: `${name}@example.com`,
    value: total,
    data: { total, items: [{ sku: '<b>T-1</b>' }] },
  });
  await installation.call('eventSendBatch', {
    events: [
      order('ann', 20),
      order('ann', 80),
      order('ben', 10),
      order('ann', 30),
      order('ann', 5),
      order('ann', 6),
      order('ann', 7),
    ],
  });
  await ui.open('/contacts/ann@example.com');
  const events = page.getByRole('region', { name: 'Events' });
  await events.getByText('order.placed').first().waitFor();
  assert.equal(await events.getByText('order.placed').count(), 5);
  await events.getByRole('button', { name: 'Data' }).first().click();
  await events.getByText('"sku": "<b>T-1</b>"').waitFor();
  await settled(page);
  await axe(page, 'contact-events');
  await noSidewaysScroll(page);
  await screenshots(page, 'contact-events');
  await events.getByRole('button', { name: 'Show more' }).click();
  await eventually(async () => assert.equal(await events.getByText('order.placed').count(), 6));

  await ui.open(`/lists/${list}`);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('combobox', { name: 'Field' }).click();
  await page.getByRole('option', { name: 'Event happened' }).click();
  await page.getByRole('combobox', { name: 'Value', exact: true }).fill('order.placed');
  await page.getByRole('textbox', { name: 'At least … times' }).fill('2');
  await page.getByRole('textbox', { name: 'In the last … days' }).fill('30');
  await page.getByRole('button', { name: 'Compare its data' }).click();
  await page.getByRole('textbox', { name: 'Member of the data' }).fill('total');
  await page.getByRole('textbox', { name: 'Value', exact: true }).fill('20');
  await settled(page);
  await axe(page, 'event-condition');
  await noSidewaysScroll(page);
  await screenshots(page, 'event-condition');
  await page.getByRole('combobox', { name: 'Comparison' }).last().click();
  await page.getByRole('option', { name: 'is more than' }).click();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page
    .getByText('Event happened: order.placed, at least 2 times, in the last 30 days, total is more than 20')
    .waitFor();
  await eventually(async () => {
    assert.equal(await page.getByRole('link', { name: 'ann@example.com' }).count(), 1);
    assert.equal(await page.getByRole('link', { name: 'ben@example.com' }).count(), 0);
  });
  noErrors(page);
});

test('what emails brought in is in the report and on Home, with the rule; its days are a setting', async () => {
  const { page, installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'Buyers' });
  await installation.call('listSubscribe', { id: list, email_address: 'buyer@example.com', double_optin: false });
  const cid = await installation.draft(list);
  await installation.call('campaignSendNow', { cid });
  await installation.until('it is sent', async () => {
    const progress = await installation.call<{ delivery_status: string }>('campaignProgress', { cid });
    return progress.delivery_status === 'sent';
  });
  const client = new pg.Client({ connectionString: installation.settings['DATABASE_URL'] });
  await client.connect();
  await client.query(
    `insert into engagement (account_id, campaign_id, seq, month, contact_id, opens, clicks, first_click_at, last_click_at)
     select account_id, campaign_id, seq, month, contact_id, 1, 1, now() - interval '1 day', now() - interval '1 day'
     from delivery where campaign_id = $1`,
    [parseId(cid)],
  );
  const order = (value: number, data: object) =>
    installation.call('eventSend', { name: 'order.placed', email_address: 'buyer@example.com', value, data });
  await order(59.9, {});
  await ui.open(`/campaigns/${cid}`);
  await page.getByText('Bought after a click').waitFor();
  await page.getByText('59.90', { exact: true }).waitFor();
  await page.getByText('counts for the last email the contact clicked, within 5 days before it.').waitFor();
  await settled(page);
  await axe(page, 'report-conversions');
  await noSidewaysScroll(page);
  await screenshots(page, 'report-conversions');
  await order(20, { currency: 'eur' });
  await order(5, { currency: 'EUR' });
  await ui.open('/home');
  await page.getByText('Value after clicks').waitFor();
  await page.getByText('€25.00 · 59.90').waitFor();
  await page.getByText('1 person in 30 days').waitFor();
  await ui.open('/settings/sending');
  const days = page.getByRole('textbox', { name: 'Days after a click' });
  await eventually(async () => assert.equal(await days.inputValue(), '5'));

  // An automation shows the figures of all its emails.
  const email = () => installation.call<string>('automationEmailCreate', { list, subject: 'Hello', text: 'Hello' });
  const emails = [await email(), await email()];
  const id = await installation.call<string>('automationCreate', { title: 'After the order', list });
  const steps = emails.map((campaign) => ({ type: 'send', campaign }));
  await installation.call('automationUpdate', { id, trigger: { type: 'subscribed' }, steps });
  await client.query(
    `insert into conversion (account_id, campaign_id, seq, contact_id, at, value, currency)
     select account_id, campaign_id, 7, 4711, now(), value, currency
     from (select distinct account_id from conversion) of,
       (values ($1::int, 30.5, 'EUR'), ($2::int, 40, 'EUR'), ($2::int, 7, '')) as c(campaign_id, value, currency)`,
    emails.map(parseId),
  );
  await client.end();
  await ui.open(`/automations/${id}`);
  const figures = page.getByRole('group', { name: 'Conversions' });
  await figures.getByText('Bought after a click').waitFor();
  assert.equal(await figures.getByText('1', { exact: true }).count(), 1);
  for (const figure of ['€70.50', '7', 'no currency']) await figures.getByText(figure, { exact: true }).waitFor();
  await page.getByText('in an email of this automation, within 5 days before it; a person counts once.').waitFor();
  await settled(page);
  await axe(page, 'automation-conversions');
  await noSidewaysScroll(page);
  await screenshots(page, 'automation-conversions');
  noErrors(page);
});
