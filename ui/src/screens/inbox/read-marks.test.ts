import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnread, noneRead, withAllRead, withRead } from './read-marks.ts';

test('what was opened is read, and what comes later is not', () => {
  const marks = withRead(withRead(noneRead, '12'), '9');
  const unread = (ids: string[], of = marks) => ids.filter((id) => isUnread(of, id));
  assert.deepEqual(unread(['13', '12', '11', '9', '8']), ['13', '11', '8']);
  assert.equal(withRead(marks, '12'), marks);
  const all = withAllRead(marks, '11');
  assert.deepEqual(unread(['13', '12', '11', '9', '8'], all), ['13']);
  assert.deepEqual(unread(['13', '12'], withAllRead(all, '5')), ['13']);
});

test('only so many are kept in mind: the oldest count as read with all before them', () => {
  let marks = noneRead;
  for (let id = 1_001; id <= 2_100; id++) marks = withRead(marks, String(id));
  assert.equal(marks.read.length, 1_000);
  assert.equal(isUnread(marks, '1000'), false);
  assert.equal(isUnread(marks, '2100'), false);
  assert.equal(isUnread(marks, '2101'), true);
});
