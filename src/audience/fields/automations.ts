// Automations that use a field of their list. Their versions are fixed, so such a field keeps its tag.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';

/** @throws Fault CAMPAIGN_STATE_CONFLICT when a version that is in force, or that contacts are on, uses the field */
export async function needNotInAutomations({ tx, account }: Context, listId: number, tag: string): Promise<void> {
  const automations = await tx.rows<{ id: number; title: string }>(sql`
    select distinct a.id, a.title
    from automation a
    join automation_version v on v.account_id = a.account_id and v.automation_id = a.id
    where a.account_id = ${account.id}
      and a.list_id = ${listId}
      and a.status <> 'draft'
      -- In the trigger, in a step and in conditions the tag is the member "field"; conditions take it in any case.
      and position(upper(${`"field": "${tag}"`}) in upper(v.definition::text)) > 0
      and (
        v.no = a.version
        or exists (
          select
          from automation_run r
          where r.account_id = a.account_id
            and r.automation_id = a.id
            and r.version = v.no
            and r.ended_at is null
        )
      )
    order by a.id`);
  if (automations.length > 0)
    throw fault('CAMPAIGN_STATE_CONFLICT', 'field.used_by_automation', {
      member: 'tag',
      tag,
      automations: automations.map(({ id, title }) => `${formatId(id)} "${title}"`).join(', '),
    });
}
