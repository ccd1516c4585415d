// What of a request of another service becomes an event of a contact: paths to its members. Pure.
import { z } from 'zod';
import { arrayOf, boolean, filledLine, line, struct } from '../../method/params.ts';

/** JSON of the data of an event, in UTF-8; more is left out from the end of the longest list. */
const maxDataBytes = 8_000;
const maxItems = 50;

const path = (description: string) => line(description, 300).default('');
const part = {
  name: filledLine('The name of the member in the data of the event.', 60),
  member: filledLine('The path of the member of the body.', 300),
};

export const mappingParams = {
  email: path(
    'The path of the member with the address of the contact, such as customer.email. Several paths, separated by commas: the first that has an address.',
  ),
  event: line('The name of the event, unless event_member or names give it.', 100).default(''),
  event_member: path('The path of the member with the name of the event; with a service, what it calls the event.'),
  names: arrayOf(
    'What events are called here. Others are then ignored.',
    struct('A name.', {
      from: filledLine('The name in the request, such as orders/create.', 100),
      to: filledLine('The name of the event, such as order.created.', 100),
    }),
    50,
  ).default([]),
  id: path(
    'The path of a member that is different for each event, such as the id of the order. Without one, the id that the service gives its request. The same one counts once for each name.',
  ),
  id_events: line(
    'The names of the events that the member id identifies, separated by commas, such as order.created; empty: all. An order is created once and updated often: the others have the id of the request.',
    300,
  ).default(''),
  time: path('The path of the member with the time; without it, when the request arrives.'),
  value: path('The path of the member with the value of the event, such as the total of an order.'),
  value_events: line(
    'The names of the events whose value counts, separated by commas, such as order.created; empty: all. A cart is no income, and an order is one, however many events report it.',
    300,
  ).default(''),
  currency: path(
    'The path of the member with the currency, of a service that counts the value in its smallest unit, such as cents.',
  ),
  data: arrayOf(
    'What is kept as the data of the event.',
    struct('A member.', {
      ...part,
      items: arrayOf(
        'Of a list: the members of its items that are kept; all of them if none is given.',
        struct('A member.', part),
        20,
      ).default([]),
    }),
    40,
  ).default([]),
  create_contact: boolean('Whether an unknown address becomes a contact without any subscription.').default(false),
  consent: path(
    'The path of the member that says whether the person agrees to get emails, such as buyer_accepts_marketing. If it does, the address is subscribed to the list.',
  ),
  fields: arrayOf(
    'Fields of the list that are set.',
    struct('A field.', {
      tag: filledLine('The tag of the field.', 60),
      member: filledLine('The path of the member of the body.', 300),
    }),
    40,
  ).default([]),
};
const shape = z.object(mappingParams);
export type Mapping = z.output<typeof shape>;

/** Reads a mapping as it is stored: what it lacks has its default. */
export const readMapping = (stored: unknown): Mapping => shape.parse(stored ?? {});

/** What a request says. */
export type Said = {
  /** '' if no address was found. */
  email: string;
  /** '' if there is none, or it is ignored. */
  event: string;
  id: string;
  time: string;
  value: number | undefined;
  /** What was to be the value and is no amount; '' otherwise. */
  noAmount: string;
  data: Record<string, unknown>;
  consents: boolean;
  fields: Record<string, string>;
};

/** @param called what the service calls the event; '' for none. @param delivery the id of the request; '' for none */
export function readBody(mapping: Mapping, body: unknown, called = '', delivery = ''): Said {
  const textOf = (paths: string) => asText(firstOf(body, paths));
  const event = eventOf(mapping, called || textOf(mapping.event_member));
  const given = isAmong(mapping.value_events, event) ? asText(firstOf(body, mapping.value)) : '';
  const value = amountOf(given, textOf(mapping.currency));
  return {
    email: addressOf(body, mapping.email || 'email'),
    event,
    id: ((isAmong(mapping.id_events, event) && textOf(mapping.id)) || delivery).slice(0, 80),
    time: textOf(mapping.time),
    value,
    noAmount: value === undefined ? given.slice(0, 40) : '',
    data: dataOf(mapping, body),
    consents: mapping.consent !== '' && isConsent(firstOf(body, mapping.consent)),
    fields: Object.fromEntries(
      mapping.fields.flatMap(({ tag, member }) => {
        const text = textOf(member);
        return text === '' ? [] : [[tag, text]];
      }),
    ),
  };
}

function eventOf({ event, names }: Mapping, called: string): string {
  if (names.length === 0) return (called || event).trim().slice(0, 100);
  const known = names.find(({ from }) => from.toLowerCase() === called.trim().toLowerCase());
  return known?.to ?? (called === '' ? event : '');
}

