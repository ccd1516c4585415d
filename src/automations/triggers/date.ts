// The day of a date field of the contact, or some time before or after it, once or every year. The calendar is that of
// autoresponders; run/scan.ts looks up whose day has come.
import { z } from 'zod';
import { findField } from '../../audience/model/field.ts';
import { message } from '../../base/messages.ts';
import type { OccasionRule } from '../../campaigns/release/occasions.ts';
import { integer, oneOf } from '../../method/params.ts';
import { problemOfField } from '../steps/problems.ts';
import { fieldSetting } from './field.ts';
import { triggerKind } from './kind.ts';

const repeats = ['once', 'yearly'] as const;
const units = ['days', 'weeks', 'months'] as const;
const directions = ['before', 'after'] as const;

const members = {
  field: z.string(),
  repeat: z.enum(repeats),
  amount: z.int(),
  unit: z.enum(units),
  direction: z.enum(directions),
  hour: z.int(),
  late: z
    .literal('enter')
    .optional()
    .meta({ description: 'Lets contacts in however late their date is found; otherwise not later than MAX_LATENESS.' }),
};

export const date = triggerKind({
  type: 'date',
  about: '(a date field)',
  members,
  settings: {
    field: fieldSetting,
    repeat: oneOf('date: once, or every year on that day and month.', repeats).optional(),
    amount: integer('date: how many units before or after the date; 0 for the day itself.', 0, 1_000).optional(),
    unit: oneOf('date: days, weeks or months.', units).optional(),
    direction: oneOf('date: before or after the date.', directions).optional(),
    hour: integer("date: the hour of the day in the contact's time zone, 9 when left out.", 0, 23).optional(),
    late: oneOf(
      'date: what happens to a contact whose date is found more than MAX_LATENESS late, after downtime: skip (when left out; automationGet counts it in late) or enter.',
      ['skip', 'enter'],
    ).optional(),
  },
  read({ field = '', repeat = 'once', amount = 0, unit = 'days', direction = 'after', hour = 9, late }) {
    const tag = field.trim().toUpperCase();
    return { field: tag, repeat, amount, unit, direction, hour, ...(late === 'enter' && { late }) };
  },
  problem(_context, { fields }, { field: tag }) {
    const missing = problemOfField(fields, tag);
    if (missing) return missing;
    return findField(fields, tag)!.type === 'date' ? undefined : message('automation.field_no_date', { tag });
  },
});

/** The calendar of autoresponders, for this trigger. */
export const ruleOfDate = (trigger: z.output<z.ZodObject<typeof members>>): OccasionRule => ({
  units: ({ days: 'day', weeks: 'week', months: 'month' } as const)[trigger.unit],
  time: trigger.amount,
  dir: trigger.direction,
  event: trigger.repeat === 'yearly' ? 'annual' : 'date',
});
