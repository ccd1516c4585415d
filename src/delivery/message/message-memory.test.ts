import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMessageMemory } from './message-memory.ts';

test('returned memory is reused, and never by two messages at once', () => {
  const memory = createMessageMemory();
  const first = memory.take(20_000);
  const second = memory.take(20_000);
  assert.notEqual(first, second);
  memory.give(first);
  assert.equal(memory.take(100), first);
  assert.notEqual(memory.take(100), first);
});

test('a message longer than a piece gets separate memory, which is not kept', () => {
  const memory = createMessageMemory();
  const long = memory.take(70_000);
  assert.equal(long.length, 70_000);
  memory.give(long);
  assert.notEqual(memory.take(70_000), long);
});

test('a message of exactly one piece is kept, and at most 256 pieces are', () => {
  const memory = createMessageMemory();
  const pieces = Array.from({ length: 257 }, () => memory.take(65_536));
  for (const piece of pieces) memory.give(piece);
  assert.equal(new Set([...pieces, ...pieces.map(() => memory.take(1))]).size, 258);
});

test('pieces have 64 KiB, and a message of that length uses a returned one', () => {
  const memory = createMessageMemory();
  const piece = memory.take(1);
  assert.equal(piece.length, 65_536);
  memory.give(piece);
  assert.equal(memory.take(65_536), piece);
  assert.equal(memory.take(65_537).length, 65_537);
});
