// The filters of campaigns(): their types, and the SQL condition they combine to.
import type { z } from 'zod';
import { type OrderFilters, orderFilters, passes } from '../../accounts/labels/label.ts';
import { join, type Sql, sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { id, oneOf, struct, text, unlessEmpty } from '../../method/params.ts';
import { campaignLabels } from '../model/campaign.ts';
import { campaignType, typeColumn } from '../model/options.ts';
import { needDate, parseFilterDate } from '../model/schedule-time.ts';

// Many clients send every filter and leave the unused ones empty: an empty filter is ignored.
export const filters = struct(
  'Which campaigns; all when there is none.',
  {
    campaign_id: unlessEmpty(id('Campaign id.')),
    list_id: unlessEmpty(id('Id of a list the campaign goes to.')),
    status: unlessEmpty(
      oneOf(
        'sent, draft, paused or sending.',
        ['sent', 'draft', 'paused', 'sending'],
        {},
        { aliases: { save: 'draft', schedule: 'sending' } },
      ),
    ),
    type: unlessEmpty(campaignType.meta({ fault: undefined })),
    from_name: unlessEmpty(text('Sender name.')),
    from_email: unlessEmpty(text('Reply-to address.')),
    title: unlessEmpty(text('Campaign name.')),
    subject: unlessEmpty(text('Subject line.')),
    sendtime_start: unlessEmpty(text('Campaigns sent before this date (GMT).', 100).meta({ date: true })),
    sendtime_end: unlessEmpty(text('Campaigns sent after this date (GMT).', 100).meta({ date: true })),
    ...orderFilters,
  },
  // Text filters are always exact.
  { fault: 'OPTIONS_STRUCT_INVALID', selfFault: 'OPTIONS_STRUCT_INVALID', aliases: { exact: '' } },
);

export type Filters = z.output<typeof filters>;

/** The condition on `c` that all filters combine to. */
export function filterSql(chosen: Filters): Sql {
  const parts: Sql[] = [sql`true`];
  if (chosen.campaign_id !== undefined) parts.push(sql`c.id = ${parseId(chosen.campaign_id)}`);
  if (chosen.list_id !== undefined) parts.push(goesToList(chosen.list_id));
  if (chosen.status !== undefined) {
    const states = chosen.status === 'sending' ? ['scheduled', 'launching', 'sending'] : [chosen.status];
    parts.push(sql`c.status = any (${states}::text[])`);
  }
  if (chosen.type !== undefined) parts.push(sql`c.type = ${typeColumn(chosen.type)}`);
  if (chosen.from_name !== undefined) parts.push(sql`lower(c.from_name) = lower(${chosen.from_name})`);
  if (chosen.from_email !== undefined) parts.push(sql`lower(c.reply_to) = lower(${chosen.from_email})`);
  if (chosen.title !== undefined) parts.push(sql`lower(c.title) = lower(${chosen.title})`);
  if (chosen.subject !== undefined) parts.push(sql`lower(c.subject) = lower(${chosen.subject})`);
  parts.push(passesOrder(chosen));
  parts.push(sentBetween(chosen.sendtime_start, chosen.sendtime_end));
  return join(parts, ' and ');
}

/** The condition on `c` that it goes to this list. */
export const goesToList = (listId: string): Sql => sql`exists (
  select from campaign_list l
  where l.account_id = c.account_id and l.campaign_id = c.id and l.list_id = ${parseId(listId)}
)`;

/** The condition on `c` that it has the label, and is hidden or not. */
export const passesOrder = (chosen: OrderFilters): Sql =>
  passes(campaignLabels, chosen, { accountId: sql`c.account_id`, objectId: sql`c.id`, isHidden: sql`c.is_hidden` });

/** With one date: sent before sendtime_start, or after sendtime_end. With both: between the earlier and the later. */
function sentBetween(start: string | undefined, end: string | undefined): Sql {
  const before = start ? needDate(parseFilterDate(start), 'filters.sendtime_start') : undefined;
  const after = end ? needDate(parseFilterDate(end), 'filters.sendtime_end') : undefined;
  if (before && after) {
    const [from, to] = before < after ? [before, after] : [after, before];
    return sql`(c.send_at >= ${from} and c.send_at <= ${to})`;
  }
  if (before) return sql`c.send_at < ${before}`;
  if (after) return sql`c.send_at > ${after}`;
  return sql`true`;
}
