// A few threads that do work on foreign input, each piece within a time limit. Guarantees that this thread is never
// blocked, and that work which takes too long or too much memory fails alone: its thread is replaced, the others go on.
// The code of the thread is left to the caller: it gets a message and answers with `{ value }` or `{ error }`.
import { Worker } from 'node:worker_threads';

export class OverLimit extends Error {
  readonly limit: 'time' | 'memory' | 'queue';

  constructor(limit: 'time' | 'memory' | 'queue') {
    super(`The work exceeded its limit of ${limit}`);
    this.name = 'OverLimit';
    this.limit = limit;
  }
}

export type ThreadLimits = { threads: number; maxMs: number; maxMemoryMb: number; maxWaiting: number };

/** `transfer`: buffers that the thread takes over instead of a copy. `maxMs`: another limit than the pool's. */
type RunOptions = { transfer?: readonly ArrayBuffer[]; maxMs?: number };

type Work = RunOptions & { order: unknown; resolve(value: unknown): void; reject(error: Error): void };

export class ThreadPool {
  readonly #code: URL;
  readonly #limits: ThreadLimits;
  readonly #idle: Worker[] = [];
  readonly #waiting: Work[] = [];
  #busy = 0;

  constructor(code: URL, limits: ThreadLimits) {
    this.#code = code;
    this.#limits = limits;
  }

  /** @throws OverLimit; Error of the work itself */
  run(order: unknown, options: RunOptions = {}): Promise<unknown> {
    if (this.#waiting.length >= this.#limits.maxWaiting) return Promise.reject(new OverLimit('queue'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...options, order, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#busy >= this.#limits.threads) return;
    const work = this.#waiting.shift();
    if (!work) return;
    this.#busy += 1;
    const thread = this.#idle.pop() ?? this.#start();
    this.#give(thread, work);
  }

  #give(thread: Worker, { order, transfer = [], maxMs = this.#limits.maxMs, resolve, reject }: Work): void {
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
