// Incoming webhooks of shops over HTTP, by requests in the shape that the shops send.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import {
  type ShopRequest,
  shopify,
  shopifyCheckout,
  shopifyOrder,
  stripe,
  stripeSession,
  woocommerce,
  woocommerceOrder,
  woocommercePing,
} from '../../test/support/samples/shop-requests.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { purgeReceivedBodies } from './retention.ts';
import { runAutomations } from './run/engine.ts';

const secret = 'hush-hush-1234';
let t: TestApp;
let base: string;
let list: string;
before(async () => {
  t = await testApp();
  base = await t.listen();
  list = await t.call<string>('listCreate', { title: 'Tea' });
});
after(() => t.close());

type Hook = {
  id: string;
  url: string;
  last_result: string;
  last_detail: string;
  last_body: string;
  last_called: string;
  mapping: object;
};
const shown = async (id: string) => (await t.call<Hook[]>('incomingWebhooks')).find((one) => one.id === id)!;

async function hook(service: string, given: Record<string, unknown> = {}) {
  const { id, url } = await t.call<Hook>('incomingWebhookCreate', { title: 'Shop', service, secret, ...given });
  const path = new URL(url).pathname;
  const post = async ({ headers, body }: ShopRequest): Promise<[number, string]> => {
    const answer = await fetch(base + path, { method: 'POST', headers, body });
    while ((await runAutomations(t.app)) > 0);
    return [answer.status, ((await answer.json()) as { status: string }).status];
  };
  return { id, path, post };
}

type Event = { name: string; value: number | null; data: Record<string, unknown>; at: Date };
const events = (email: string) =>
  t.app.db.rows<Event>(sql`
    select n.name, e.value::float8 as value, coalesce(e.data, '{}') as data, e.at
    from contact_event e
    join event_name n on n.account_id = e.account_id and n.no = e.name_no
    join contact c on c.account_id = e.account_id and c.id = e.contact_id
    where c.email = ${email}
    order by e.at`);
const statusOf = async (email: string) => {
  const rows = await t.app.db.rows<{ status: string }>(sql`
    select s.status from subscription s join contact c on c.account_id = s.account_id and c.id = s.contact_id where c.email = ${email}`);
  return rows.map(({ status }) => status).join();
};
const inside = async (id: string) =>
  (await t.call<{ data: { email: string }[] }>('automationContacts', { id })).data.map(({ email }) => email);

test('a Shopify checkout lets a contact in with its cart, and the order ends its way', async () => {
  const automation = await t.call<string>('automationCreate', { title: 'Cart', list });
  await t.call('automationUpdate', {
    id: automation,
    trigger: { type: 'event', name: 'checkout.started' },
    goal: { event: 'order.created' },
    steps: [{ type: 'wait', amount: 1, unit: 'days' }],
  });
  await t.call('automationStart', { id: automation });
  await t.call('listSubscribe', { id: list, email_address: 'ada@example.com', double_optin: false });
  const { id, post } = await hook('shopify', { list });
  const checkout = shopify('checkouts/create', shopifyCheckout('ada@example.com'), secret);
  assert.deepEqual(await post(checkout), [200, 'accepted']);
  assert.deepEqual(await inside(automation), ['ada@example.com']);
  assert.deepEqual(await post(checkout), [200, 'duplicate'], 'the same delivery');
  const [event, ...more] = await events('ada@example.com');
  assert.deepEqual(more, []);
  assert.deepEqual(
    { name: event!.name, value: event!.value, at: event!.at.toISOString(), data: event!.data },
    {
      name: 'checkout.started',
      value: null,
      at: event!.at.toISOString(),
      data: {
        total: '32.90',
        currency: 'EUR',
        cart_url: 'https://teas.example/548380009/checkouts/123123123/recover?key=a&b=c',
        items: [
          { name: 'Darjeeling', variant: '100 g', quantity: 2, price: '9.95', sku: 'TEA-100' },
          { name: 'Assam <strong>', variant: '100 g', quantity: 1, price: '10.00', sku: 'TEA-100' },
        ],
      },
    },
  );
  assert.match((await shown(id)).last_body, /abandoned_checkout_url/);
  const order = shopifyOrder('ada@example.com', { presentment_currency: 'USD' });
  assert.deepEqual(await post(shopify('orders/create', order, secret, 'second')), [200, 'accepted']);
  const bought = (await events('ada@example.com')).find(({ name }) => name === 'order.created');
  assert.deepEqual([bought!.data['total'], bought!.data['currency']], ['32.90', 'EUR'], 'the currency of the total');
  assert.deepEqual(await inside(automation), []);
  const member = await t.call<Record<string, unknown>>('listMemberInfo', {
    id: list,
    email_address: 'ada@example.com',
  });
  assert.match(JSON.stringify(member), /"FNAME":"Ada"/, 'its fields are set');
  // A point of sale without an address, and a topic that is not mapped.
  assert.deepEqual(await post(shopify('checkouts/create', shopifyCheckout(null), secret, 'third')), [
    200,
    'no_address',
  ]);
  assert.deepEqual(await post(shopify('app/uninstalled', { id: 1 }, secret, 'fourth')), [200, 'ignored']);
  assert.equal((await shown(id)).last_detail, 'app/uninstalled');
});

