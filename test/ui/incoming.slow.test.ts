// Browser test of incoming webhooks: create one, see its last request, change the mapping beside it and try it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, noErrors, noSidewaysScroll, screenshots, settled, uiTest } from '../support/browser/ui.ts';

const ui = uiTest();

const order = {
  buyer: { mail: 'ada@example.com', first: 'Ada' },
  sum: '12.50',
  lines: [
    { title: 'Green tea', price: '3.50' },
    { title: 'Pot', price: '9.00', sku: 'P1' },
  ],
};
const post = (url: string) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(order) });

test('a webhook of a shop is created, posted to, mapped by the members of its last request, and tried', async () => {
  const { page, installation } = ui;
  await installation.call('listCreate', { title: 'Tea' });
  await ui.open('/webhooks');
  // Both directions are tabs of one screen.
  await page.getByRole('link', { name: 'Incoming', exact: true }).click();
  await page.getByText('No incoming webhooks yet').waitFor();
  await axe(page, 'incoming webhooks, none');
  await page.getByRole('button', { name: 'New incoming webhook' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Outgoing', exact: true }).click();
  await page.locator('[aria-current=page]', { hasText: 'Outgoing' }).waitFor();
  await axe(page, 'webhooks with tabs');
  await page.getByRole('link', { name: 'Incoming', exact: true }).click();
  await page.getByRole('button', { name: 'New incoming webhook' }).first().click();
  await dialog.getByRole('combobox', { name: 'Service' }).selectOption('Another service');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Tea shop');
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  // Its page has the URL, which is shown in full only now, and a button that copies it.
  await page.getByRole('heading', { level: 1, name: 'Tea shop' }).waitFor();
  const url = (await page.getByRole('status').locator('code').first().textContent())!;
  await page.getByRole('button', { name: 'Copy URL' }).waitFor();
  // Nothing is to be mapped before a request has come.
  await page.getByRole('button', { name: /^Contact/, expanded: false }).waitFor();
  await axe(page, 'incoming webhook that waits');
  await post(url);
  await page.getByText("Ignored: an event that isn't mapped").waitFor();

  // A member is chosen, with its value beside it.
  const address = page.getByRole('combobox', { name: 'Address', exact: true });
  await address.fill('');
  await page.getByRole('option', { name: /buyer\.mail.*ada@example\.com/s }).click();
  assert.equal(await address.inputValue(), 'buyer.mail');
  await page.getByText('= ada@example.com').waitFor();
  // Of several paths the choice is the last one.
  await address.fill('customer.email, ma');
  await page.getByRole('option', { name: /buyer\.mail/ }).click();
  assert.equal(await address.inputValue(), 'customer.email, buyer.mail');
  await page.getByText('= ada@example.com').waitFor();
  // A click on an entry of the request says what it is for.
  await address.fill('');
  await page
    .getByRole('list', { name: 'Entries' })
    .getByRole('button', { name: /^buyer\.mail/ })
    .click();
  await page.getByRole('menuitem', { name: 'Address' }).click();
  assert.equal(await address.inputValue(), 'buyer.mail');
  await page.getByRole('button', { name: /^buyer\.mail.*Address$/ }).waitFor();
  await address.fill('customer.email, buyer.mail');
  await page.getByRole('textbox', { name: 'Event', exact: true }).fill('order.created');
  const value = page.getByRole('combobox', { name: 'Value', exact: true });
  await value.fill('total');
  await page.getByText('Not in this request').first().waitFor();
  await value.fill('sum');
  await page.getByText('= 12.50').waitFor();

  // Rows: a list with the members of its items, and a path that is typed.
  const data = page.getByRole('group', { name: 'Data', exact: true });
  await data.getByRole('button', { name: 'Add entry', exact: true }).click();
  await data.getByRole('combobox', { name: 'Entry' }).click();
  await page.getByRole('option', { name: /^lines\s*list of 2$/ }).click();
  assert.equal(await data.getByRole('textbox', { name: 'Name' }).inputValue(), 'lines');
  const items = data.getByRole('group', { name: 'Items of lines' });
  await items.getByText('All of their entries are kept.').waitFor();
  await items.getByRole('button', { name: 'Add entry of the items' }).click();
  await items.getByRole('combobox', { name: 'Entry' }).click();
  await page.getByRole('option', { name: /^title/ }).click();
  await items.getByText('= Green tea · Pot').waitFor();
  await data.getByRole('button', { name: 'Add entry', exact: true }).click();
  await data.getByRole('textbox', { name: 'Name' }).last().fill('voucher');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await data.getByText('Fill in both, or remove the row').waitFor();
  await data.getByRole('combobox', { name: 'Entry' }).last().fill('voucher.code');
  await page.getByRole('checkbox', { name: 'Unknown addresses become contacts' }).check();
  await page.getByRole('combobox', { name: 'List' }).selectOption('Tea');
  const fields = page.getByRole('group', { name: 'Fields', exact: true });
  await fields.getByRole('button', { name: 'Add field' }).click();
  await fields.getByRole('combobox', { name: 'Field' }).selectOption('FNAME');
  await fields.getByRole('combobox', { name: 'Entry' }).fill('buyer.first');
  await fields.getByText('= Ada').waitFor();
  await page.getByRole('button', { name: 'Try the mapping' }).click();
  await page.getByText(/"email": "ada@example.com"/).waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  await settled(page);
  await screenshots(page, 'incoming-webhook');
  await axe(page, 'incoming webhook');
  await noSidewaysScroll(page);
  const [{ mapping }] = await installation.call<[{ mapping: Record<string, unknown> }]>('incomingWebhooks', {});
  assert.deepEqual(
    [mapping['email'], mapping['fields'], mapping['data'], mapping['names']],
    [
      'customer.email, buyer.mail',
      [{ tag: 'FNAME', member: 'buyer.first' }],
      [
        { name: 'lines', member: 'lines', items: [{ name: 'title', member: 'title' }] },
        { name: 'voucher', member: 'voucher.code', items: [] },
      ],
      [],
    ],
  );
  const answer = await post(url);
  assert.deepEqual(await answer.json(), { status: 'accepted' });
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText(/Accepted/).waitFor();
  // An open list of members is within the screen of a phone.
  await page.setViewportSize({ width: 390, height: 844 });
  await value.click();
  await page.getByRole('option', { name: /^sum/ }).waitFor();
  await noSidewaysScroll(page);
  await screenshots(page, 'incoming-webhook-members');
  noErrors(page);
});

test('the mapping of a known service is shown in rows, and events are renamed and removed', async () => {
  const { page, installation } = ui;
  const { id } = await installation.call<{ id: string }>('incomingWebhookCreate', {
    title: 'Shop',
    service: 'shopify',
  });
  await ui.open(`/webhooks/incoming/${id}`);
  // It is ready as it is: the mapping is folded, and says what it is.
  await page.getByRole('button', { name: /^Event\s*checkout\.started, order\.created, order\.paid$/ }).click();
  const events = page.getByRole('group', { name: 'Events', exact: true });
  await events.getByRole('button', { name: 'Remove checkouts/update' }).click();
  await events.getByRole('textbox', { name: 'Name here' }).first().fill('cart.left');
  await axe(page, 'mapping of a shop');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  const all = await installation.call<{ id: string; mapping: { names: object[]; data: object[] } }[]>(
    'incomingWebhooks',
    {},
  );
  const { mapping } = all.find((one) => one.id === id)!;
  assert.deepEqual(mapping.names, [
    { from: 'checkouts/create', to: 'cart.left' },
    { from: 'orders/create', to: 'order.created' },
    { from: 'orders/paid', to: 'order.paid' },
  ]);
  assert.equal(mapping.data.length, 6, 'what was not touched stays');
  await screenshots(page, 'incoming-webhook-shop');
  noErrors(page);
});
