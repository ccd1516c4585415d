import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockOf } from './clock.ts';

test('a time of day is read in the ways that people type it', () => {
  const times = { '9': '09:00', '09': '09:00', '930': '09:30', '0930': '09:30', '9.30': '09:30', '21:30': '21:30' };
  for (const [typed, time] of Object.entries(times)) assert.equal(clockOf(typed), time, typed);
  assert.equal(clockOf('18h30'), '18:30');
  for (const typed of ['9:30 pm', '9.30PM', '9:30 p.m.']) assert.equal(clockOf(typed), '21:30', typed);
  assert.deepEqual([clockOf('12 am'), clockOf('12pm'), clockOf(' 0:05 ')], ['00:00', '12:00', '00:05']);
});

test('what is no time of day stays as it was typed', () => {
  for (const typed of ['', '24:00', '9:60', '9:5', '13 pm', '0 am', 'noon', '9:30:00', '-9', '99999'])
    assert.equal(clockOf(typed), undefined, typed);
});
