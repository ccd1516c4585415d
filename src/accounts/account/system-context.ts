// Work that the program does for an account outside a call: pages that a recipient opens, tasks.
import { randomUUID } from 'node:crypto';
import type { Account, App, Context } from '../../base/context.ts';
import { rolePermissions } from '../../base/permissions.ts';
import { isLostRace, sql, type Tx } from '../../db/connect.ts';
import { accountById } from './account.ts';

/** As often as a call. */
const maxAttempts = 4;

/**
 * Runs `work` in one transaction with a context of the account; undefined when there is no such account (any more). When it loses
 * a race against another transaction it runs again, as calls do: a reader or a shop has no one who would repeat its request.
 */
export async function onBehalf<T>(
  app: App,
  accountId: number,
  ip: string,
  work: (context: Context) => Promise<T>,
  /** How long a statement of it may take, where it is longer than an ordinary one. */
  replyTimeoutMs?: number,
): Promise<T | undefined> {
  const account = await accountById(app.db, accountId);
  if (!account) return undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      return await app.db.transaction(async (tx) => {
        const clock = await tx.row<{ now: Date }>(sql`select now() as now`);
        return work(systemContext(app, tx, { account, now: clock!.now, ip }));
      }, replyTimeoutMs);
    } catch (error) {
      if (attempt === maxAttempts || !isLostRace(error)) throw error;
    }
  }
}

/** The context of work for an account within a transaction. @param ip of the recipient who caused it; '' if no one did */
export function systemContext(
  app: App,
  tx: Tx,
  { account, now, ip }: { account: Account; now: Date; ip: string },
): Context {
  const requestId = randomUUID();
  return {
    app,
    account,
    caller: { kind: 'system', permissions: rolePermissions.editor, ip, lists: null },
    tx,
    now,
    log: app.log.child({ requestId }),
    requestId,
    language: 'en',
  };
}
