import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../base/log.ts';
import { databaseProblem, isTransient, isUnavailable } from './failures.ts';
import { OutageLog } from './outage.ts';

const withCode = (code: string, more: object = {}) => Object.assign(new Error('x'), { code, ...more });

test('errors that mean "not now" are not those of a wrong statement', () => {
  const away = [
    ...['08000', '08003', '08006', '08P01', '53000', '53100', '53200', '53300', '53400', '57P01', '57P02', '57P03'],
    ...['57P04', '57P05', '25006', '25P03', '25P04', '58030', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'],
    ...['EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'ENOTFOUND', 'EADDRNOTAVAIL'],
  ];
  for (const code of away) assert.ok(isUnavailable(withCode(code)), code);
  for (const text of [
    'Connection terminated unexpectedly',
    'Query read timeout',
    'timeout expired',
    'max clients reached',
  ])
    assert.ok(isUnavailable(new Error(text)), text);
  assert.ok(isUnavailable(withCode('ENOENT', { syscall: 'connect' })));
  const others = ['42P01', '23505', '40001', '55P03', '55P04', '57014', '28P01', '3D000', '25P02', 'ENOENT', 'EMFILE'];
  for (const code of others) assert.ok(!isUnavailable(withCode(code)), code);
  for (const none of [undefined, null, 'text', {}]) assert.ok(!isUnavailable(none));
  assert.ok(isTransient(withCode('55P03')));
});

test('the sentence about a database comes from the error below it as well', () => {
  const below = new Error('Migration 0001 failed', { cause: withCode('25006') });
  assert.match(databaseProblem(below) ?? '', /read-only/);
  const both = Object.assign(new AggregateError([withCode('ECONNREFUSED', { address: '::1', port: 5432 })]), {});
  assert.match(databaseProblem(both) ?? '', /nothing is listening at ::1:5432/);
  assert.equal(databaseProblem(new Error('x', { cause: new Error('y') })), undefined);
});

test('an outage is one line a minute, with the number of statements that failed', () => {
  const lines: { statements: number; why: string }[] = [];
  const outage = new OutageLog(
    createLog('error', 'test', { write: (line: string) => void lines.push(JSON.parse(line)) }),
  );
  for (let at = 0; at < 61_000; at += 1_000) outage.note(withCode('57P03'), at);
  outage.note(withCode('42P01'), 200_000);
  assert.deepEqual(
    lines.map(({ statements, why }) => [statements, why]),
    [1, 60].map((count) => [count, 'The database in DATABASE_URL cannot be used: it is starting, or shutting down.']),
  );
});
