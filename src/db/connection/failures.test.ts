import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../base/log.ts';
import {
  databaseProblem,
  isContended,
  isLostRace,
  isReadOnly,
  isTransient,
  isUnavailable,
  readOnlyError,
  retrySeconds,
} from './failures.ts';
import { OutageLog } from './outage.ts';

const withCode = (code: string, more: object = {}) => Object.assign(new Error('x'), { code, ...more });

test('errors that mean "not now" are not those of a wrong statement', () => {
  const away = [
    ...['08000', '08003', '08006', '08P01', '53000', '53100', '53200', '53300', '53400', '57P01', '57P02', '57P03'],
    ...['57P04', '57P05', '25006', '25P03', '25P04', '58030', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'],
    ...['EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'ENOTFOUND', 'EADDRNOTAVAIL'],
    ...['ECONNABORTED', 'EHOSTDOWN', 'ENETDOWN'],
  ];
  for (const code of away) assert.ok(isUnavailable(withCode(code)), code);
  for (const text of [
    'Connection terminated unexpectedly',
    'Query read timeout',
    'timeout expired',
    'max clients reached',
  ])
    assert.ok(isUnavailable(new Error(text)), text);
  for (const code of ['ENOENT', 'EMFILE', 'ENFILE']) {
    assert.ok(isUnavailable(withCode(code, { syscall: 'connect' })), code);
    assert.ok(!isUnavailable(withCode(code, { syscall: 'open' })), code);
  }
  const others = ['42P01', '23505', '40001', '55P03', '55P04', '57014', '28P01', '3D000', '25P02', 'ENOENT', 'EMFILE'];
  for (const code of others) assert.ok(!isUnavailable(withCode(code)), code);
  for (const none of [undefined, null, 'text', {}]) assert.ok(!isUnavailable(none));
});

test('which errors may not occur again, and which come from another transaction', () => {
  // [SQLSTATE, transient, lost race, contended]
  const cases: [string, boolean, boolean, boolean][] = [
    ['40001', true, true, true],
    ['40P01', true, true, true],
    ['55P03', true, false, true],
    ['57014', true, false, false],
    ['23505', false, true, false],
    ['23503', false, true, false],
    ['42P01', false, false, false],
    ['', false, false, false],
  ];
  for (const [code, ...expected] of cases) {
    const error = withCode(code);
    assert.deepEqual([isTransient(error), isLostRace(error), isContended(error)], expected, code);
  }
  for (const none of [undefined, null, 'text', {}]) assert.ok(!isTransient(none) && !isLostRace(none));
});

test('a server that takes no writes is unavailable, and callers try again after seconds', () => {
  assert.ok(isReadOnly(readOnlyError()) && isUnavailable(readOnlyError()));
  assert.equal(readOnlyError().message, 'the database is read-only');
  assert.ok(!isReadOnly(withCode('57P03')) && !isReadOnly(undefined));
  assert.equal(retrySeconds, 5);
});

const authority =
  'its certificate is not signed by a known authority; set sslrootcert=FILE to the certificate of the authority, or ' +
  'sslmode=require, which encrypts without checking it';
const sentences: [error: Error, reason: string][] = [
  [withCode('ECONNREFUSED', { address: '/run/postgresql' }), 'nothing is listening at /run/postgresql'],
  [withCode('ENOENT', { address: '/run/x', syscall: 'connect' }), 'socket /run/x does not exist'],
  [withCode('ENOTFOUND', { hostname: 'db.example' }), 'host "db.example" does not exist'],
  [withCode('EAI_AGAIN', { hostname: 'db.example' }), 'the name of host "db.example" cannot be resolved'],
  [withCode('ETIMEDOUT'), 'it does not respond'],
  [new Error('Connection timeout'), 'it does not respond'],
  [withCode('EHOSTUNREACH', { address: '10.0.0.1' }), 'there is no route to 10.0.0.1'],
  [withCode('ENETUNREACH', { address: '10.0.0.1' }), 'there is no route to 10.0.0.1'],
  [withCode('ERR_INVALID_URL'), 'it is not a valid URL'],
  [withCode('POSTRIDER_URL', { message: 'sslmode is odd' }), 'sslmode is odd'],
  [withCode('25006'), 'it is read-only (a standby, or a server whose storage is full)'],
  [withCode('28P01'), 'user name or password is wrong'],
  [withCode('28000'), 'the server refuses the user (x)'],
  [withCode('3D000'), 'the server has no such database'],
  [withCode('42501'), 'the user lacks a right (x)'],
  [withCode('53100'), 'its disk is full'],
  [withCode('53300'), 'it allows no further connection'],
  [withCode('57P01'), 'it is shutting down'],
  [withCode('57P03'), 'it is starting, or shutting down'],
  [new Error('SASL: client password must be a string'), 'the server asks for a password, and there is none'],
  [
    new Error('unsupported startup parameter: options'),
    'the connection pooler refuses the parameter "options"; leave it out, or name it in ignore_startup_parameters of PgBouncer',
  ],
  [withCode('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), authority],
  [withCode('UNABLE_TO_GET_ISSUER_CERT'), authority],
  [withCode('UNABLE_TO_GET_ISSUER_CERT_LOCALLY'), authority],
  [withCode('SELF_SIGNED_CERT_IN_CHAIN'), authority],
  [withCode('DEPTH_ZERO_SELF_SIGNED_CERT'), authority],
  [withCode('CERT_HAS_EXPIRED'), 'its certificate has expired'],
  [withCode('CERT_NOT_YET_VALID'), 'its certificate is not valid yet'],
  [
    withCode('ERR_TLS_CERT_ALTNAME_INVALID', { host: 'db.example' }),
    'its certificate is not for "db.example"; use a name that it is for, or sslmode=verify-ca',
  ],
  [
    new Error('The server does not support SSL connections'),
    'the server does not encrypt connections; leave sslmode out, or set sslmode=disable',
  ],
  [
    new Error('connection requires a valid client certificate'),
    'the server asks for a certificate of the client; set sslcert=FILE and sslkey=FILE',
  ],
  [
    withCode('28000', { message: 'no encryption' }),
    'it takes encrypted connections only; add sslmode=verify-full and sslrootcert=FILE, or sslmode=require (no encryption)',
  ],
];
for (const [error, reason] of sentences)
  test(`what an owner reads: ${reason}`, () =>
    assert.equal(databaseProblem(error), `The database in DATABASE_URL cannot be used: ${reason}.`));

test('a file that is missing, and errors of statements, are not problems of the database', () => {
  for (const error of [withCode('ENOENT', { syscall: 'open' }), withCode('42P01'), withCode('toString'), undefined, {}])
    assert.equal(databaseProblem(error), undefined);
  const none = Object.assign(withCode('57P01'), { errors: [] });
  assert.match(databaseProblem(none) ?? '', /shutting down/, 'an empty list of errors says nothing');
});

test('the sentence about a database comes from the error below it as well', () => {
  const below = new Error('Migration 0001 failed', { cause: withCode('25006') });
  assert.match(databaseProblem(below) ?? '', /read-only/);
  const both = Object.assign(new AggregateError([withCode('ECONNREFUSED', { address: '::1', port: 5432 })]), {});
  assert.match(databaseProblem(both) ?? '', /nothing is listening at ::1:5432/);
  assert.equal(databaseProblem(new Error('x', { cause: new Error('y') })), undefined);
});

test('an outage is one line a minute, with the number of statements that failed', () => {
  const lines: { statements: number; why: string; msg: string }[] = [];
  const outage = new OutageLog(
    createLog('error', 'test', { write: (line: string) => void lines.push(JSON.parse(line)) }),
  );
  for (let at = 0; at < 61_000; at += 1_000) outage.note(withCode('57P03'), at);
  outage.note(withCode('42P01'), 200_000);
  assert.deepEqual(
    lines.map(({ statements, why }) => [statements, why]),
    [1, 60].map((count) => [count, 'The database in DATABASE_URL cannot be used: it is starting, or shutting down.']),
  );
  assert.ok(
    lines.every(
      ({ msg }) => msg === 'the database cannot be used now; what needs it waits, and callers are asked to try again',
    ),
  );
});

test('an outage without a known reason is a lost connection', () => {
  const whys: string[] = [];
  const outage = new OutageLog(
    createLog('error', 'test', { write: (line: string) => void whys.push(JSON.parse(line).why) }),
  );
  outage.note(withCode('ECONNRESET'), 0);
  assert.deepEqual(whys, ['The connection to the database is lost.']);
});