test('only a request that is signed with the secret is taken', async () => {
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000);
  const order = shopifyOrder('forged@example.com');
  const session = stripeSession('checkout.session.completed', 'forged@example.com');
  const { post: toShopify, id } = await hook('shopify');
  const { post: toWoo } = await hook('woocommerce');
  const { post: toStripe } = await hook('stripe');
  const { post: toCustom } = await hook('custom');
  const signed = shopify('orders/create', order, secret);
  for (const [post, request] of [
    [toShopify, shopify('orders/create', order, 'wrong')],
    [toShopify, { ...signed, body: signed.body.replace('32.90', '0.90') }],
    [toShopify, { ...signed, headers: { 'content-type': 'application/json' } }],
    [toShopify, { ...signed, headers: { ...signed.headers, 'x-shopify-hmac-sha256': '' } }],
    [toWoo, woocommerce('order.created', woocommerceOrder('forged@example.com'), 'wrong')],
    [toWoo, { ...woocommercePing, body: 'webhook_id=7&billing[email]=forged@example.com' }],
    [toStripe, stripe(session, 'wrong')],
    // A recorded request, and one of the future.
    [toStripe, stripe(session, secret, at(-301))],
    [toStripe, stripe(session, secret, at(310))],
    [toStripe, { ...stripe(session, secret), headers: { 'stripe-signature': 't=,v1=' } }],
    [
      toCustom,
      {
        headers: { 'content-type': 'application/json', 'x-signature': 'sha256=00' },
        body: '{"email":"forged@example.com","event":"x"}',
      },
    ],
  ] as const)
    assert.deepEqual(await post(request), [401, 'bad_signature']);
  assert.deepEqual(await events('forged@example.com'), []);
  assert.equal((await shown(id)).last_body, '', 'the body of a stranger is not shown');
});

test('a WooCommerce order, its ping included', async () => {
  const { post, id } = await hook('woocommerce');
  assert.deepEqual(await post(woocommercePing), [200, 'ping']);
  const order = woocommerceOrder('zoe@example.com');
  assert.deepEqual(await post(woocommerce('order.created', order, secret)), [200, 'accepted']);
  assert.deepEqual(await post(woocommerce('order.created', order, secret)), [200, 'duplicate']);
  assert.deepEqual(await post(woocommerce('order.updated', order, secret, 'b')), [200, 'accepted']);
  assert.deepEqual(await post(woocommerce('product.updated', { id: 1 }, secret, 'c')), [200, 'ignored']);
  const found = await events('zoe@example.com');
  assert.deepEqual(
    found.map(({ name, value }) => [name, value]),
    [
      ['order.created', 29.35],
      ['order.updated', null],
    ],
  );
  assert.deepEqual(
    found[0]!.data['items'],
    [{ name: 'Woo Single #1', quantity: 2, price: 3, sku: '', image: 'https://shop.example/a.jpg' }].map(
      ({ sku: _, ...item }) => item,
    ),
  );
  assert.equal((await shown(id)).last_result, 'ignored');
});

