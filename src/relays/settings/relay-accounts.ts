// The relays that an account uses, seen from the account: of those that are limited to accounts, the ones that name it. The messages of an
// account go to the relays that are limited to it and to no others (base/relay/message-sender.ts).
import { fault } from '../../base/faults.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { relayChannel } from '../../jobs/channels.ts';

/**
 * Makes these, and no others, the relays that are limited to the account. A relay of all accounts would become one of this account
 * alone, and one that no account is left for would become everyone's: both are for relayUpdate, where that shows.
 * @throws Fault INVALID_PARAMETER
 */
export async function limitRelays(tx: Tx, accountId: number, ids: readonly string[]): Promise<void> {
  const rows = await tx.rows<{ id: number; name: string; accounts: number[] }>(sql`
    select id, name, accounts from relay order by id for update`);
  const wanted = new Set(ids.map(parseId));
  const unknown = ids.find((id) => !rows.some((row) => row.id === parseId(id)));
  if (unknown !== undefined)
    throw fault('INVALID_PARAMETER', 'operator.relay_unknown', { member: 'relays', id: unknown.slice(0, 40) });
  for (const { id, name, accounts } of rows) {
    if (wanted.has(id) === accounts.includes(accountId)) continue;
    const others = accounts.filter((other) => other !== accountId);
    if (others.length === 0)
      throw fault('INVALID_PARAMETER', wanted.has(id) ? 'operator.relay_of_all' : 'operator.relay_of_none', {
        member: 'relays',
        name: name || formatId(id),
      });
    const next = wanted.has(id) ? [...others, accountId] : others;
    await tx.run(sql`update relay set accounts = ${next}::int[], changed_at = now() where id = ${id}`);
  }
  await tx.run(sql`select pg_notify(${relayChannel}, '')`);
}
