import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EmbeddedPostgresError } from './problem.ts';

test('an error has its problem, its message and its cause, if there is one', () => {
  const cause = new Error('no space left');
  const error = new EmbeddedPostgresError('did-not-start', 'The database did not start.', cause);
  assert.equal(String(error), 'EmbeddedPostgresError: The database did not start.');
  assert.deepEqual([error.problem, error.cause], ['did-not-start', cause]);
  assert.equal('cause' in new EmbeddedPostgresError('in-use', 'In use.'), false);
});
