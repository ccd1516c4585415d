// Callers of the JSON door see no change: a wrong value at each parameter of each method of the family is answered as before.
import { test } from 'node:test';
import { compareAnswers } from './json-answers.ts';

test('the JSON door answers every wrong value as before', () => compareAnswers(false));
