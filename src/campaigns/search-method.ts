// Campaigns as a person looks for them: by any part of the name or the subject, by state, with how many there are.
// campaigns() filters by whole values, as the specification has it.
import { z } from 'zod';
import { method } from '../api/method.ts';
import { params, text, whole, word } from '../api/params.ts';
import { join, type Sql, sql } from '../db/connect.ts';
import { campaignRecord, campaignRecords, type Status, shownStatus } from './record.ts';

const states = Object.keys(shownStatus) as [Status, ...Status[]];

export const searchMethod = method({
  name: 'campaignSearch',
  group: 'campaigns',
  summary: 'Returns the campaigns whose name or subject contains a text, newest first, and how many are in each state.',
  description:
    'total counts what fits both the text and the state; counts holds, for each delivery_status, what fits the text. Case does not matter.',
  params: params({
    query: text('Part of the name or of the subject; all campaigns when empty.', 200).default(''),
    state: word('Only campaigns with this delivery_status.', states).optional(),
    start: whole('Page number from which the selection starts.', 0, 1_000_000, { fault: 'START_BAD' }).default(0),
    limit: whole('Results per page, 1 to 1000.', 1, 1_000, { fault: 'LIMIT_BAD' }).default(25),
  }),
  returns: z.object({
    total: z.int(),
    counts: z.object(Object.fromEntries(states.map((state) => [state, z.int()])) as Record<Status, z.ZodInt>),
    data: z.array(campaignRecord),
  }),
  faults: ['START_BAD', 'LIMIT_BAD'],
  scope: 'read',
  reads: true,
  example: { params: { query: 'news', state: 'draft', limit: 5 } },
  async run(context, { query, state, start, limit }) {
    const fits = contains(query.trim());
    const rows = await context.tx.rows<{ status: Status; count: number }>(sql`
      select c.status, count(*)::int as count
      from campaign c
      where c.account_id = ${context.account.id}
        and ${fits}
      group by c.status`);
    const counts = Object.fromEntries(states.map((one) => [one, 0])) as Record<Status, number>;
    for (const { status, count } of rows) counts[status] = count;
    const chosen = state === undefined ? states : [state];
    const where = state === undefined ? fits : join([fits, sql`c.status = ${state}`], ' and ');
    return {
      total: chosen.reduce((sum, one) => sum + counts[one], 0),
      counts,
      data: await campaignRecords(context, where, { start, limit }),
    };
  },
});

/** The condition on `c` that its name or subject contains the text; the signs of `like` stand for themselves. */
function contains(part: string): Sql {
  if (part === '') return sql`true`;
  const pattern = `%${part.replace(/[\\%_]/g, '\\$&')}%`;
  return sql`(c.title ilike ${pattern} or c.subject ilike ${pattern})`;
}
