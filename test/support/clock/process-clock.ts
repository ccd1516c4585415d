// Loaded before the program (node --import) to give the process a wrong clock: Date is ahead by the seconds in the file
// CLOCK_FILE, which is read every 100 ms. Timers and performance.now() are unaffected, as when an operator sets a
// clock.
import { readFileSync } from 'node:fs';

const file = process.env.CLOCK_FILE!;
const TrueDate = Date;
let aheadMs = 0;
const read = () => {
  const seconds = Number(readFileSync(file, 'utf8'));
  if (Number.isFinite(seconds)) aheadMs = seconds * 1_000;
};
read();
setInterval(read, 100).unref();

class MovedDate extends TrueDate {
  constructor(...args: unknown[]) {
    if (args.length === 0) super(MovedDate.now());
    else super(...(args as [number]));
  }
  static override now(): number {
    return TrueDate.now() + aheadMs;
  }
}
globalThis.Date = new Proxy(MovedDate, {
  // Date() without new gives a text.
  apply: () => new MovedDate().toString(),
}) as unknown as DateConstructor;
