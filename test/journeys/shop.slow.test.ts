// A shop without a programmer: its webhooks report a cart with three items and the order. The cart brings a reminder with the items,
// the order ends it, and what the reminder brought in is in its report.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ShopRequest, shopify, shopifyCheckout, shopifyOrder } from '../support/samples/shop-requests.ts';
import { type Journey, startJourney } from './journey.ts';

const secret = 'the secret of the shop';
let journey: Journey;
before(async () => {
  journey = await startJourney();
});
after(() => journey.close());

const reminder = `<p>Hello *|FNAME:there|*, your cart waits:</p>
<table>*|EACH:EVENT:items|*<tr><td>*|ITEM:quantity|* × *|ITEM:name|*</td><td>*|ITEM:price|*</td></tr>*|END:EACH|*</table>
<p><a href="*|EVENT:cart_url|*">Back to the cart</a></p><p><a href="https://teas.example/help">Help</a></p><p><a href="*|UNSUB|*">Leave</a></p>`;

const line = (title: string, price: string, quantity: number) => ({
  title,
  price,
  quantity,
  sku: title.slice(0, 3),
  variant_title: '',
});
const cart = (email: string) =>
  shopifyCheckout(email, {
    line_items: [line('Darjeeling', '9.95', 2), line('Assam <b>', '10.00', 1), line('Earl Grey', '4.50', 3)],
  });

test('a cart with three items is remembered, an order in time ends the reminder, a later one counts for it', async () => {
  const { call, service } = journey;
  const list = await call<string>('listCreate', { title: 'Customers' });
  for (const email of ['ada@example.com', 'bob@example.com'])
    await call('listSubscribe', { id: list, email_address: email, double_optin: false });
  const email = await call<string>('automationEmailCreate', {
    list,
    subject: 'Your *|EACH:EVENT:items|**|ITEM:name|* *|END:EACH|*',
  });
  await call('campaignUpdate', { cid: email, name: 'html', value: reminder });
  const automation = await call<string>('automationCreate', { title: 'Cart', list });
  await call('automationUpdate', {
    id: automation,
    trigger: { type: 'event', name: 'checkout.started' },
    goal: { event: 'order.created' },
    steps: [
      { key: 'pause', type: 'wait', amount: 1, unit: 'minutes' },
      { key: 'reminder', type: 'send', campaign: email },
    ],
  });
  await call('automationStart', { id: automation });
  const { url } = await call<{ url: string }>('incomingWebhookCreate', {
    title: 'Shop',
    service: 'shopify',
    secret,
    list,
  });
  const post = async ({ headers, body }: ShopRequest) => {
    const answer = await fetch(url, { method: 'POST', headers, body });
    return [answer.status, ((await answer.json()) as { status: string }).status];
  };

  // Both leave a cart; Bob orders before the reminder.
  assert.deepEqual(await post(shopify('checkouts/create', cart('ada@example.com'), secret, 'a1')), [200, 'accepted']);
  assert.deepEqual(await post(shopify('checkouts/create', cart('ada@example.com'), secret, 'a1')), [200, 'duplicate']);
  assert.deepEqual(await post(shopify('checkouts/create', cart('bob@example.com'), secret, 'b1')), [200, 'accepted']);
  assert.deepEqual(await post(shopify('orders/create', shopifyOrder('bob@example.com'), secret, 'b2')), [
    200,
    'accepted',
  ]);
  assert.equal((await post({ ...shopify('orders/create', cart('eve@example.com'), 'another secret', 'e1') }))[0], 401);

  const got = await journey.email('ada@example.com', 'Your Darjeeling Assam <b> Earl Grey');
  assert.match(got.html, /Hello Ada, your cart waits/);
  assert.match(got.html, /2 × Darjeeling[\s\S]*1 × Assam &lt;b&gt;[\s\S]*3 × Earl Grey/);
  assert.match(got.text, /3 × Earl Grey/);
  assert.deepEqual(await journey.emails('bob@example.com'), []);

  // She follows the link of her own cart, and orders.
  const link = /href="([^"]+)"[^>]*>Back to the cart/.exec(got.html)![1]!.replaceAll('&amp;', '&');
  const click = await fetch(link, {
    redirect: 'manual',
    headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x64) Firefox/140.0' },
  });
  assert.equal(click.headers.get('location'), 'https://teas.example/548380009/checkouts/123123123/recover?key=a&b=c');
  const brought = async () =>
    (
      await call<{ people: number; values: { value: string; currency: string }[] }[]>('campaignConversions', {
        cids: [email],
      })
    )[0]!;
  await service.until('the click is counted', async () => {
    const { clicks } = await call<{ clicks: number }>('campaignStats', { cid: email });
    return clicks > 0;
  });
  const order = shopifyOrder('ada@example.com', {
    // Shopify counts in whole seconds.
    updated_at: new Date(Date.now() + 1_000).toISOString(),
  });
  assert.deepEqual(await post(shopify('orders/create', order, secret, 'a2')), [200, 'accepted']);
  assert.deepEqual(await post(shopify('orders/paid', order, secret, 'a3')), [200, 'accepted']);
  await service.until('the order counts', async () => (await brought()).people > 0);
  const { people, values } = await brought();
  assert.deepEqual(
    [people, values],
    [1, [{ currency: 'EUR', value: '32.9' }]],
    'once, although two requests report it',
  );
});
