// How many messages a worker signs in parallel. An RSA signature takes longer than everything else about a message together. It
// is made in the thread pool of Node.js, so that one worker can use every core. Guarantees that the pool is never filled with
// signatures: its other users (names, files, compression) wait for a few of them at most.
import { availableParallelism } from 'node:os';

/** Of Node.js. Fewer would delay names and files. */
const minThreads = 4;
/** In the pool for each thread: one to work at and the next ones, so that no thread waits for the event loop. */
const perThread = 4;

/** Threads for each of so many workers that share the cores of a machine. It is set before a process starts. */
export function poolThreads(workers: number, cores = availableParallelism()): number {
  return Math.max(minThreads, Math.ceil(cores / workers));
}

/** Makes signatures wait in order while there are enough in the thread pool. */
export class SigningQueue {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(threads = Number(process.env['UV_THREADPOOL_SIZE']) || minThreads) {
    this.#free = threads * perThread;
  }

  /** Signatures that wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  async run<T>(sign: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await sign();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