/** Of names that are separated by commas; without any, all are meant. */
const isAmong = (names: string, event: string): boolean =>
  names.trim() === '' || names.split(',').some((name) => name.trim() === event);

/** The first of the paths, separated by commas, whose member has a value. */
function firstOf(body: unknown, paths: string): unknown {
  for (const one of paths.split(',')) {
    const value = one.trim() === '' ? undefined : memberOf(body, one.trim());
    if (value !== undefined && value !== null && value !== '') return value;
  }
  return undefined;
}

function addressOf(body: unknown, paths: string): string {
  for (const one of paths.split(',')) {
    const text = asText(memberOf(body, one.trim()));
    if (text.includes('@')) return text;
  }
  return '';
}

/** The value at a path: the whole of it as a name (forms have names such as customer[email]), else by its parts. */
export function memberOf(body: unknown, path: string): unknown {
  if (isObject(body) && Object.hasOwn(body, path)) return body[path];
  let value: unknown = body;
  for (const name of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** An array too: its items have the names 0, 1, 2. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const asText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
        .replaceAll(/\p{Cc}+/gu, ' ')
        .trim()
    : '';

/** Currencies whose smallest unit is not a hundredth (ISO 4217, as Stripe counts them). */
const decimals: Record<string, number> = {
  ...Object.fromEntries(
    [
      'BIF',
      'CLP',
      'DJF',
      'GNF',
      'JPY',
      'KMF',
      'KRW',
      'MGA',
      'PYG',
      'RWF',
      'UGX',
      'VND',
      'VUV',
      'XAF',
      'XOF',
      'XPF',
    ].map((currency) => [currency, 0]),
  ),
  ...Object.fromEntries(['BHD', 'JOD', 'KWD', 'OMR', 'TND'].map((currency) => [currency, 3])),
};

function amountOf(given: string, currency: string): number | undefined {
  const text = plainAmount(given);
  if (!/^-?\d{1,15}(\.\d{1,12})?$/.test(text)) return undefined;
  const number = Number(text);
  const shift = currency === '' ? 0 : (decimals[currency.toUpperCase()] ?? 2);
  return Math.abs(number) > 999_999_999_999 ? undefined : Number((number / 10 ** shift).toFixed(6));
}

/** The digits and separators of an amount, perhaps with its currency before or after it. */
const amount = /^(?:[\p{L}\p{Sc}]{1,5}\s*)?(-?\d[\d\s.,'’]*?)(?:\s*[\p{L}\p{Sc}]{1,5})?$/u;

/**
 * An amount as people write it, as programs do: 1.234,50 €, EUR 1,234.50 and 1 234,50 are 1234.50. Of two separators the last is that of
 * the decimals. A single comma before three digits separates thousands, and a single dot is that of JSON.
 */
function plainAmount(given: string): string {
  const digits = (amount.exec(given.trim())?.[1] ?? '').replaceAll(/[\s'’]/g, '');
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  if (last < 0) return digits;
  const [mark, whole, rest] = [digits[last]!, digits.slice(0, last), digits.slice(last + 1)];
  const isThousands = whole.includes(mark) || (mark === ',' && !whole.includes('.') && rest.length === 3);
  const [first = '', ...groups] = (isThousands ? digits : whole).split(/[.,]/);
  if (groups.length > 0 && (groups.some((group) => group.length !== 3) || first.length > 4)) return '';
  const joined = first + groups.join('');
  return isThousands ? joined : `${joined}.${rest}`;
}

/** Only words that say yes: anything else subscribes no one. */
const isConsent = (value: unknown): boolean =>
  /^(true|1|yes|y|on|subscribed|opt_in|opted_in|accepted|granted)$/i.test(asText(value));

function dataOf(mapping: Mapping, body: unknown): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  for (const { name, member, items } of mapping.data) {
    const value = firstOf(body, member);
    if (value === undefined) continue;
    data[name] = Array.isArray(value) ? value.slice(0, maxItems).map((item) => itemOf(item, items)) : value;
  }
  return withinBytes(data);
}

function itemOf(item: unknown, parts: readonly { name: string; member: string }[]): unknown {
  if (parts.length === 0) return item;
  return Object.fromEntries(
    parts.flatMap(({ name, member }) => {
      const value = firstOf(item, member);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** An order with a hundred items is still an order: its last items are left out, then its largest members. */
export function withinBytes(data: Record<string, unknown>): Record<string, unknown> {
  const kept = { ...data };
  while (bytesOf(kept) > maxDataBytes) {
    const [name] = Object.entries(kept).sort((a, b) => bytesOf(b[1]) - bytesOf(a[1]))[0]!;
    const value = kept[name];
    if (Array.isArray(value) && value.length > 1) kept[name] = value.slice(0, -1);
    else delete kept[name];
  }
  return kept;
}
