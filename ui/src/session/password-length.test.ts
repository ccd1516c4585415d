// The screens ask for as many characters as the server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passwordLength } from '../../../src/base/password-length.ts';
import { minPasswordLength } from './password-length.ts';

test('the least length of a password is that of the server', () => {
  assert.equal(minPasswordLength, passwordLength.min);
});
