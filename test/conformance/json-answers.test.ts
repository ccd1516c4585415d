// Callers of the JSON door see no change: some methods of the family, called rightly, with a parameter too many and with
// one too few, are answered as an earlier version answered them. All methods, and the wrong values of each parameter, are in json-answers.slow.test.ts.
import { test } from 'node:test';
import { compareAnswers } from './json-answers.ts';

test('the JSON door answers right calls, unknown members and missing ones as before', () => compareAnswers(true));
