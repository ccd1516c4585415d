// Whether the database is on a timeline on which nothing that workers had committed is missing, or all of it has been
// redone. Conditions for the statements that take and mark recipients; failover.ts makes them true again.
import { type Sql, sql } from '../../db/connect.ts';

/** Every worker has redone its journal since the last fail-over. */
export const isRedone: Sql = sql`not exists (select from heartbeat where timeline <> database_timeline())`;

/** As above, and so has this worker, which may have been absent. */
export const isRedoneBy = (workerId: number): Sql => sql`
  ${isRedone}
  and not exists (select from worker where id = ${workerId} and timeline <> database_timeline())`;