test('a Stripe session, in the units of its currency', async () => {
  const { post } = await hook('stripe');
  const pay = (email: string | null, more: object, id: string) =>
    post(stripe(stripeSession('checkout.session.completed', email, more as never, id), secret));
  assert.deepEqual(await pay('grace@example.com', {}, 'evt_1'), [200, 'accepted']);
  assert.deepEqual(await pay('grace@example.com', {}, 'evt_1'), [200, 'duplicate']);
  assert.deepEqual(await pay('grace@example.com', { amount_total: 1500, currency: 'jpy' }, 'evt_2'), [200, 'accepted']);
  assert.deepEqual(
    await pay(null, { customer_email: 'grace@example.com', amount_total: 1234, currency: 'kwd' }, 'evt_3'),
    [200, 'accepted'],
  );
  assert.deepEqual((await events('grace@example.com')).map(({ value }) => value).sort(), [1.234, 1500, 21.98]);
  const expired = stripeSession(
    'checkout.session.expired',
    null,
    {
      customer_email: 'grace@example.com',
      after_expiration: { recovery: { enabled: true, url: 'https://buy.stripe.com/r/live_x' } },
    },
    'evt_4',
  );
  assert.deepEqual(await post(stripe(expired, secret)), [200, 'accepted']);
  assert.deepEqual(await post(stripe({ ...expired, id: 'evt_5', type: 'invoice.paid' }, secret)), [200, 'ignored']);
});

test('who agrees is subscribed, and no one else; who has left is asked', async () => {
  const { post } = await hook('shopify', { list, confirms: false });
  const { post: asking } = await hook('shopify', { list });
  const order = (email: string, accepts: unknown) =>
    shopify('orders/create', shopifyOrder(email, { buyer_accepts_marketing: accepts }), secret, `${email} ${accepts}`);
  for (const [email, accepts] of [
    ['no@example.com', false],
    ['null@example.com', null],
    ['odd@example.com', 'perhaps'],
    ['list@example.com', [true]],
  ] as const) {
    assert.deepEqual(await post(order(email, accepts)), [200, 'accepted']);
    assert.equal(await statusOf(email), '', email);
  }
  await post(order('yes@example.com', true));
  assert.equal(await statusOf('yes@example.com'), 'subscribed');
  await post(order('yes@example.com', false));
  assert.equal(await statusOf('yes@example.com'), 'subscribed', 'nothing unsubscribes');
  await asking(order('asked@example.com', 'true'));
  assert.equal(await statusOf('asked@example.com'), 'pending');
  await t.call('listUnsubscribe', { id: list, email_address: 'yes@example.com', send_goodbye: false });
  await post(order('yes@example.com', true));
  assert.equal(await statusOf('yes@example.com'), 'unsubscribed');
  await post(
    shopify('orders/create', shopifyOrder('yes@example.com', { buyer_accepts_marketing: true }), secret, 'again'),
  );
  assert.equal(await statusOf('yes@example.com'), 'unsubscribed', 'left before');
});

