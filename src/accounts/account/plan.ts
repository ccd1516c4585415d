// What the plan of an account allows. A PRO account chooses its sender; others send from their main address.
import type { Account } from '../../base/context.ts';
import { type Sql, sql } from '../../db/connect.ts';

export const maySetSender = ({ plan }: Pick<Account, 'plan'>): boolean => plan === 'pro';

/** The same as a condition on a row of the table account. */
export const maySetSenderIn = (account: Sql): Sql => sql`${account}.plan = 'pro'`;
