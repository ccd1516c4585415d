// Sets a field of the contact, as the account would.
import { z } from 'zod';
import { findSubscription } from '../../audience/members/subscription.ts';
import { updateSubscription } from '../../audience/members/update.ts';
import { type Field, findField, readFieldText } from '../../audience/model/field.ts';
import { fieldsToWrite } from '../../audience/segments/references.ts';
import { type Message, message } from '../../base/messages.ts';
import { formatId } from '../../db/ids.ts';
import { text } from '../../method/params.ts';
import { done, stepKind } from './kind.ts';
import { problemOfField } from './problems.ts';

export const setField = stepKind({
  type: 'set_field',
  about: '',
  members: { field: z.string(), value: z.string() },
  settings: {
    field: text('set_field: the merge tag.', 100).optional(),
    value: text('set_field: the value.', 255).optional(),
  },
  read: ({ field = '', value = '' }) => ({ field: field.trim().toUpperCase(), value }),
  problem: (_context, { fields }, { field, value }) =>
    problemOfField(fields, field) ?? problemOfValue(findField(fields, field)!, value),
  isContactwise: true,
  async carryOut(context, of, { field, value: written }, due) {
    const known = (await fieldsToWrite(context, of.list)).find(({ tag }) => tag === field);
    if (!known) return { unfit: message('automation.field_gone', { tag: field }) };
    const reading = readFieldText(known, written);
    const value = reading.ok ? reading.value : written;
    for (const { contact } of due) {
      const before = await findSubscription(context, of.list, formatId(contact));
      if (!before || (before.fields[field] ?? '') === value) continue;
      const vars = { values: { [field]: value }, email: undefined, special: {} };
      // Without the fields: a required one that is empty must not keep the contact on the step.
      await updateSubscription(context, before, [], vars, undefined, 'admin');
    }
    return done;
  },
});

/** The address of a contact is not a value to set. */
function problemOfValue(field: Field, value: string): Message | undefined {
  if (field.tag === 'EMAIL') return message('automation.field_missing');
  return readFieldText(field, value).ok ? undefined : message('automation.field_value', { tag: field.tag });
}
