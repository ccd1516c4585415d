// The list of background tasks keeps what its comments promise.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCron } from '../recurring/schedule/cron.ts';
import { priorities, type TaskDefinition, tasks } from './tasks.ts';

const all = Object.entries<TaskDefinition>(tasks);

test('what a person waits for comes first, and the million jobs of an import last', () => {
  const names = Object.entries(priorities).sort(([, a], [, b]) => a - b);
  assert.deepEqual(
    names.map(([name]) => name),
    ['urgent', 'soon', 'normal', 'background', 'bulk'],
  );
  assert.equal(priorities.normal, 0, 'that of jobs without one');
});

for (const [name, { payload, attempts, cron, priority }] of all)
  test(`task ${name}`, () => {
    assert.ok([1, 3, 5, 8, 12, 25].includes(attempts), 'its attempts take a time that is known');
    if (priority !== undefined) assert.ok(priority in priorities);
    if (cron === undefined)
      return assert.equal(payload.safeParse({}).success, false, 'its payload names what it works on');
    assert.equal(payload.safeParse({}).success, true, 'the timetable gives no payload');
    const [minute = '', ...rest] = cron.split(' ');
    assert.match(minute, /^(\*(\/([2-9]|10))?|\d{1,2})$/);
    assert.ok(parseCron(['0', ...rest].join(' ')), 'the other fields are those of crontab');
    if (/^\d/.test(minute)) assert.ok(Number(minute) % 5 !== 0, 'not when the tasks of every five minutes run');
    if (/^\d+ \d/.test(cron)) assert.ok(attempts >= 3, 'a day later would be late');
    else assert.ok(attempts <= 3, 'the next run does the same work');
  });
