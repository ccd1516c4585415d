// Two arms: contacts that match conditions take one, the others the other one. The arms are lists of steps, which steps.ts adds.
import { z } from 'zod';
import { fieldsOf } from '../../audience/model/field.ts';
import { type Match, matches, type SegmentFilter } from '../../audience/model/segment.ts';
import { segmentCondition } from '../../audience/segments/condition-sql.ts';
import { idsIn } from '../../audience/segments/describe.ts';
import { filter, match, rereadFilter, storedFilter } from '../../audience/segments/read-filter.ts';
import { namesFor } from '../../audience/segments/references.ts';
import type { Context } from '../../base/context.ts';
import { message } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { type Due, type Effect, type StepOf, stepKind } from './kind.ts';
import { problemOfFilter } from './problems.ts';

export const condition = stepKind({
  type: 'condition',
  about: '(two arms)',
  members: { match: z.enum(matches), filter: storedFilter },
  settings: { match: match.optional(), filter: filter.optional() },
  read: ({ match = 'all', filter = [] }) => ({ match, filter: filter as SegmentFilter }),
  problem: (context, { fields }, { filter }) => problemOfFilter(context, fields, filter),
  carryOut: matchingOf,
});

/** The contacts among these that match conditions now. */
export async function matchingOf(
  context: Context,
  of: StepOf,
  { match, filter }: { match: Match; filter: SegmentFilter },
  due: readonly Due[],
): Promise<Effect> {
  const names = await namesFor(context, [filter]);
  if (idsIn(filter).some((id) => !names.has(id))) return { unfit: message('automation.condition_gone') };
  const read = rereadFilter(await fieldsOf(context, of.list), filter);
  const scope = { accountId: context.account.id, listId: of.list, zone: context.account.timeZone, few: true };
  const rows = await context.tx.rows<{ contact: number }>(sql`
    select s.contact_id as contact
    from subscription s
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    where s.account_id = ${context.account.id}
      and s.list_id = ${of.list}
      and s.contact_id = any (${due.map(({ contact }) => contact)}::int[])
      and ${segmentCondition(match, read, scope)}`);
  return { matching: new Set(rows.map((row) => row.contact)) };
}
