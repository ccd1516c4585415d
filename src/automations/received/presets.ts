// The mappings to begin with, for the services whose bodies are known. Pure.
import { type Mapping, readMapping } from './mapping.ts';
import type { Service } from './services.ts';

const items = (...members: [name: string, member: string][]) => members.map(([name, member]) => ({ name, member }));

export const presets: Record<Service, Mapping> = {
  custom: readMapping({ email: 'email', event_member: 'event', id: 'id', time: 'time', value: 'value' }),
  shopify: readMapping({
    email: 'email, contact_email, customer.email',
    names: [
      { from: 'checkouts/create', to: 'checkout.started' },
      // The cart of a guest has its address from an update on. It counts once, by its id.
      { from: 'checkouts/update', to: 'checkout.started' },
      { from: 'orders/create', to: 'order.created' },
      { from: 'orders/paid', to: 'order.paid' },
    ],
    // Its own id has each delivery of an order: with two webhooks for a topic in the shop, or one that was created again.
    id: 'id',
    id_events: 'checkout.started, order.created, order.paid',
    time: 'updated_at, created_at',
    value: 'total_price',
    value_events: 'order.created',
    data: [
      { name: 'number', member: 'name, order_number' },
      { name: 'total', member: 'total_price' },
      // Shopify counts total_price of an order in the currency of the shop, whatever the customer saw.
      { name: 'currency', member: 'currency, presentment_currency' },
      { name: 'cart_url', member: 'abandoned_checkout_url' },
      { name: 'order_url', member: 'order_status_url' },
      {
        name: 'items',
        member: 'line_items',
        items: items(
          ['name', 'title, name'],
          ['variant', 'variant_title'],
          ['quantity', 'quantity'],
          ['price', 'price'],
          ['sku', 'sku'],
        ),
      },
    ],
    create_contact: true,
    consent: 'buyer_accepts_marketing',
    fields: [
      { tag: 'FNAME', member: 'customer.first_name, billing_address.first_name, shipping_address.first_name' },
      { tag: 'LNAME', member: 'customer.last_name, billing_address.last_name, shipping_address.last_name' },
    ],
  }),
  woocommerce: readMapping({
    email: 'billing.email',
    names: [
      { from: 'order.created', to: 'order.created' },
      { from: 'order.updated', to: 'order.updated' },
    ],
    id: 'id',
    id_events: 'order.created',
    time: 'date_modified_gmt, date_created_gmt',
    value: 'total',
    value_events: 'order.created',
    data: [
      { name: 'number', member: 'number' },
      { name: 'status', member: 'status' },
      { name: 'total', member: 'total' },
      { name: 'currency', member: 'currency' },
      { name: 'order_url', member: 'payment_url' },
      {
        name: 'items',
        member: 'line_items',
        items: items(
          ['name', 'name'],
          ['quantity', 'quantity'],
          ['price', 'price'],
          ['sku', 'sku'],
          ['image', 'image.src'],
        ),
      },
    ],
    create_contact: true,
    fields: [
      { tag: 'FNAME', member: 'billing.first_name' },
      { tag: 'LNAME', member: 'billing.last_name' },
    ],
  }),
  stripe: readMapping({
    email: 'data.object.customer_details.email, data.object.customer_email',
    names: [
      // Paid by card; a bank transfer is paid later.
      { from: 'checkout.session.completed', to: 'order.created' },
      { from: 'checkout.session.async_payment_succeeded', to: 'order.paid' },
      { from: 'checkout.session.expired', to: 'checkout.expired' },
    ],
    id: 'data.object.id',
    id_events: 'order.created, order.paid, checkout.expired',
    time: 'created',
    value: 'data.object.amount_total',
    value_events: 'order.created',
    currency: 'data.object.currency',
    data: [
      { name: 'number', member: 'data.object.client_reference_id, data.object.id' },
      { name: 'currency', member: 'data.object.currency' },
      { name: 'payment_status', member: 'data.object.payment_status' },
      { name: 'cart_url', member: 'data.object.after_expiration.recovery.url' },
    ],
    create_contact: true,
    consent: 'data.object.consent.promotions',
    fields: [{ tag: 'FNAME', member: 'data.object.customer_details.name' }],
  }),
};
