// For whom the process works, so that thread pools can serve accounts in turns.
import { AsyncLocalStorage } from 'node:async_hooks';

const accounts = new AsyncLocalStorage<number>();

/** All that `work` gives to a pool waits in the turn of this account. */
export const inTurnOf = <T>(accountId: number, work: () => T): T => accounts.run(accountId, work);

/** What the process does for no account in particular has a turn of its own. */
export const currentTurn = (): number => accounts.getStore() ?? 0;
