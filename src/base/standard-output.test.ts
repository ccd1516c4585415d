// What a socket as standard output takes. log-output.test.ts has files and pipes, in processes of their own.
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { toStandardOutput, toStream } from './standard-output.ts';

test('a socket whose reader is slow takes lines until 256 kB wait', () => {
  const slow = new Writable({ write: () => {} });
  const write = toStream(slow as never);
  const line = Buffer.alloc(128);
  for (let n = 0; n <= 2_048; n++) assert.equal(write(line), 128, `${n}`);
  assert.throws(() => write(line), { code: 'EAGAIN' });
});

test('a socket that is gone ends no process', () => {
  const gone = new Writable({ write: (_, __, done) => done(new Error('EPIPE')) });
  const write = toStream(gone as never);
  assert.equal(write(Buffer.from('x')), 1);
  assert.doesNotThrow(() => gone.emit('error', new Error('EPIPE')));
});

test('the output of this process takes what it is given', () => {
  assert.equal(toStandardOutput()(Buffer.alloc(0)), 0);
});
