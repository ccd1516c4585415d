// The log: one JSON line an event on standard output, secrets replaced before they are written.
import { type Logger, pino } from 'pino';

export type Log = Logger;

/** Members whose value never reaches the log, wherever they stand up to three levels deep. */
const secretMembers = ['apikey', 'password', 'secret', 'secret_key', 'authorization', 'cookie', 'token', 'databaseUrl'];

export function createLog(level: string, name: string): Log {
  return pino({
    level,
    base: { process: name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: secretMembers.flatMap((member) => [member, `*.${member}`, `*.*.${member}`]),
      censor: '[hidden]',
    },
  });
}
