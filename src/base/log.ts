// The log: one JSON line per event on standard output, with secrets replaced, and email addresses in errors and replies. What
// cannot be written is dropped and counted (log-writer.ts).
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { LogWriter } from './log-writer.ts';
import { spanIds } from './spans.ts';
import { toStandardOutput } from './standard-output.ts';

export type Log = Logger;

/** Members whose value is never logged, up to three levels deep. */
const secretMembers = [
  'apikey',
  'password',
  'secret',
  'secret_key',
  'authorization',
  'cookie',
  'token',
  'databaseUrl',
  'readDatabaseUrl',
];

/** Maximum length of an error's message and of its stack: a browser that fails to start writes pages. */
const maxErrorLength = 4_000;

/** @param destination instead of standard output */
export function createLog(level: string, name: string, destination?: DestinationStream): Log {
  const options: LoggerOptions = {
    level,
    serializers: { err: briefError, reply: (text: unknown) => (typeof text === 'string' ? cut(text) : text) },
    base: { process: name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: () => spanIds() ?? {},
    redact: {
      paths: secretMembers.flatMap((member) => [member, `*.${member}`, `*.*.${member}`]),
      censor: '[hidden]',
    },
  };
  if (destination !== undefined || level === 'silent') return pino(options, destination ?? { write() {} });
  const log: Log = pino(options, { write: (line) => output().write(line) });
  reportTo = log;
  return log;
}

let writer: LogWriter | undefined;
/** The log that the number of dropped lines goes to: all of a process have one output. */
let reportTo: Log | undefined;

function output(): LogWriter {
  if (writer === undefined) {
    const made = new LogWriter(toStandardOutput(), (dropped) =>
      reportTo?.warn({ dropped }, 'lines of the log could not be written and were dropped'),
    );
    process.on('exit', () => made.end());
    writer = made;
  }
  return writer;
}

/** Members in which PostgreSQL repeats values of a row or of a statement, that is, personal data. */
const valueMembers = ['detail', 'where', 'hint', 'internalQuery'];

function briefError(error: unknown) {
  if (!(error instanceof Error)) return error;
  const { aggregateErrors: _, ...all } = pino.stdSerializers.err(error);
  const brief = Object.fromEntries(Object.entries(all).filter(([member]) => !valueMembers.includes(member)));
  return { ...brief, message: cut(all.message), stack: cut(all.stack) };
}

const cut = (text: string) =>
  text.length > maxErrorLength
    ? `${withoutAddresses(text.slice(0, maxErrorLength))} … (${text.length - maxErrorLength} more characters)`
    : withoutAddresses(text);

/** Servers repeat the recipient in their replies. */
const withoutAddresses = (text: string) =>
  text.replace(/[\p{L}\p{N}._%+=-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/gu, '[address]');
