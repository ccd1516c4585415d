// A field of the contact changes, to any value or to one.
import { z } from 'zod';
import { text } from '../../method/params.ts';
import { problemOfField } from '../steps/problems.ts';
import { triggerKind } from './kind.ts';

/** Triggers of several types have one. */
export const fieldSetting = text('field, date: the merge tag.', 100).optional();

export const field = triggerKind({
  type: 'field',
  about: '(a field changes)',
  members: { field: z.string(), value: z.string() },
  settings: {
    field: fieldSetting,
    value: text('field: the value that the field must get; any when left out.', 255).optional(),
  },
  read: ({ field = '', value = '' }) => ({ field: field.trim().toUpperCase(), value }),
  problem: (_context, { fields }, { field }) => problemOfField(fields, field),
  columns: ({ field, value }) => ({ field, value }),
});
