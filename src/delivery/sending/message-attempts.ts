// Attempts of a chunk of single messages. Each has a content, a sender and a signature of its own; a message that finds no
// relay or no database makes the chunk wait a moment.
import type { App } from '../../base/context.ts';
import type { Log } from '../../base/log.ts';
import { type Database, isUnavailable } from '../../db/connect.ts';
import type { RelayPool } from '../../relays/smtp/relay-pool.ts';
import type { Verdict } from '../../relays/verdict/verdict.ts';
import type { Chunk, Marked } from '../ledger/chunk.ts';
import { signingOf } from '../message/signing.ts';
import { ContentSealed, MessageContents } from '../message/single-content.ts';
import type { Feedback } from '../pace/pace.ts';
import { type AttemptOptions, type Attempts, contentSealed } from './attempt.ts';

/** How long the chunk waits at most. */
const maxRestMs = 2_000;

type Parts = { app: App; db: Database; attempts: Attempts; relayPool: RelayPool; log: Log };

export class MessageAttempts {
  readonly #parts: Parts;
  readonly #chunk: Chunk;
  readonly #contents: MessageContents;
  #restUntil = 0;

  constructor(parts: Parts, chunk: Chunk) {
    this.#parts = parts;
    this.#chunk = chunk;
    this.#contents = new MessageContents(parts.app, parts.db, chunk);
  }

  /** How long no message should be marked, as it would only be deferred again; 0 or less when one may be. */
  get restMs(): number {
    return this.#restUntil - performance.now();
  }

  async attempt(
    marked: Marked,
    asked: Pick<AttemptOptions, 'mayBegin' | 'onTurn' | 'mayDot'>,
  ): Promise<{ verdict: Verdict; feedback: Feedback }> {
    const { app, attempts, relayPool, log } = this.#parts;
    const chunk = this.#chunk;
    try {
      const content = await this.#contents.get(marked);
      const signing = content && (await signingOf(app, chunk, content.fromEmail));
      const ended = await attempts.attempt(marked, { chunk, content, signing, ...asked });
      const restMs = content ? relayPool.restMsFor(content.sender) : 0;
      if (ended.verdict.kind === 'notSent' && restMs > 0)
        this.#restUntil = performance.now() + Math.min(restMs, maxRestMs);
      return ended;
    } catch (error) {
      if (error instanceof ContentSealed) {
        const { account, campaign } = chunk;
        log.error(
          { account, campaign, seq: marked.seq },
          'a message is encrypted with another SEAL_KEY than that of this worker',
        );
        return contentSealed();
      }
      if (!isUnavailable(error)) throw error;
      this.#restUntil = performance.now() + maxRestMs;
      return { verdict: { kind: 'notSent' }, feedback: 'nothing' };
    }
  }
}
