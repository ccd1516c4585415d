import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moduleUrl } from './module-url.ts';

test('a module has the extension of the one that starts it', () => {
  assert.equal(moduleUrl('./thread', 'file:///app/src/a/b.ts').href, 'file:///app/src/a/thread.ts');
  assert.equal(moduleUrl('../main', 'file:///app/dist/a/b.js').href, 'file:///app/dist/main.js');
});
