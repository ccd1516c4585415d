// Writes the log without ever waiting for it: lines wait in a buffer of limited size while the disk is full or the reader of a pipe
// is slow. What does not fit is dropped, the oldest first, and counted. A process never ends for its log.
import { noteFailure, noteSuccess } from './full-disk.ts';

/** Lines that wait; more are dropped. */
const maxBytes = 1024 * 1024;
/** Between two attempts while nothing can be written. */
const retryMs = 200;
/** How long the end of a process waits for a slow reader. */
const maxEndMs = 2_000;
const endPauseMs = 10;

/** How many bytes were taken; throws as fs.writeSync does. */
export type WriteBytes = (bytes: Buffer) => number;

/** Log lines that this process could not write, since it started. */
export const droppedLines = () => dropped;
let dropped = 0;

export class LogWriter {
  readonly #write: WriteBytes;
  readonly #onRecovered: (count: number) => void;
  #waiting: Buffer[] = [];
  /** Where the lines that still wait begin. */
  #first = 0;
  #bytes = 0;
  /** Part of the first line that waits has been written. */
  #isTorn = false;
  /** The last attempt failed because the reader is slow, not because there is no room. */
  #isSlow = false;
  #timer: NodeJS.Timeout | undefined;
  /** Dropped since the count was last logged. */
  #unreported = 0;

  /** @param onRecovered called with the number of dropped lines when writing works again; logs it */
  constructor(write: WriteBytes, onRecovered: (count: number) => void) {
    this.#write = write;
    this.#onRecovered = onRecovered;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    // While nothing can be written, the timer tries: an attempt for every line would cost a system call each.
    if (this.#timer === undefined) this.#flush();
    this.#dropOldest();
  }

  /** At the end of the process: writes what waits, for a moment also to a slow reader. */
  end(): void {
    clearTimeout(this.#timer);
    const endAt = performance.now() + maxEndMs;
    const pause = new Int32Array(new SharedArrayBuffer(4));
    while (!this.#attempt() && this.#isSlow && performance.now() < endAt) Atomics.wait(pause, 0, 0, endPauseMs);
  }

  #flush = (): void => {
    this.#timer = undefined;
    if (!this.#attempt()) {
      this.#timer = setTimeout(this.#flush, retryMs);
      this.#timer.unref();
      return;
    }
    if (this.#unreported === 0) return;
    const count = this.#unreported;
    this.#unreported = 0;
    this.#onRecovered(count);
  };

  /** True when nothing waits any more. */
  #attempt(): boolean {
    try {
      while (this.#first < this.#waiting.length) {
        const first = this.#waiting[this.#first]!;
        const written = this.#write(first);
        this.#bytes -= written;
        if (written < first.length) {
          this.#waiting[this.#first] = first.subarray(written);
          this.#isTorn ||= written > 0;
          this.#isSlow = true;
          return false;
        }
        this.#isTorn = false;
        this.#first += 1;
      }
      this.#waiting = [];
      this.#first = 0;
      noteSuccess('log');
      return true;
    } catch (error) {
      noteFailure('log', error);
      this.#isSlow = (error as NodeJS.ErrnoException).code === 'EAGAIN';
      return false;
    }
  }

  #dropOldest(): void {
    while (this.#bytes > maxBytes && this.#waiting.length - this.#first > 2) {
      // The rest of a line that was begun stays, so that the next one starts on a line of its own.
      const at = this.#isTorn ? this.#first + 1 : this.#first;
      this.#bytes -= this.#waiting[at]!.length;
      if (this.#isTorn) this.#waiting[at] = this.#waiting[this.#first]!;
      this.#first += 1;
      dropped += 1;
      this.#unreported += 1;
    }
    // Moves what is left to the front, once half of the places are empty.
    if (this.#first > 1_000 && this.#first * 2 > this.#waiting.length) {
      this.#waiting.splice(0, this.#first);
      this.#first = 0;
    }
  }
}
