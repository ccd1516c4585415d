// One event that a program reports about a contact: its parameters, and what is read from them.
import { z } from 'zod';
import { daysKept } from '../../accounts/account/retention.ts';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { boolean, decimal, filledLine, filledText, jsonStruct, line, text, unlessEmpty } from '../../method/params.ts';

/** JSON of the data of an event, in UTF-8. */
export const maxDataBytes = 8_192;
/** Clocks of programs that are ahead by less are set to ours. */
const maxAheadMinutes = 10;
/** More than any sum of money, and exact in six decimals. */
const maxValue = 999_999_999_999;

export const eventParams = {
  name: filledLine('The name of the event, such as cart.abandoned.', 100),
  email_address: filledText('The address or the id of the contact.', 1_000),
  data: jsonStruct(
    `What happened, as a struct of any members, such as the items of a cart: at most ${maxDataBytes} bytes of JSON. Members without a value (null) are left out.`,
    maxDataBytes,
  ).default({}),
  value: unlessEmpty(decimal('A number to sum up, such as the amount of an order.', -maxValue, maxValue)),
  time: unlessEmpty(
    text(
      'When it happened, as YYYY-MM-DD HH:MM:SS in GMT, in ISO 8601 with or without a zone, or in seconds since 1970; now by default. One more than MAX_LATENESS ago lets no contact into an automation.',
      40,
    ),
  ),
  id: unlessEmpty(
    line(
      'The id of the event in your program, such as the number of the order. The same id of the same name counts once.',
      100,
    ),
  ),
  create_contact: boolean(
    'Whether an unknown address becomes a contact without any subscription. By default an unknown address is refused.',
  ).default(false),
};
const shape = z.object(eventParams);
export type GivenEvent = z.output<typeof shape>;

/** An event that is valid in itself. `who` names the contact. */
export type ReadEvent = {
  name: string;
  who: string;
  data: Record<string, unknown>;
  value: number | null;
  at: Date;
  /** How exactly its time is known: it happened from `at` on, within this time. */
  precisionMs: number;
  id: string | undefined;
  createsContact: boolean;
};

/** @throws Fault DATE_INVALID */
export function readEvent({ account, now }: Pick<Context, 'account' | 'now'>, given: GivenEvent): ReadEvent {
  return {
    name: given.name.trim(),
    who: given.email_address,
    data: given.data,
    value: given.value ?? null,
    ...(given.time === undefined
      ? { at: now, precisionMs: 1 }
      : readTime(given.time, now, daysKept(account, 'keep_events_days'))),
    id: given.id?.trim() || undefined,
    createsContact: given.create_contact,
  };
}

const dayMs = 86_400_000;

type Time = Pick<ReadEvent, 'at' | 'precisionMs'>;

function readTime(given: string, now: Date, days: number): Time {
  const time = timeOf(given.trim());
  const member = 'time';
  if (!time) throw fault('DATE_INVALID', 'event.not_a_time', { member, value: given.slice(0, 40) });
  const aheadMs = time.at.getTime() - now.getTime();
  if (aheadMs > maxAheadMinutes * 60_000)
    throw fault('DATE_INVALID', 'event.time_future', { member, count: maxAheadMinutes });
  // It would be deleted tonight, and could count again.
  if (days > 0 && aheadMs < -days * dayMs) throw fault('DATE_INVALID', 'event.time_past', { member, count: days });
  return aheadMs > 0 ? { at: now, precisionMs: 1 } : time;
}

/** A day of the calendar, with a time and a zone or without; GMT without a zone. */
const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?:(:\d{2})(?:[.,](\d{1,9}))?)?)?\s?(Z|GMT|UTC|[+-]\d{2}:?\d{2})?$/i;
/** Seconds since 1970, or milliseconds: years 2001 to 2286. */
const since1970 = /^(\d{10})(?:\.(\d+)|(\d{3}))?$/;

function timeOf(text: string): Time | undefined {
  const [, whole, parts, ms] = since1970.exec(text) ?? [];
  if (whole !== undefined) return withFraction(Number(whole) * 1_000, parts ?? ms);
  const [, day, clock, seconds, fraction, zone = 'Z'] = ISO.exec(text) ?? [];
  if (day === undefined) return undefined;
  const wall = new Date(`${day}T${clock ?? '00:00'}${seconds ?? ':00'}Z`);
  // Date rolls 30 February over into March.
  if (Number.isNaN(wall.getTime()) || !wall.toISOString().startsWith(day)) return undefined;
  const atMs = wall.getTime() - offsetMs(zone);
  if (seconds !== undefined) return withFraction(atMs, fraction);
  return { at: new Date(atMs), precisionMs: clock === undefined ? dayMs : 60_000 };
}

/** @param digits of the fraction of a second; those below a millisecond are cut off */
function withFraction(secondMs: number, digits = ''): Time {
  const used = digits.slice(0, 3);
  return { at: new Date(secondMs + Number(used.padEnd(3, '0'))), precisionMs: 10 ** (3 - used.length) };
}

function offsetMs(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
