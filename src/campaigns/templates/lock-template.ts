// A template that is about to change, and who changes it.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { empty, sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';

export type LockedTemplate = {
  id: number;
  source: string;
  subject: string;
  /** Who wrote these. */
  userId: number | null;
  keyId: number | null;
};

/** @throws Fault TEMPLATE_UNKNOWN */
export async function lockTemplate(
  { tx, account }: Context,
  named: string,
  use: 'read' | 'change' = 'change',
): Promise<LockedTemplate> {
  const row = await tx.row<LockedTemplate>(sql`
    select id, source, subject, user_id as "userId", key_id as "keyId"
    from template
    where account_id = ${account.id}
      and id = ${parseId(named)}
    ${use === 'change' ? sql`for no key update` : empty}`);
  if (!row)
    throw fault('TEMPLATE_UNKNOWN', 'content.template_unknown', { member: 'template_id', id: named.slice(0, 40) });
  return row;
}

export const authorOf = ({ caller }: Pick<Context, 'caller'>) => ({
  userId: caller.kind === 'user' ? caller.userId : null,
  keyId: caller.kind === 'key' ? caller.keyId : null,
});
