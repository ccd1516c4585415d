// The name of a list where readers see it: on the pages and in the emails of signing up and leaving, in List-Id and as LIST:NAME.
import { type Sql, sql } from '../../db/connect.ts';

/** SQL: the name for readers of the list `l`, otherwise its name. */
export const readerName = (l: Sql): Sql => sql`coalesce(nullif(${l}.public_title, ''), ${l}.name)`;
