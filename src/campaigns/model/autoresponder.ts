// Reads the settings of an autoresponder (type_opts) and checks its date field against every list of the campaign: at
// creation, at each change of the settings or of the lists, and before it starts.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import type { autoEvents, autoUnits, directions, TypeOpts } from './options.ts';

/** The member that names the field of the date. */
export const dateField = 'type_opts.event-datemerge';

/** The settings as they are stored. */
export type AutoSettings = {
  units: (typeof autoUnits)[number];
  time: number;
  direction: (typeof directions)[number];
  /** automation: the email of a step, which has no occasions. */
  event: (typeof autoEvents)[number] | 'automation';
  tag: string;
  /** Of the email of a step, once it is in a running version. */
  automation?: number;
};

/** Returns the settings as they are stored. @throws Fault AUTORESPONDER_INVALID */
export async function readTypeOpts(
  context: Context,
  campaignId: number,
  given: TypeOpts,
  member = 'type_opts',
): Promise<AutoSettings> {
  const tag = given['event-datemerge']?.trim().toUpperCase() ?? '';
  if (given.event !== 'signup') {
    if (tag === '')
      throw fault('AUTORESPONDER_INVALID', 'campaign.date_field_required', {
        member: `${member}.event-datemerge`,
        event: given.event,
      });
    await needDateField(context, campaignId, { event: given.event, tag }, `${member}.event-datemerge`);
  } else if (given['offset-dir'] === 'before') {
    throw fault('AUTORESPONDER_INVALID', 'campaign.before_signup', { member: `${member}.offset-dir` });
  }
  return {
    units: given['offset-units'],
    time: given['offset-time'],
    direction: given['offset-dir'],
    event: given.event,
    tag,
  };
}

/**
 * Checks that every list of the campaign has the date field of an autoresponder. Members of a list without it would
 * silently get nothing. Settings that use no date field pass.
 * @throws Fault AUTORESPONDER_INVALID naming the first list without it
 */
export async function needDateField(
  { tx, account }: Pick<Context, 'tx' | 'account'>,
  campaignId: number,
  auto: Pick<AutoSettings, 'event' | 'tag'> | null,
  member: string,
): Promise<void> {
  if (auto === null || auto.event === 'signup' || auto.event === 'automation') return;
  const { tag } = auto;
  const list = await tx.row<{ name: string; type: string | null }>(sql`
    select l.name, f.field_type as type
    from campaign_list cl
    join list l on l.account_id = cl.account_id and l.id = cl.list_id
    left join field f on f.account_id = cl.account_id and f.list_id = cl.list_id and f.tag = ${tag}
    where cl.account_id = ${account.id}
      and cl.campaign_id = ${campaignId}
      and f.field_type is distinct from 'date'
    order by cl.position, l.id
    limit 1`);
  if (!list) return;
  const values = { member, tag: tag.slice(0, 40), list: list.name.slice(0, 80) };
  if (list.type === null) throw fault('AUTORESPONDER_INVALID', 'campaign.date_field_unknown', values);
  throw fault('AUTORESPONDER_INVALID', 'campaign.date_field_type', { ...values, type: list.type });
}
