// What an error of the database means: it cannot be used now, the same attempt may succeed, or what its owner must correct.

import { urlErrorCode } from './target.ts';

type Failure = {
  code?: string;
  message?: string;
  syscall?: string;
  address?: string;
  port?: number;
  hostname?: string;
  /** That a certificate is not for. */
  host?: string;
  cause?: unknown;
  /** Of a name with several addresses: one error for each. */
  errors?: unknown[];
};

const failureOf = (error: unknown): Failure => (typeof error === 'object' && error !== null ? error : {});

/**
 * SQLSTATEs of a server that will take the same statement later. 08: connection exceptions, also those of poolers; 53: out of disk,
 * memory or connections; 57P01 to 57P05: shut down, crashed, starting, dropped, idle for too long; 25006: read-only; 25P03 and
 * 25P04: the session was ended because this process paused within a transaction; 58030: an I/O error.
 */
const unavailableStates = /^(08\w{3}|53\w{3}|57P0[1-5]|25006|25P0[34]|58030)$/;

const unavailableSockets = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'ENOTFOUND',
];

/** Of this driver, and of poolers that have no SQLSTATE for it (Supavisor, Neon). */
const unavailableTexts =
  /Connection terminated|Query read timeout|not queryable|timeout exceeded when trying to connect|connection timeout|timeout expired|max client(s|s? connections) reached|Control plane request failed/i;

/** True when the database cannot be used now (unreachable, shutting down, full, read-only), as opposed to a wrong statement. */
export function isUnavailable(error: unknown): boolean {
  const { code = '', message = '', syscall } = failureOf(error);
  if (unavailableStates.test(code) || unavailableSockets.includes(code)) return true;
  // A missing socket, not a missing file; and no free file descriptor for a connection.
  if (['ENOENT', 'EMFILE', 'ENFILE'].includes(code) && syscall === 'connect') return true;
  return unavailableTexts.test(message);
}

/**
 * True when the server takes no writes: it is a standby, or was the primary until a fail-over, or its provider has made it
 * read-only because its storage is full. Another connection may lead to one that does.
 */
export const isReadOnly = (error: unknown): boolean => failureOf(error).code === '25006';

/** After so many seconds callers may try again while the database cannot be used. */
export const retrySeconds = 5;

/** The error of a server that was asked whether it takes writes and does not. */
export const readOnlyError = (): Error => Object.assign(new Error('the database is read-only'), { code: '25006' });

/**
 * True for errors that may not occur again: a deadlock, a serialization failure, a lock or a statement that took too long.
 * Unlike isLostRace, not for keys that exist already or no longer.
 */
export function isTransient(error: unknown): boolean {
  // serialization_failure, deadlock_detected, lock_not_available, query_canceled
  return ['40001', '40P01', '55P03', '57014'].includes(failureOf(error).code ?? '');
}

/**
 * True for errors of a transaction that lost against another: a deadlock, or a row that the other one wrote or deleted in
 * between. When run again, it sees what the other one did.
 */
export function isLostRace(error: unknown): boolean {
  // serialization_failure, deadlock_detected, unique_violation, foreign_key_violation
  return ['40001', '40P01', '23505', '23503'].includes(failureOf(error).code ?? '');
}

/** True for a transaction that others kept from its rows: it changed nothing, and the same call may succeed in a moment. */
export function isContended(error: unknown): boolean {
  // serialization_failure, deadlock_detected, lock_not_available
  return ['40001', '40P01', '55P03'].includes(failureOf(error).code ?? '');
}

/** Why the database cannot be used, in one sentence; undefined for any other error. */
export function databaseProblem(error: unknown): string | undefined {
  const { errors, cause } = failureOf(error);
  // A name with several addresses: the error of the first.
  if (errors !== undefined && errors.length > 0) return databaseProblem(errors[0]);
  const reason = reasonOf(failureOf(error));
  if (reason !== undefined) return `The database in DATABASE_URL cannot be used: ${reason}.`;
  return cause === undefined ? undefined : databaseProblem(cause);
}

function reasonOf({ code = '', message = '', syscall, address, port, hostname, host }: Failure): string | undefined {
  if (code === 'ENOENT' && syscall !== 'connect') return undefined;
  const why: Record<string, string> = {
    ECONNREFUSED: `nothing is listening at ${address}${port === undefined ? '' : `:${port}`}`,
    ENOENT: `socket ${address} does not exist`,
    ENOTFOUND: `host "${hostname}" does not exist`,
    EAI_AGAIN: `the name of host "${hostname}" cannot be resolved`,
    ETIMEDOUT: 'it does not respond',
    EHOSTUNREACH: `there is no route to ${address}`,
    ENETUNREACH: `there is no route to ${address}`,
    ERR_INVALID_URL: 'it is not a valid URL',
    '25006': 'it is read-only (a standby, or a server whose storage is full)',
    '28P01': 'user name or password is wrong',
    '3D000': 'the server has no such database',
    '53100': 'its disk is full',
    '53300': 'it allows no further connection',
    '57P01': 'it is shutting down',
    '57P03': 'it is starting, or shutting down',
  };
  if (code === urlErrorCode) return message;
  const ofEncryption = encryptionReason(code, message, host);
  if (ofEncryption !== undefined) return ofEncryption;
  if (Object.hasOwn(why, code)) return why[code];
  if (code === '28000') return `the server refuses the user (${message})`;
  if (code === '42501') return `the user lacks a right (${message})`;
  if (/client password must be a string/.test(message)) return 'the server asks for a password, and there is none';
  const parameter = /unsupported startup parameter: (.+)/.exec(message)?.[1];
  if (parameter !== undefined)
    return `the connection pooler refuses the parameter "${parameter}"; leave it out, or name it in ignore_startup_parameters of PgBouncer`;
  return /timeout expired|connection timeout|timeout exceeded when trying to connect/i.test(message)
    ? 'it does not respond'
    : undefined;
}

/** Certificates that no known authority has signed, as OpenSSL names them. */
const unknownAuthority = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
];

/** What is wrong between the TLS parameters of the URL and the server. */
function encryptionReason(code: string, message: string, host = ''): string | undefined {
  if (unknownAuthority.includes(code))
    return (
      'its certificate is not signed by a known authority; set sslrootcert=FILE to the certificate of the authority, or ' +
      'sslmode=require, which encrypts without checking it'
    );
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired';
  if (code === 'CERT_NOT_YET_VALID') return 'its certificate is not valid yet';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate is not for "${host}"; use a name that it is for, or sslmode=verify-ca`;
  if (/server does not support SSL/i.test(message))
    return 'the server does not encrypt connections; leave sslmode out, or set sslmode=disable';
  if (/valid client certificate/i.test(message))
    return 'the server asks for a certificate of the client; set sslcert=FILE and sslkey=FILE';
  // Of PostgreSQL since 15 and before, Supabase, Neon.
  if (/no encryption|SSL off|SSL.* (is )?required|connection is insecure/i.test(message))
    return `it takes encrypted connections only; add sslmode=verify-full and sslrootcert=FILE, or sslmode=require (${message})`;
  return undefined;
}
