// Requests of shops as their webhooks post them: the members of recorded ones, with made-up people and addresses.
import { createHmac } from 'node:crypto';

export type ShopRequest = { headers: Record<string, string>; body: string };

/** A time shortly ago as shops write it, in whole seconds: what is older starts no automation. @param hours of the zone */
const shortlyAgo = (seconds: number, hours = 0) =>
  new Date(Date.now() - seconds * 1_000 + hours * 3_600_000).toISOString().slice(0, 19);

/** Each order and each checkout has an id of its own. */
let lastId = 0;
const nextId = (from: number) => from + ++lastId;

const base64 = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('base64');

export function shopify(
  topic: string,
  body: unknown,
  secret: string,
  id = 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043',
): ShopRequest {
  const text = JSON.stringify(body);
  return {
    body: text,
    headers: {
      'content-type': 'application/json',
      'x-shopify-topic': topic,
      'x-shopify-hmac-sha256': base64(secret, text),
      'x-shopify-shop-domain': 'teas.myshopify.com',
      'x-shopify-api-version': '2026-07',
      'x-shopify-webhook-id': id,
      'x-shopify-triggered-at': '2026-11-28T12:00:00.000000000Z',
    },
  };
}

export function woocommerce(
  topic: string,
  body: unknown,
  secret: string,
  id = '8c9a8bb5b1a1a8d1a4a6f0d2f0a1c2d3',
): ShopRequest {
  const text = JSON.stringify(body);
  const [resource = '', event = ''] = topic.split('.');
  return {
    body: text,
    headers: {
      'content-type': 'application/json',
      'x-wc-webhook-source': 'https://shop.example/',
      'x-wc-webhook-topic': topic,
      'x-wc-webhook-resource': resource,
      'x-wc-webhook-event': event,
      'x-wc-webhook-signature': base64(secret, text),
      'x-wc-webhook-id': '7',
      'x-wc-webhook-delivery-id': id,
    },
  };
}

/** What WooCommerce sends when a webhook is saved. */
export const woocommercePing: ShopRequest = {
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: 'webhook_id=7',
};

export function stripe(body: unknown, secret: string, at = new Date()): ShopRequest {
  const text = JSON.stringify(body, null, 2);
  const seconds = Math.floor(at.getTime() / 1000);
  const signature = createHmac('sha256', secret).update(`${seconds}.${text}`).digest('hex');
  return {
    body: text,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': `t=${seconds},v1=${'0'.repeat(64)},v1=${signature},v0=abc`,
    },
  };
}

const shopifyLine = (title: string, price: string, quantity: number) => ({
  id: 866550311766439,
  admin_graphql_api_id: 'gid://shopify/LineItem/866550311766439',
  title,
  variant_title: '100 g',
  name: `${title} - 100 g`,
  sku: 'TEA-100',
  vendor: 'Teas',
  product_id: 632910392,
  variant_id: 808950810,
  quantity,
  price,
  price_set: {
    shop_money: { amount: price, currency_code: 'EUR' },
    presentment_money: { amount: price, currency_code: 'EUR' },
  },
  taxable: true,
  requires_shipping: true,
  grams: 100,
  tax_lines: [],
  properties: [],
});

const shopifyPerson = (email: string) => ({
  id: 115310627314723,
  email,
  first_name: 'Ada',
  last_name: 'Lovelace',
  email_marketing_consent: { state: 'not_subscribed', opt_in_level: null, consent_updated_at: null },
  tags: '',
  currency: 'EUR',
});

export const shopifyCheckout = (email: string | null, more: Record<string, unknown> = {}) => ({
  id: nextId(981820079255243),
  token: '123123123',
  cart_token: 'eeafa272cebfd4b22385bc4b645e762c',
  email,
  gateway: null,
  buyer_accepts_marketing: false,
  created_at: `${shortlyAgo(3_600, 1)}+01:00`,
  updated_at: `${shortlyAgo(60, 1)}+01:00`,
  currency: 'EUR',
  presentment_currency: 'EUR',
  total_price: '32.90',
  subtotal_price: '29.90',
  abandoned_checkout_url: 'https://teas.example/548380009/checkouts/123123123/recover?key=a&b=c',
  customer: email === null ? null : shopifyPerson(email),
  line_items: [shopifyLine('Darjeeling', '9.95', 2), shopifyLine('Assam <strong>', '10.00', 1)],
  note: '',
  ...more,
});

export const shopifyOrder = (email: string, more: Record<string, unknown> = {}) => ({
  id: nextId(820982911946154),
  name: '#1001',
  order_number: 1001,
  email,
  contact_email: email,
  buyer_accepts_marketing: false,
  cancelled_at: null,
  created_at: `${shortlyAgo(4, 1)}+01:00`,
  updated_at: `${shortlyAgo(2, 1)}+01:00`,
  currency: 'EUR',
  financial_status: 'paid',
  total_price: '32.90',
  order_status_url: 'https://teas.example/548380009/orders/123456abcd/authenticate?key=abcdefg',
  customer: shopifyPerson(email),
  billing_address: { first_name: 'Ada', last_name: 'Lovelace', country_code: 'GB' },
  line_items: [shopifyLine('Darjeeling', '9.95', 2)],
  ...more,
});

export const woocommerceOrder = (email: string, more: Record<string, unknown> = {}) => ({
  id: nextId(726),
  parent_id: 0,
  number: '727',
  order_key: 'wc_order_58d2d042d1d',
  status: 'processing',
  currency: 'EUR',
  date_created: shortlyAgo(2, 1),
  date_created_gmt: shortlyAgo(2),
  date_modified_gmt: shortlyAgo(2),
  total: '29.35',
  customer_id: 0,
  billing: { first_name: 'Zoë', last_name: 'Müller', email, phone: '', country: 'DE' },
  payment_method: 'bacs',
  payment_url: 'https://shop.example/checkout/order-pay/727/?pay_for_order=true&key=wc_order_58d2d042d1d',
  meta_data: [{ id: 13106, key: '_download_permissions_granted', value: 'yes' }],
  line_items: [
    {
      id: 315,
      name: 'Woo Single #1',
      product_id: 93,
      quantity: 2,
      subtotal: '6.00',
      total: '6.00',
      sku: '',
      price: 3,
      image: { id: '12', src: 'https://shop.example/a.jpg' },
    },
  ],
  ...more,
});

export const stripeSession = (
  type: string,
  email: string | null,
  more: Record<string, unknown> = {},
  id = 'evt_1T2q3RLkdIwHu7ix',
) => ({
  id,
  object: 'event',
  api_version: '2026-10-29',
  created: Math.floor(Date.now() / 1000),
  data: {
    object: {
      id: `cs_test_${id}`,
      object: 'checkout.session',
      amount_subtotal: 2198,
      amount_total: 2198,
      currency: 'usd',
      customer: null,
      customer_email: null,
      customer_details: email === null ? null : { email, name: 'Grace Hopper', phone: null, tax_exempt: 'none' },
      consent: null,
      client_reference_id: null,
      payment_status: 'paid',
      status: 'complete',
      after_expiration: null,
      ...more,
    },
  },
  livemode: false,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  type,
});