test('a mapping of another service: names, alternatives, a form, and what is missing', async () => {
  const { id, post } = await hook('custom', {
    secret: '',
    mapping: {
      email: 'mail, person.address',
      event_member: 'kind',
      event: 'signup',
      id: 'nr',
      value: 'sum',
      data: [{ name: 'plan', member: 'plan' }],
    },
  });
  const json = (body: unknown) => post({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  assert.deepEqual(
    await json({ person: { address: 'Tim <tim@example.com>' }, kind: 'trial.ends', nr: 1, sum: 'many', plan: 'pro' }),
    [200, 'unknown_contact'],
  );
  assert.deepEqual(await events('tim@example.com'), []);
  assert.doesNotMatch((await shown(id)).last_detail, /tim@/);
  await t.call('listSubscribe', { id: list, email_address: 'tim@example.com', double_optin: false });
  assert.deepEqual(
    await json({ person: { address: 'Tim <tim@example.com>' }, kind: 'trial.ends', nr: 1, sum: 'many', plan: 'pro' }),
    [200, 'accepted'],
  );
  assert.deepEqual(
    await post({
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'mail=tim%40example.com&sum=3',
    }),
    [200, 'accepted'],
  );
  assert.deepEqual((await events('tim@example.com')).map(({ name, value, data }) => [name, value, data]).sort(), [
    ['signup', 3, {}],
    ['trial.ends', null, { plan: 'pro' }],
  ]);
  assert.deepEqual(await post({ headers: { 'content-type': 'application/json' }, body: '{"mail":' }), [
    400,
    'unreadable',
  ]);
  assert.deepEqual(await json([]), [200, 'no_address']);
  assert.deepEqual(await json({ mail: 'no address' }), [200, 'no_address']);
});

test('an order of an address that cannot be subscribed is an event all the same', async () => {
  const strict = await t.call<string>('listCreate', { title: 'Strict' });
  await t.call('listMergeVarAdd', { id: strict, tag: 'CITY', name: 'City', options: { req: true } });
  const { id, post } = await hook('shopify', { list: strict });
  const accepts = { buyer_accepts_marketing: true };
  assert.deepEqual(await post(shopify('orders/create', shopifyOrder('city@example.com', accepts), secret)), [
    200,
    'accepted',
  ]);
  assert.match((await shown(id)).last_detail, /order\.created: trigger of 0, goal of 0 automations; .*CITY/);
  await t.call('suppressedListSubscribe', { email_address: 'bounced@example.com' });
  const { post: toTea } = await hook('shopify', { list });
  assert.deepEqual(await toTea(shopify('orders/create', shopifyOrder('bounced@example.com', accepts), secret)), [
    200,
    'accepted',
  ]);
  assert.equal((await events('bounced@example.com')).length, 1);
});

test('two deliveries of the same request at the same time count once', async () => {
  const { post } = await hook('shopify');
  const request = shopify('orders/create', shopifyOrder('twice@example.com'), secret);
  const answers = await Promise.all([post(request), post(request), post(request)]);
  assert.deepEqual(answers.map(([, status]) => status).sort(), ['accepted', 'duplicate', 'duplicate']);
  assert.equal((await events('twice@example.com')).length, 1);
});

test('an order with very many items keeps as many as fit', async () => {
  const { post } = await hook('shopify');
  const order = shopifyOrder('many@example.com');
  const line_items = Array.from({ length: 400 }, (_, i) => ({
    ...order.line_items[0]!,
    title: `Tea ${i} ${'x'.repeat(200)}`,
  }));
  assert.deepEqual(await post(shopify('orders/create', { ...order, line_items }, secret)), [200, 'accepted']);
  const [event] = await events('many@example.com');
  const items = event!.data['items'] as unknown[];
  assert.ok(items.length > 10 && items.length <= 50, `${items.length} items`);
  assert.ok(Buffer.byteLength(JSON.stringify(event!.data)) <= 8_192, 'as much as an event may have');
  assert.equal(event!.data['number'], '#1001');
});

test('URL, secret, list and erasure', async () => {
  const { id, path, post } = await hook('shopify', { list });
  await post(shopify('orders/create', shopifyOrder('erased@example.com'), secret));
  assert.match((await shown(id)).last_body, /erased@example.com/);
  await t.call('contactErase', { email: 'erased@example.com', keep_suppressed: false });
  assert.equal((await shown(id)).last_body, '');
  await post(shopify('orders/create', shopifyOrder('old@example.com'), secret, 'x'));
  await t.app.db.run(sql`update incoming_webhook set last_at = now() - interval '8 days' where id = ${parseId(id)}`);
  await purgeReceivedBodies({ app: t.app } as never);
  assert.equal((await shown(id)).last_body, '');
  const row = await t.app.db.row<{ text: string }>(
    sql`select w::text as text from incoming_webhook w where id = ${parseId(id)}`,
  );
  assert.doesNotMatch(row!.text, new RegExp(secret), 'the secret is sealed');
  const other = await t.anotherAccount();
  for (const [method, params] of [
    ['incomingWebhookUpdate', { id, title: 'x' }],
    ['incomingWebhookUrl', { id }],
    ['incomingWebhookDelete', { id }],
  ] as const)
    await assert.rejects(other.call(method, params), { fault: 'WEBHOOK_UNKNOWN' }, method);
  const theirs = await other.call<string>('listCreate', { title: 'Theirs' });
  await assert.rejects(t.call('incomingWebhookUpdate', { id, list: theirs }), { fault: 'LIST_UNKNOWN' });
  const { url } = await t.call<{ url: string }>('incomingWebhookUrl', { id });
  assert.equal((await fetch(base + path, { method: 'POST', body: '{}' })).status, 404, 'the URL before');
  assert.equal((await fetch(base + new URL(url).pathname)).status, 200);
  await t.app.db.run(sql`update account set active = false where id = ${t.account.id}`);
  assert.equal((await fetch(base + new URL(url).pathname, { method: 'POST', body: '{}' })).status, 404);
  await t.app.db.run(sql`update account set active = true where id = ${t.account.id}`);
  await t.call('incomingWebhookDelete', { id });
  assert.equal((await fetch(base + new URL(url).pathname)).status, 404);
});

test('an order that is older than events are kept is refused, and counts as nothing that happens today', async () => {
  const { id, post } = await hook('shopify', { list });
  const old = shopifyOrder('history@example.com', { updated_at: '2020-02-01T10:00:00Z' });
  assert.deepEqual(await post(shopify('orders/create', old, secret, 'history')), [200, 'refused']);
  assert.match((await shown(id)).last_detail, /^time/);
  assert.deepEqual(await events('history@example.com'), []);
});

test('the cart of a guest starts with the update that has the address', async () => {
  const { post } = await hook('shopify');
  const guest = { ...shopifyCheckout(''), email: null, customer: null };
  assert.deepEqual(await post(shopify('checkouts/create', guest, secret, 'guest1')), [200, 'no_address']);
  const known = shopifyCheckout('guest@example.com');
  assert.deepEqual(await post(shopify('checkouts/update', known, secret, 'guest2')), [200, 'accepted']);
  const completed = { ...known, completed_at: '2026-11-20T10:00:00Z' };
  assert.deepEqual(await post(shopify('checkouts/update', completed, secret, 'guest3')), [200, 'duplicate']);
  assert.deepEqual(
    (await events('guest@example.com')).map(({ name }) => name),
    ['checkout.started'],
  );
});

test('an order counts once, however many deliveries report it, and each update of it counts', async () => {
  const countOf = async (email: string, name: string) =>
    (await events(email)).filter((event) => event.name === name).length;
  const { post } = await hook('shopify');
  const order = shopifyOrder('again@example.com');
  assert.deepEqual(await post(shopify('orders/create', order, secret, 'dup1')), [200, 'accepted']);
  assert.deepEqual(await post(shopify('orders/create', order, secret, 'dup2')), [200, 'duplicate']);
  assert.deepEqual(await post(shopify('orders/paid', order, secret, 'dup3')), [200, 'accepted'], 'another event');
  const other = shopifyOrder('again@example.com', { id: 7 });
  assert.deepEqual(await post(shopify('orders/create', other, secret, 'dup4')), [200, 'accepted'], 'another order');
  assert.equal(await countOf('again@example.com', 'order.created'), 2);
  const checkout = shopifyCheckout('again@example.com');
  for (const id of ['up1', 'up2', 'up2']) await post(shopify('checkouts/update', checkout, secret, id));
  assert.equal(await countOf('again@example.com', 'checkout.started'), 1);
  const shop = await hook('woocommerce');
  const bought = woocommerceOrder('woo@example.com');
  for (const topic of ['order.created', 'order.updated'])
    for (const id of ['dup1', 'dup2']) await shop.post(woocommerce(topic, bought, secret, id));
  assert.deepEqual(
    [await countOf('woo@example.com', 'order.created'), await countOf('woo@example.com', 'order.updated')],
    [1, 2],
  );
  const paid = await hook('stripe');
  for (const id of ['evt_a', 'evt_b'])
    await paid.post(
      stripe(stripeSession('checkout.session.completed', 'stripe@example.com', { id: 'cs_1' }, id), secret),
    );
  assert.equal(await countOf('stripe@example.com', 'order.created'), 1);
});

test('the mapping is tried on what came: a form, and the event that the service called it', async () => {
  const attempt = (body: string, mapping: object, called = '') =>
    t.call<{ email: string; event: string; value: number | null; data: object }>('incomingWebhookTry', {
      body,
      mapping,
      called,
    });
  const { id, path } = await hook('custom', {
    secret: '',
    mapping: {
      email: 'email',
      event: 'plan.chosen',
      data: [{ name: 'plan', member: 'customer[plan]' }],
      create_contact: true,
    },
  });
  const form = new URLSearchParams({ email: 'form@example.com', 'customer[plan]': 'pro & more' });
  assert.equal((await fetch(base + path, { method: 'POST', body: form })).status, 200);
  const last = await shown(id);
  const made = await attempt(last.last_body, last.mapping);
  assert.deepEqual([made.email, made.event, made.data], ['form@example.com', 'plan.chosen', { plan: 'pro & more' }]);
  await assert.rejects(attempt('neither a form', {}), { fault: 'CONTENT_INVALID', message: /neither JSON nor a form/ });
  const shop = await hook('shopify');
  await shop.post(shopify('orders/create', shopifyOrder('tried@example.com'), secret, 'tried'));
  const order = await shown(shop.id);
  assert.equal(order.last_called, 'orders/create');
  const tried = await attempt(order.last_body, order.mapping, order.last_called);
  assert.deepEqual([tried.event, tried.value], ['order.created', 32.9]);
  await shop.post({ ...shopify('orders/paid', {}, 'another secret', 'x') });
  assert.equal((await shown(shop.id)).last_called, 'orders/create', 'nothing of a stranger is shown');
});

test('an amount is read as people write it, what is none is named, and a mapping without an event is refused', async () => {
  const mapping = { email: 'email', event: 'sale', value: 'total', create_contact: true };
  const amountIn = async (total: unknown) =>
    (
      await t.call<{ value: number | null }>('incomingWebhookTry', {
        body: JSON.stringify({ email: 'sum@example.com', total }),
        mapping,
      })
    ).value;
  for (const [total, value] of [
    ['1.234,50 €', 1234.5],
    ['EUR 1,234.50', 1234.5],
    ['1 234,50', 1234.5],
    ["CHF 1'234.50", 1234.5],
    ['12,50', 12.5],
    ['-3,5', -3.5],
    ['$1,234', 1234],
    ['1.234.567', 1234567],
    ['1.234', 1.234],
    [49.9, 49.9],
    ['1,2,3', null],
    ['12 pieces or more', null],
    ['', null],
  ] as const)
    assert.equal(await amountIn(total), value, String(total));
  const { id, path } = await hook('custom', { secret: '', mapping });
  const post = (body: object) =>
    fetch(base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  assert.equal((await post({ email: 'sum@example.com', total: 'on request' })).status, 200);
  assert.equal((await shown(id)).last_detail, 'sale: trigger of 0, goal of 0 automations; no amount: on request');
  await assert.rejects(t.call('incomingWebhookUpdate', { id, mapping: {} }), {
    fault: 'INVALID_PARAMETER',
    message: /mapping\.event: no event is named/,
  });
});
