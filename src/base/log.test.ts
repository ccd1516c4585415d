// How the log writes errors and hides secrets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from './log.ts';

type Line = { msg: string; err: { type: string; message: string; stack: string; code?: string }; headers: unknown };

function logged(logSome: (log: ReturnType<typeof createLog>) => void): Line {
  let line = '';
  const write = (text: string) => {
    line += text;
  };
  logSome(createLog('info', 'test', { write }));
  return JSON.parse(line);
}

test('an error is logged with its code, and only the beginning of a long one', () => {
  const error = Object.assign(new TypeError(`It did not start: ${'x'.repeat(100_000)}`), { code: 'E_START' });
  const { err, msg } = logged((log) => log.error({ err: error }, 'no picture'));
  assert.equal(msg, 'no picture');
  assert.deepEqual([err.type, err.code], ['TypeError', 'E_START']);
  assert.match(err.message, /^It did not start: x{3982} … \(96018 more characters\)$/);
  assert.ok(err.message.length < 5_000 && err.stack.length < 5_000, `${err.message.length} and ${err.stack.length}`);
  const longest = logged((log) => log.error({ err: new Error('x'.repeat(4_000)) }, 'long'));
  assert.equal(longest.err.message, 'x'.repeat(4_000));
  const short = logged((log) => log.error({ err: new Error('no') }, 'short'));
  assert.equal(short.err.message, 'no');
  assert.match(short.err.stack, /^Error: no\n {4}at /);
});

test('an error of the database is logged without the values of its row', () => {
  const error = Object.assign(new Error('duplicate key value violates unique constraint "email_key"'), {
    ...{ code: '23505', table: 'contact', constraint: 'email_key', detail: 'Key (email_key)=(ada@canary.example)' },
    ...{ where: 'COPY contact, line 1: "ada@canary.example"', hint: 'ada@canary.example' },
  });
  const line = logged((log) => log.error({ err: new AggregateError([error], 'two failed') }, 'not stored'));
  assert.doesNotMatch(JSON.stringify(line), /canary/);
  const { err } = logged((log) => log.error({ err: error }, 'not stored'));
  assert.doesNotMatch(JSON.stringify(err), /canary/);
  const { code, table, constraint } = err as unknown as Record<string, string>;
  assert.deepEqual([code, table, constraint], ['23505', 'contact', 'email_key']);
});

test('email addresses in errors and in replies of servers are replaced', () => {
  const error = new Error('550 5.1.1 <Ada.Lovelace+x@canary.example> unknown at node_modules/@scope/name/index.js');
  const { err, reply } = logged((log) =>
    log.warn({ err: error, reply: '550 jörg@münchen.example: no mailbox here' }, 'refused'),
  ) as Line & { reply: string };
  assert.equal(err.message, '550 5.1.1 <[address]> unknown at node_modules/@scope/name/index.js');
  assert.doesNotMatch(err.stack, /canary/);
  assert.equal(reply, '550 [address]: no mailbox here');
});

test('secrets are hidden at every level', () => {
  const { headers } = logged((log) => log.info({ headers: { authorization: 'Basic abc', host: 'here' } }, 'asked'));
  assert.deepEqual(headers, { authorization: '[hidden]', host: 'here' });
});

test('a thrown value that is not an Error is logged as it is', () => {
  const { err } = logged((log) => log.warn({ err: 'gone' }, 'odd'));
  assert.equal(err as unknown, 'gone');
});
