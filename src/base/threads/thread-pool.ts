// A few threads that do work on foreign input, each piece within a time limit. Guarantees that this thread is never
// blocked, that work which takes too long or too much memory fails alone: its thread is replaced, the others go on, and that no
// account keeps the others waiting: accounts are served in turns, and where there are several threads, none takes the last one.
// The code of the thread is left to the caller: it gets a message and answers with `{ value }` or `{ error }`.
import { Worker } from 'node:worker_threads';
import { currentTurn } from './turns.ts';

export class OverLimit extends Error {
  readonly limit: 'time' | 'memory' | 'queue';

  constructor(limit: 'time' | 'memory' | 'queue') {
    super(`The work exceeded its limit of ${limit}`);
    this.name = 'OverLimit';
    this.limit = limit;
  }
}

export type ThreadLimits = {
  threads: number;
  maxMs: number;
  maxMemoryMb: number;
  maxWaiting: number;
  maxWaitingOfOne?: number;
};

/** `transfer`: buffers that the thread takes over instead of a copy. `maxMs`: another limit than the pool's. */
type RunOptions = { transfer?: readonly ArrayBuffer[]; maxMs?: number };

type Work = RunOptions & { turn: number; order: unknown; resolve(value: unknown): void; reject(error: Error): void };

export class ThreadPool {
  readonly #code: URL;
  readonly #limits: ThreadLimits;
  readonly #idle: Worker[] = [];
  /** By account, the one whose turn is next first. */
  readonly #waiting = new Map<number, Work[]>();
  readonly #running = new Map<number, number>();
  #busy = 0;

  constructor(code: URL, limits: ThreadLimits) {
    this.#code = code;
    this.#limits = limits;
  }

  /** @throws OverLimit; Error of the work itself */
  run(order: unknown, options: RunOptions = {}): Promise<unknown> {
    const turn = currentTurn();
    const { maxWaiting, maxWaitingOfOne = maxWaiting } = this.#limits;
    const all = [...this.#waiting.values()].reduce((sum, { length }) => sum + length, 0);
    const own = this.#waiting.get(turn)?.length ?? 0;
    if (all >= maxWaiting || own >= maxWaitingOfOne) return Promise.reject(new OverLimit('queue'));
    return new Promise((resolve, reject) => {
      const work = { ...options, turn, order, resolve, reject };
      this.#waiting.set(turn, [...(this.#waiting.get(turn) ?? []), work]);
      this.#next();
    });
  }

  #next(): void {
    if (this.#busy >= this.#limits.threads) return;
    const work = this.#take();
    if (!work) return;
    this.#busy += 1;
    this.#running.set(work.turn, (this.#running.get(work.turn) ?? 0) + 1);
    const thread = this.#idle.pop() ?? this.#start();
    this.#give(thread, work);
  }

  /** The first work of the account whose turn it is and which may have another thread; that account is the last from now on. */
  #take(): Work | undefined {
    const maxOfOne = Math.max(1, this.#limits.threads - 1);
    for (const [turn, [work, ...rest]] of this.#waiting) {
      if ((this.#running.get(turn) ?? 0) >= maxOfOne) continue;
      this.#waiting.delete(turn);
      if (rest.length > 0) this.#waiting.set(turn, rest);
      return work;
    }
    return undefined;
  }

  #give(thread: Worker, { turn, order, transfer = [], maxMs = this.#limits.maxMs, resolve, reject }: Work): void {
    const end = (then: () => void, reusable: boolean) => {
      clearTimeout(timer);
      for (const event of ['message', 'error', 'exit']) thread.removeAllListeners(event);
      // An idle thread does not keep the process running.
      thread.unref();
      if (reusable) this.#idle.push(thread);
      else {
        thread.on('error', () => {});
        void thread.terminate();
      }
      this.#busy -= 1;
      const left = this.#running.get(turn)! - 1;
      if (left > 0) this.#running.set(turn, left);
      else this.#running.delete(turn);
      then();
      this.#next();
    };
    const timer = setTimeout(() => end(() => reject(new OverLimit('time')), false), maxMs);
    thread.ref();
    thread.once('message', ({ value, error }: { value?: unknown; error?: Error }) =>
      end(() => (error ? reject(error) : resolve(value)), true),
    );
    thread.once('error', (error: NodeJS.ErrnoException) =>
      end(() => reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new OverLimit('memory') : error), false),
    );
    thread.once('exit', () => end(() => reject(new Error('The thread ended without a result.')), false));
    thread.postMessage(order, transfer);
  }

  #start(): Worker {
    return new Worker(this.#code, {
      // No setting and no secret, but the cache of compiled code: it halves the time to start.
      env: cacheOnly,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.maxMemoryMb, stackSizeMb: 4 },
    });
  }
}

const { NODE_COMPILE_CACHE } = process.env;
const cacheOnly = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
