// What a send loop does next, as tables.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  adaptedGroupSize,
  type Exit,
  exitAfterMarking,
  exitBeforeGroup,
  maxGroupSize,
  moveWithoutQuota,
} from './next-move.ts';

const giveBack = (afterMs: number): Exit => ({ kind: 'give back', afterMs });

test('a loop marks a group unless its turn is over, the chunk must stop or no relay is available', () => {
  const ready = { now: 500, turnUntil: 1_000, canContinue: true, relayRestMs: 0 };
  const table: [Partial<typeof ready>, Exit | undefined][] = [
    [{}, undefined],
    [{ now: 1_000 }, undefined],
    [{ now: 1_001 }, { kind: 'turn over' }],
    [{ canContinue: false }, giveBack(0)],
    [{ relayRestMs: 1 }, giveBack(0)],
    [{ now: 1_001, canContinue: false, relayRestMs: 1 }, { kind: 'turn over' }],
  ];
  for (const [facts, exit] of table)
    assert.deepEqual(exitBeforeGroup({ ...ready, ...facts }), exit, JSON.stringify(facts));
});

test('a group is as large as account, relays and the last crash allow', () => {
  const unlimited = {
    accountLeft: Number.POSITIVE_INFINITY,
    oneByOne: false,
    groupSize: 100,
    perSecond: undefined as number | undefined,
  };
  const table: [Partial<typeof unlimited>, number][] = [
    [{}, 100],
    [{ accountLeft: 7 }, 7],
    [{ accountLeft: 0 }, 0],
    [{ accountLeft: 0, oneByOne: true }, 0],
    [{ oneByOne: true }, 1],
    [{ perSecond: 20 }, 20],
    [{ perSecond: 2.5 }, 3],
    [{ perSecond: 0.1 }, 1],
    [{ perSecond: 1_000 }, 100],
    [{ perSecond: 20, accountLeft: 7 }, 7],
  ];
  for (const [facts, size] of table)
    assert.equal(maxGroupSize({ ...unlimited, ...facts }), size, JSON.stringify(facts));
});

test('without quota a chunk waits for its own stragglers, else for the next day, and is checked every five minutes', () => {
  assert.deepEqual(moveWithoutQuota(3_600_000, 1), { kind: 'await stragglers' });
  assert.deepEqual(moveWithoutQuota(3_600_000, 0), giveBack(300_000));
  assert.deepEqual(moveWithoutQuota(1_000, 0), giveBack(1_000));
});

test('a marked group is sent unless the lease is lost, the campaign was stopped or no recipient was left', () => {
  assert.deepEqual(exitAfterMarking(undefined), { kind: 'lost' });
  assert.deepEqual(exitAfterMarking({ touched: 0, stopped: true }), giveBack(0));
  assert.deepEqual(exitAfterMarking({ touched: 0 }), { kind: 'done' });
  assert.equal(exitAfterMarking({ touched: 1 }), undefined);
});

test('the group size approaches half a second of work, between 10 and 500', () => {
  assert.equal(adaptedGroupSize(100, 100, 500), 100);
  assert.equal(adaptedGroupSize(100, 100, 1_000), 75);
  assert.equal(adaptedGroupSize(100, 0, 10_000), 50);
  assert.equal(adaptedGroupSize(100, 1_000, 1_000), 300);
  assert.equal(adaptedGroupSize(12, 0, 10_000), 10);
  assert.equal(adaptedGroupSize(400, 500, 0), 500);
});
