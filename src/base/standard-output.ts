// Standard output as the place of the log: a write returns at once, whether the output is a file, a pipe, a terminal or a socket.
// What it does not take is left to log-writer.ts.
import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import type { WriteBytes } from './log-writer.ts';

/** Bytes that Node.js keeps for a socket whose reader is slow. */
const maxWaiting = 256 * 1024;

/** Writes to standard output and returns at once, whatever it is. */
export function toStandardOutput(): WriteBytes {
  const output = fstatSync(1);
  // The kernel takes what is written to a file, or refuses it at once.
  if (output.isFile()) return (bytes) => writeSync(1, bytes);
  // A description of its own: O_NONBLOCK on the one of fd 1 would be seen by every process that shares it.
  if (output.isFIFO() || output.isCharacterDevice()) {
    try {
      const fd = openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
      return (bytes) => writeSync(fd, bytes);
    } catch {
      // No /proc, or a pipe that another user made.
    }
  }
  return toStream(process.stdout);
}

/** A socket, such as that of journald: Node.js writes to it without waiting and keeps what the socket does not take. */
export function toStream(stream: Pick<NodeJS.WriteStream, 'on' | 'write' | 'writableLength'>): WriteBytes {
  stream.on('error', () => {});
  return (bytes) => {
    if (stream.writableLength > maxWaiting) throw Object.assign(new Error('the reader is slow'), { code: 'EAGAIN' });
    stream.write(bytes);
    return bytes.length;
  };
}
