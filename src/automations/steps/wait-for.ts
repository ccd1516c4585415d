// Waits until an event is reported about the contact, or conditions match, at most for a time: then the arm yes, else the arm no. An
// event counts if the contact is on the step when its signal is taken; conditions are looked at when it arrives, and every five minutes. The arms are
// lists of steps, which steps.ts adds; run/advance.ts decides which one.
import { z } from 'zod';
import { matches, type SegmentFilter } from '../../audience/model/segment.ts';
import { filter, match, storedFilter } from '../../audience/segments/read-filter.ts';
import { message } from '../../base/messages.ts';
import { dataRecord, dataSetting, problemOfData, readData } from './data-conditions.ts';
import { eventName } from './event-name.ts';
import { stepKind } from './kind.ts';
import { problemOfFilter } from './problems.ts';
import type { spanUnits } from './span.ts';
import { wait, waitMembers, waitSettings } from './wait.ts';

export const waitFor = stepKind({
  type: 'wait_for',
  about: '(an event or conditions, at most for a time; two arms)',
  members: {
    name: z.string(),
    data: dataRecord.optional(),
    match: z.enum(matches),
    filter: storedFilter,
    ...waitMembers,
  },
  settings: { name: eventName, data: dataSetting, match: match.optional(), filter: filter.optional(), ...waitSettings },
  read: ({ name = '', data, match = 'all', filter = [], amount = 3, unit = 'days' }) => ({
    name: name.trim(),
    ...readData(data),
    match,
    filter: filter as SegmentFilter,
    amount,
    unit,
  }),
  problem(context, { fields }, { name, data, filter }) {
    if (name === '' && filter.length === 0) return message('automation.wait_for_missing');
    if (name === '' && data) return message('automation.event_missing');
    return problemOfData(data) ?? (filter.length > 0 ? problemOfFilter(context, fields, filter) : undefined);
  },
  // Conditions may match already.
  dueAt: (step, from, zone) => (step.filter.length > 0 ? from : endOf(step, from, zone)),
});

/** How often conditions are looked at. */
export const lookAgainMs = 5 * 60_000;

/** When the wait of a contact that arrived then ends without an event. */
export const endOf = (
  step: { amount: number; unit: (typeof spanUnits)[number] },
  arrivedAt: Date,
  zone: string,
): Date => wait.dueAt!(step, arrivedAt, zone);
