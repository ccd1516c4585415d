// The log: one JSON line an event on standard output, secrets replaced before they are written.
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';

export type Log = Logger;

/** Members whose value never reaches the log, wherever they stand up to three levels deep. */
const secretMembers = ['apikey', 'password', 'secret', 'secret_key', 'authorization', 'cookie', 'token', 'databaseUrl'];

/** Characters of an error's message, and of its stack, that are written: a browser that does not start says pages. */
const maxOfError = 4_000;

/** @param destination instead of standard output */
export function createLog(level: string, name: string, destination?: DestinationStream): Log {
  const options: LoggerOptions = {
    level,
    serializers: { err: briefError },
    base: { process: name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: secretMembers.flatMap((member) => [member, `*.${member}`, `*.*.${member}`]),
      censor: '[hidden]',
    },
  };
  return destination ? pino(options, destination) : pino(options);
}

function briefError(error: unknown) {
  if (!(error instanceof Error)) return error;
  const told = pino.stdSerializers.err(error);
  return { ...told, message: cut(told.message), stack: cut(told.stack) };
}

const cut = (text: string) =>
  text.length > maxOfError ? `${text.slice(0, maxOfError)} … (${text.length - maxOfError} more characters)` : text;
