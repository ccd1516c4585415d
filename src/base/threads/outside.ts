// Keeps work on documents out of transactions. A document may wait for a thread and take seconds, and a transaction that waits holds a
// connection and locks, until the database ends it. So a transaction that needs one is rolled back, the document is worked on, and the
// transaction runs again with the result.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';
import { Fault } from '../faults.ts';
import { message } from '../messages.ts';
import { inTurnOf } from './turns.ts';

/** The outcome of a document by the hash of its order. */
type Outcomes = Map<string, PromiseSettledResult<unknown>>;
type Work = () => Promise<unknown>;

/** Not an error: it leads out of the transaction. */
class Needed extends Error {
  readonly key: string;
  readonly work: Work;

  constructor(key: string, work: Work) {
    super('A document is needed');
    this.key = key;
    this.work = work;
  }
}

/** Whether an error leads out of a transaction to work on a document. */
export const isDocumentNeeded = (error: unknown): boolean => error instanceof Needed;

const transactions = new AsyncLocalStorage<Outcomes | undefined>();

/** More documents than a campaign has variants and languages. */
const maxDocuments = 200;

/**
 * Runs a transaction that may need documents, each time from its beginning, until it has them all.
 * @throws Fault UNAVAILABLE if its documents change each time
 */
export function withDocuments<T>(accountId: number, transaction: () => Promise<T>): Promise<T> {
  const outcomes: Outcomes = new Map();
  return inTurnOf(accountId, async () => {
    while (outcomes.size <= maxDocuments) {
      try {
        return await transactions.run(outcomes, transaction);
      } catch (error) {
        if (!(error instanceof Needed)) throw error;
        const [outcome] = await Promise.allSettled([error.work()]);
        outcomes.set(error.key, outcome);
      }
    }
    throw new Fault('UNAVAILABLE', message('content.busy'), 5);
  });
}

/** The result of work on a document: at once, or within a transaction from before it. */
export async function outside(order: unknown, work: Work): Promise<unknown> {
  const outcomes = transactions.getStore();
  if (!outcomes) return work();
  const key = createHash('sha256').update(serialize(order)).digest('base64');
  const outcome = outcomes.get(key);
  if (!outcome) throw new Needed(key, () => transactions.run(undefined, work));
  if (outcome.status === 'rejected') throw outcome.reason;
  // A copy each time, as from a thread.
  return structuredClone(outcome.value);
}
