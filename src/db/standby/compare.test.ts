// Which servers may answer reads, and how far behind they are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LagMeter, type ServerFacts, whyNoStandby } from './compare.ts';

const primary: ServerFacts = {
  isStandby: false,
  position: 5_000,
  isPaused: false,
  system: '7312',
  database: '5',
  timeline: 2,
  storedTimeline: 2,
};
const standby: ServerFacts = { ...primary, isStandby: true, position: 4_000, timeline: 0 };

test('a physical standby of this database may answer, and no other server', () => {
  assert.equal(whyNoStandby(standby, primary), '');
  assert.match(whyNoStandby({ ...standby, system: '9999' }, primary), /^is no copy of the database/);
  assert.match(whyNoStandby({ ...standby, database: '6' }, primary), /^is no copy of the database/);
  assert.match(whyNoStandby({ ...standby, isStandby: false }, primary), /^is no standby/);
  assert.match(whyNoStandby(primary, primary), /^is no standby/);
  assert.match(whyNoStandby({ ...standby, position: null }, primary), /does not show/);
});

test('after a fail-over it may answer when it has replayed that sending continued on the new timeline', () => {
  assert.match(whyNoStandby({ ...standby, storedTimeline: 1 }, primary), /^has not followed the last fail-over/);
  assert.equal(whyNoStandby({ ...standby, storedTimeline: null }, primary), '', 'no worker ever ran');
  assert.equal(whyNoStandby({ ...standby, storedTimeline: 0 }, { ...primary, timeline: 0 }), '', 'not shown');
});

test('the lag is the time since the primary was where the standby is', () => {
  const lag = new LagMeter();
  assert.equal(lag.measure(90, 100, 0), Number.POSITIVE_INFINITY);
  assert.equal(lag.measure(100, 200, 1_000), 1);
  assert.equal(lag.measure(150, 300, 2_000), 2, 'between two positions: the earlier');
  assert.equal(lag.measure(300, 300, 3_000), 0);
  assert.equal(lag.measure(300, 300, 50_000), 0, 'nothing happens');
  assert.equal(lag.measure(300, 400, 51_000), 1);
  assert.equal(lag.measure(300, 400, 130_000), Number.POSITIVE_INFINITY, 'longer than a minute');
});
