// The method that erases a contact.
import { z } from 'zod';
import type { ErasurePart } from '../../base/erasure.ts';
import { onWhole } from '../../db/narrowed/narrow.ts';
import { method } from '../../method/method.ts';
import { boolean, params } from '../../method/params.ts';
import { email } from '../contacts/methods.ts';
import { needContact, needOwnContact } from '../model/contact.ts';
import { eraseContact } from './erase.ts';

/** @param parts what the other slices erase */
export const eraseMethod = (parts: readonly ErasurePart[]) =>
  method({
    name: 'contactErase',
    group: 'contacts',
    summary:
      'Erases one contact everywhere: address, values, opens, clicks, copies of messages. This cannot be undone.',
    description:
      'The numbers of reports stay, and the bare consent log under a hash. Logs and caught messages are searched in the background, which takes some minutes in an account that has stored much. Files of finished imports are deleted whole. With keep_suppressed (the default) the address gets no mail in future either; only its hash is kept. No event is sent, since it would name the person.',
    params: params({
      email,
      keep_suppressed: boolean('Whether the address stays suppressed, as a hash.').default(true),
    }),
    returns: z.boolean(),
    faults: ['ADDRESS_UNKNOWN'],
    scope: 'write',
    permission: 'contacts:erase',
    narrowed: true,
    example: { params: { email: '{{email}}' } },
    run: async (context, { email: named, keep_suppressed }) => {
      const contact = await needContact(context, named);
      await needOwnContact(context, contact.id, 'email');
      // Also what was sent to it through lists that it has left.
      await onWhole(context.tx, (tx) => eraseContact({ ...context, tx }, contact, keep_suppressed, parts));
      return true;
    },
  });
