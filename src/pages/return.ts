// Coming back at once, for those who left by mistake: the button of the page that says they left. It undoes that page and nothing
// else: the subscriptions that this visit has ended, for half an hour. So anyone who has the link, which is in a header that others
// read too, can do no more than take back what they have just done. The consent log has it as a subscription of its own.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { onBehalf } from '../accounts/account/system-context.ts';
import { subscribe } from '../audience/members/subscribe.ts';
import { findSubscription, type Subscription } from '../audience/members/subscription.ts';
import { fieldsOf } from '../audience/model/field.ts';
import type { App, Context } from '../base/context.ts';
import { Fault } from '../base/faults.ts';
import { formatId } from '../db/ids.ts';

export const returnMinutes = 30;

type Ended = { list: number; contact: number };

/** What was ended and when, signed. */
export function returnToken(app: App, account: number, ended: readonly Subscription[], at: number): string {
  const parts = [
    at.toString(36),
    ...ended.map(({ listId, contactId }) => `${listId.toString(36)}-${contactId.toString(36)}`),
  ];
  const text = parts.join('.');
  return `${text}.${macOf(app, account, text)}`;
}

/** Empty when it is not one of ours, or too old. */
export function readReturn(app: App, account: number, token: string, now: number): Ended[] {
  const end = token.lastIndexOf('.');
  const text = token.slice(0, Math.max(0, end));
  const given = Buffer.from(token.slice(end + 1));
  const expected = Buffer.from(macOf(app, account, text));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return [];
  const [time = '', ...pairs] = text.split('.');
  const age = now - Number.parseInt(time, 36);
  if (!(age >= -60_000 && age <= returnMinutes * 60_000)) return [];
  return pairs.map((pair) => {
    const [list = '', contact = ''] = pair.split('-');
    return { list: Number.parseInt(list, 36), contact: Number.parseInt(contact, 36) };
  });
}

/**
 * Subscribes again, with the values and the format that the person had: to all of the lists, or to none if someone else has changed one
 * since, or if one now asks for more.
 * @returns whether the person is back
 */
export async function comeBack(app: App, account: number, ended: readonly Ended[], ip: string): Promise<boolean> {
  if (ended.length === 0) return false;
  try {
    await onBehalf(app, account, ip, async (context) => {
      for (const one of ended) await subscribeAgain(context, one, ip);
    });
    return true;
  } catch (error) {
    // A fault with a time to retry after is about the machine, not about the lists.
    if (error instanceof ChangedSince || (error instanceof Fault && error.retryAfter === undefined)) return false;
    throw error;
  }
}

/** Rolls back what is already subscribed again. */
class ChangedSince extends Error {}

async function subscribeAgain(context: Context, { list, contact }: Ended, ip: string): Promise<void> {
  const before = await findSubscription(context, list, formatId(contact));
  if (before?.status !== 'unsubscribed') throw new ChangedSince();
  await subscribe(context, {
    listId: list,
    fields: await fieldsOf(context, list),
    email: before.email,
    vars: { values: {}, email: undefined, special: {} },
    emailType: before.emailType,
    doubleOptin: false,
    updateExisting: false,
    sendWelcome: false,
    source: 'subscriber',
    ip,
    agreed: { how: 'undo', minutes: returnMinutes },
  });
}

const macOf = (app: App, account: number, text: string) =>
  createHmac('sha256', app.secret).update(`return ${account} ${text}`).digest('base64url').slice(0, 22);
