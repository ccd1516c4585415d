// The memory that a test's process uses. Its resident size also holds what the garbage collector has not looked at yet, and
// so depends on how busy the machine is.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Objects and buffers in use, in MB, after a garbage collection. */
export function usedMegabytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}
