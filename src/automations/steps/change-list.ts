// Adds contacts to another list, or unsubscribes them from one.
import { z } from 'zod';
import { subscribe } from '../../audience/members/subscribe.ts';
import { findSubscription, type Subscription } from '../../audience/members/subscription.ts';
import { unsubscribe } from '../../audience/members/unsubscribe.ts';
import type { Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { id } from '../../method/params.ts';
import { done, stepKind } from './kind.ts';

export const addToList = changesList('add_to_list', add);

export const removeFromList = changesList('remove_from_list', async (context, _list, _email, before) => {
  if (before?.status === 'subscribed') await unsubscribe(context, before, { source: 'admin', ip: '' });
});

function changesList<const Type extends string>(
  type: Type,
  change: (context: Context, list: number, email: string, before: Subscription | undefined) => Promise<void>,
) {
  return stepKind({
    type,
    about: '',
    members: { list: z.string() },
    settings: { list: id('add_to_list, remove_from_list: the list.').optional() },
    read: ({ list = '' }) => ({ list }),
    async problem({ tx, account }, _draft, { list: named }) {
      const list = await tx.row(sql`select from list where account_id = ${account.id} and id = ${parseId(named)}`);
      return list ? undefined : message('automation.list_missing');
    },
    isContactwise: true,
    async carryOut(context, _of, { list: named }, due) {
      const list = parseId(named);
      const known = await context.tx.row(sql`
        select from list where account_id = ${context.account.id} and id = ${list} for key share`);
      if (!known) return { unfit: message('automation.list_gone') };
      for (const { contact, email } of due)
        await change(context, list, email, await findSubscription(context, list, formatId(contact)));
      return done;
    },
  });
}

/** A contact that has left the list before is not brought back. */
async function add(context: Context, listId: number, email: string, before: Subscription | undefined): Promise<void> {
  if (before && before.status !== 'pending') return;
  try {
    await subscribe(context, {
      listId,
      fields: [],
      email,
      vars: { values: {}, email: undefined, special: {} },
      doubleOptin: false,
      updateExisting: true,
      sendWelcome: false,
      source: 'admin',
      ip: '',
    });
  } catch (error) {
    // Suppressed: it stays off the list. Nothing was written.
    if (!(error instanceof Fault)) throw error;
  }
}
