// Reads the settings of an autoresponder (type_opts) and checks its date field against the lists of the campaign.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import type { TypeOpts } from './options.ts';

const dateField = 'type_opts.event-datemerge';

/** Returns the settings as they are stored. @throws Fault AUTORESPONDER_INVALID */
export async function readTypeOpts(
  context: Context,
  campaignId: number,
  given: TypeOpts,
): Promise<Record<string, unknown>> {
  const tag = given['event-datemerge']?.trim().toUpperCase() ?? '';
  if (given.event !== 'signup') {
    if (tag === '')
      throw fault('AUTORESPONDER_INVALID', 'campaign.date_field_required', { member: dateField, event: given.event });
    const field = await context.tx.row<{ type: string }>(sql`
      select f.field_type as type
      from campaign_list l
      join field f on f.account_id = l.account_id and f.list_id = l.list_id and f.tag = ${tag}
      where l.account_id = ${context.account.id}
        and l.campaign_id = ${campaignId}
      limit 1`);
    if (!field)
      throw fault('AUTORESPONDER_INVALID', 'campaign.date_field_unknown', { member: dateField, tag: tag.slice(0, 40) });
    if (field.type !== 'date')
      throw fault('AUTORESPONDER_INVALID', 'campaign.date_field_type', { member: dateField, tag, type: field.type });
  } else if (given['offset-dir'] === 'before') {
    throw fault('AUTORESPONDER_INVALID', 'campaign.before_signup', { member: 'type_opts.offset-dir' });
  }
  return {
    units: given['offset-units'],
    time: given['offset-time'],
    direction: given['offset-dir'],
    event: given.event,
    tag,
  };
}
