// Campaigns as a person looks for them: by any part of the name or the subject, by state, with how many there are.
// campaigns() filters by whole values, as the specification has it.
import { z } from 'zod';
import { join, type Sql, sql } from '../../db/connect.ts';
import { method } from '../../method/method.ts';
import { params, text, whole, word } from '../../method/params.ts';
import { campaignRecord, campaignRecords, type Status, shownStatus } from '../record.ts';

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
    start: whole('Page number from which the selection starts.', 0, 1_000_000, { fault: 'START_OUT_OF_RANGE' }).default(
      0,
    ),
    limit: whole('Results per page, 1 to 1000.', 1, 1_000, { fault: 'LIMIT_OUT_OF_RANGE' }).default(25),
  }),
  returns: z.object({
    total: z.int(),
    counts: z.object(Object.fromEntries(states.map((state) => [state, z.int()])) as Record<Status, z.ZodInt>),
    data: z.array(campaignRecord),
  }),
  faults: ['START_OUT_OF_RANGE', 'LIMIT_OUT_OF_RANGE'],
  scope: 'read',
  reads: true,
  example: { params: { query: 'news', state: 'draft', limit: 5 } },
  async run(context, { query, state, start, limit }) {
    const fits = contains(query.trim());
    const rows = await context.tx.rows<{ status: Status; count: number; ids: number[] | null }>(sql`
      select c.status, count(*)::int as count, ${query.trim() === '' ? sql`null::int[]` : sql`case when count(*) <= ${fewCampaigns} then array_agg(c.id) end`} as ids
      from campaign c
      where c.account_id = ${context.account.id}
        and ${fits}
      group by c.status`);
    const counts = Object.fromEntries(states.map((one) => [one, 0])) as Record<Status, number>;
    for (const { status, count } of rows) counts[status] = count;
    const chosen = rows.filter((one) => state === undefined || one.status === state);
    const total = chosen.reduce((sum, one) => sum + one.count, 0);
    // A few that were found are not looked for again among all.
    const found = chosen.every((one) => one.ids !== null) ? chosen.flatMap((one) => one.ids ?? []) : undefined;
    const where = found ? sql`c.id = any (${found}::int[])` : fits;
    return {
      total,
      counts,
      data:
        total <= start * limit
          ? []
          : await campaignRecords(
              context,
              state === undefined ? where : join([where, sql`c.status = ${state}`], ' and '),
              { start, limit },
            ),
    };
  },
});

/** Of each state. */
const fewCampaigns = 1_000;

/** The condition on `c` that its name or subject contains the text. */
function contains(part: string): Sql {
  const wanted = part.toLowerCase();
  if (wanted === '') return sql`true`;
  // Letters without accents are turned to lower case byte by byte, in a third of the time the rules of a language take.
  const lowered = (text: Sql) => (isAscii(wanted) ? sql`lower(${text} collate "C")` : sql`lower(${text})`);
  return sql`(strpos(${lowered(sql`c.title`)}, ${wanted}) > 0 or strpos(${lowered(sql`c.subject`)}, ${wanted}) > 0)`;
}

const isAscii = (text: string) => /^[\x00-\x7f]*$/.test(text);
