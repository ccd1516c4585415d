// A template that is about to change, and who changes it.
import { mayDo } from '../../accounts/keys/permissions.ts';
import type { Caller, Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { empty, sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';

export type LockedTemplate = {
  id: number;
  source: string;
  subject: string;
  /** Programs send it by this name; null for none. */
  alias: string | null;
  /** Who wrote these. */
  userId: number | null;
  keyId: number | null;
};

/** @throws Fault TEMPLATE_UNKNOWN */
export async function lockTemplate(
  { tx, account, caller }: Context,
  named: string,
  use: 'read' | 'change' = 'change',
): Promise<LockedTemplate> {
  const row = await tx.row<LockedTemplate>(sql`
    select id, source, subject, alias, user_id as "userId", key_id as "keyId"
    from template
    where account_id = ${account.id}
      and id = ${parseId(named)}
    ${use === 'change' ? sql`for no key update` : empty}`);
  if (!row)
    throw fault('TEMPLATE_UNKNOWN', 'content.template_unknown', { member: 'template_id', id: named.slice(0, 40) });
  if (use === 'change' && row.alias !== null) needRightToSendByAlias(caller, 'template_id');
  return row;
}

/** What is sent by an alias is running: who may only write does not change it. @throws Fault NOT_ALLOWED */
export function needRightToSendByAlias(caller: Caller, member: string): void {
  if (!mayDo(caller, 'campaigns:send') && !mayDo(caller, 'messages:send'))
    throw fault('NOT_ALLOWED', 'template.sent_by_alias', { member });
}

export const authorOf = ({ caller }: Pick<Context, 'caller'>) => ({
  userId: caller.kind === 'user' ? caller.userId : null,
  keyId: caller.kind === 'key' ? caller.keyId : null,
});
