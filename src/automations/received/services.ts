// The services whose webhooks are known: how each signs a request, what it calls the event, and the id of the request. Pure.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { memberOf } from './mapping.ts';

export const services = ['custom', 'shopify', 'woocommerce', 'stripe'] as const;
export type Service = (typeof services)[number];

/** How old a request of Stripe may be, as its libraries have it; a recorded one cannot be sent again later. */
export const toleranceSeconds = 300;

type Request = { headers: IncomingHttpHeaders; raw: Buffer; body: unknown };

const header = ({ headers }: Pick<Request, 'headers'>, name: string): string => {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : '';
};

const textAt = (body: unknown, path: string): string => {
  const value = memberOf(body, path);
  return typeof value === 'string' ? value : '';
};

/** What the service calls the event; '' for none. */
export function calledBy(service: Service, request: Request): string {
  switch (service) {
    case 'shopify':
      return header(request, 'x-shopify-topic');
    case 'woocommerce':
      return header(request, 'x-wc-webhook-topic');
    case 'stripe':
      return textAt(request.body, 'type');
    case 'custom':
      return '';
  }
}

/** The id that a repeated request has again; '' for none. */
export function deliveryOf(service: Service, request: Request): string {
  switch (service) {
    case 'shopify':
      return header(request, 'x-shopify-webhook-id') || header(request, 'x-shopify-event-id');
    case 'woocommerce':
      return header(request, 'x-wc-webhook-delivery-id');
    case 'stripe':
      return textAt(request.body, 'id');
    case 'custom':
      return header(request, 'webhook-id');
  }
}

/** WooCommerce asks whether the address answers when a webhook is saved: a form with nothing but the webhook's id, not signed. */
export const isPing = (service: Service, { headers, raw }: Pick<Request, 'headers' | 'raw'>): boolean =>
  service === 'woocommerce' &&
  header({ headers }, 'x-wc-webhook-topic') === '' &&
  /^webhook_id=\d{1,20}$/.test(raw.toString('latin1').trim());

/** Whether the request is signed with the secret. Other services: X-Signature or X-Hub-Signature-256, hexadecimal. */
export function isSigned(
  service: Service,
  { headers, raw }: Pick<Request, 'headers' | 'raw'>,
  secret: string,
  now: Date,
): boolean {
  const hmac = (...parts: (string | Buffer)[]) => {
    const digest = createHmac('sha256', secret);
    for (const part of parts) digest.update(part);
    return digest.digest();
  };
  const isRecent = (seconds: string) =>
    /^\d{1,12}$/.test(seconds) && Math.abs(now.getTime() / 1000 - Number(seconds)) <= toleranceSeconds;
  switch (service) {
    case 'shopify':
      return isSame(header({ headers }, 'x-shopify-hmac-sha256'), 'base64', hmac(raw));
    case 'woocommerce':
      return isSame(header({ headers }, 'x-wc-webhook-signature'), 'base64', hmac(raw));
    case 'stripe': {
      const parts = header({ headers }, 'stripe-signature')
        .split(',')
        .map((part) => part.trim().split('='));
      const at = parts.find(([name]) => name === 't')?.[1] ?? '';
      if (!isRecent(at)) return false;
      const expected = hmac(`${at}.`, raw);
      // One for each secret while a secret is being replaced.
      return parts.some(([name, value = '']) => name === 'v1' && isSame(value, 'hex', expected));
    }
    case 'custom':
      return isSame(
        (header({ headers }, 'x-signature') || header({ headers }, 'x-hub-signature-256')).replace(/^sha256=/i, ''),
        'hex',
        hmac(raw),
      );
  }
}

/** In the same time whatever differs. */
function isSame(given: string, encoding: 'hex' | 'base64', expected: Buffer): boolean {
  const bytes = Buffer.from(given, encoding);
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}
