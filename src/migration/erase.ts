// What is erased of a contact: the problems of moves that name it.
import { type ErasurePart, names, searchInPortions } from '../base/erasure.ts';
import { sql } from '../db/connect.ts';

export const migrationErasure: ErasurePart = {
  async copies(search) {
    const migrations = await search.db.rows<{ id: number }>(sql`
      select id from source_migration where account_id = ${search.account}`);
    for (const { id } of migrations)
      await searchInPortions(
        search,
        sql`source_migration_problem`,
        sql`account_id = ${search.account} and migration_id = ${id}`,
        (within) => sql`
          delete from source_migration_problem
          where ${within}
            and ${names(search, sql`lower(value)`)}`,
      );
  },
};
