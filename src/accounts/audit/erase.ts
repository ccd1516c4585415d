// What is erased of a contact: its address in the audit log.
import { type ErasurePart, names, searchInPortions, withoutAddresses } from '../../base/erasure.ts';
import { sql } from '../../db/connect.ts';

export const auditErasure: ErasurePart = {
  async copies(search) {
    const { account, addresses, placeholder } = search;
    const isNamed = names(search, sql`lower(changes::text)`);
    await searchInPortions(
      search,
      sql`audit_entry`,
      sql`account_id = ${account}`,
      (within) => sql`
        update audit_entry
        set subject = case when lower(subject) = any (${addresses}::text[]) then ${placeholder} else subject end,
          detail = (
            select coalesce(jsonb_object_agg(key, case when lower(value) = any (${addresses}::text[]) then ${placeholder} else value end), '{}')
            from jsonb_each_text(detail)
          ),
          -- A condition, or the text of an email, may name the contact.
          changes = case when ${isNamed} then ${withoutAddresses(search, sql`changes::text`)}::jsonb else changes end
        where ${within}
          and (
            lower(subject) = any (${addresses}::text[])
            or exists (select from jsonb_each_text(detail) where lower(value) = any (${addresses}::text[]))
            or ${isNamed}
          )`,
    );
  },
};
