// Log lines that cannot be written neither stop nor block a process: they wait, are dropped when too many wait, and counted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fullHere } from './full-disk.ts';
import { droppedLines, LogWriter } from './log-writer.ts';

const code = (name: string) => Object.assign(new Error(name), { code: name });
const line = (n: number) => `${JSON.stringify({ n, text: 'x'.repeat(1_000) })}\n`;

/** A place that takes `room` bytes, and what it got. */
function place() {
  const state = { room: 0, text: '', calls: 0, error: 'ENOSPC' };
  const write = (bytes: Buffer) => {
    state.calls += 1;
    if (state.room === 0) throw code(state.error);
    const taken = Math.min(state.room, bytes.length);
    state.room -= taken;
    state.text += bytes.toString('utf8', 0, taken);
    return taken;
  };
  return { state, write };
}

for (const error of ['ENOSPC', 'EIO', 'EPIPE', 'EAGAIN', 'EFBIG', 'EDQUOT'])
  test(`after ${error} the newest lines are written whole, and the dropped ones counted`, (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { state, write } = place();
    state.error = error;
    const before = droppedLines();
    const reports: number[] = [];
    const writer = new LogWriter(write, (count) => reports.push(count));
    state.room = 1_500;
    for (let n = 0; n < 5_000; n++) writer.write(line(n));
    assert.ok(state.calls < 10, `${state.calls} system calls`);
    state.room = 1e9;
    t.mock.timers.tick(200);
    writer.write(line(5_000));
    const got = state.text
      .trimEnd()
      .split('\n')
      .map((text) => (JSON.parse(text) as { n: number }).n);
    assert.deepEqual(got.slice(0, 2), [0, 1], 'a line that was begun is completed');
    assert.deepEqual(got.slice(-2), [4_999, 5_000]);
    assert.equal(reports.length, 1);
    assert.equal(reports[0], 5_001 - got.length);
    assert.equal(droppedLines() - before, reports[0]);
    assert.ok(got.length > 900 && got.length < 1_100, 'about a megabyte waits');
  });

test('at its end a process writes what waits, also to a reader that is slow for a moment', () => {
  const { state, write } = place();
  state.error = 'EAGAIN';
  const writer = new LogWriter(
    (bytes) => {
      if (state.calls > 5) state.room = 1e9;
      return write(bytes);
    },
    () => {},
  );
  writer.write(line(1));
  writer.write(line(2));
  writer.end();
  assert.equal(state.text, line(1) + line(2));
});

test('a line that was written in part is completed before the next one', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { state, write } = place();
  const writer = new LogWriter(write, () => assert.fail('no line was dropped'));
  state.room = 5;
  writer.write('first line\n');
  writer.write('second line\n');
  assert.equal(state.text, 'first');
  state.room = 100;
  t.mock.timers.tick(199);
  assert.equal(state.text, 'first', 'it is tried again after 200 ms');
  t.mock.timers.tick(1);
  assert.equal(state.text, 'first line\nsecond line\n');
  writer.write('third line\n');
  assert.equal(state.text, 'first line\nsecond line\nthird line\n', 'nothing waits, so it is written at once');
});

test('exactly the oldest lines beyond one megabyte are dropped, and no line is torn', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const kilobyte = (n: number) => `${String(n).padStart(1_023, '0')}\n`;
  /** Of so many lines of 1 kB those that are written when `room` bytes fit at first, and how many are reported as dropped. */
  const written = (room: number, count: number) => {
    const { state, write } = place();
    let reported = 0;
    const writer = new LogWriter(write, (dropped) => (reported += dropped));
    state.room = room;
    for (let n = 0; n < count; n++) writer.write(kilobyte(n));
    state.room = 1e9;
    t.mock.timers.tick(200);
    const lines = state.text.split(/(?<=\n)/);
    assert.ok(lines.every(({ length }) => length === 1_024));
    return { lines: lines.map(Number), reported };
  };
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);
  assert.deepEqual(written(0, 1_024), { lines: range(0, 1_024), reported: 0 });
  assert.deepEqual(written(0, 1_025), { lines: range(1, 1_025), reported: 1 });
  assert.deepEqual(written(0, 4_000), { lines: range(2_976, 4_000), reported: 2_976 });
  // The rest of a line that was begun takes room, and stays.
  assert.deepEqual(written(100, 1_024), { lines: range(0, 1_024), reported: 0 });
  assert.deepEqual(written(100, 1_025), { lines: [0, ...range(2, 1_025)], reported: 1 });
  assert.deepEqual(written(1_024 + 100, 2_000), { lines: [0, 1, ...range(977, 2_000)], reported: 975 });
});

test('a line counts as begun only from its first byte to its last one', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { state, write } = place();
  const kilobyte = (n: number) => `${String(n).padStart(1_023, '0')}\n`;
  const lines = () => state.text.split(/(?<=\n)/).map(Number);
  const writer = new LogWriter(write, () => {});
  state.room = 100;
  writer.write(kilobyte(0));
  state.room = 924;
  t.mock.timers.tick(200);
  for (let n = 1; n < 1_026; n++) writer.write(kilobyte(n));
  state.room = 1e9;
  t.mock.timers.tick(200);
  assert.deepEqual(lines().slice(0, 3), [0, 2, 3]);

  let takes = 0;
  const text: string[] = [];
  const none = new LogWriter(
    (bytes) => {
      if (takes > 0) text.push(bytes.toString());
      return Math.min(takes, bytes.length);
    },
    () => {},
  );
  for (let n = 0; n < 1_025; n++) none.write(kilobyte(n));
  takes = 1_024;
  t.mock.timers.tick(200);
  assert.equal(Number(text[0]), 1);
});

test('two lines always wait, however long they are', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { state, write } = place();
  const writer = new LogWriter(write, () => {});
  const long = (letter: string) => `${letter.repeat(2 * 1024 * 1024)}\n`;
  for (const letter of ['a', 'b', 'c']) writer.write(long(letter));
  state.room = 1e9;
  t.mock.timers.tick(200);
  assert.ok(state.text === long('b') + long('c'), state.text.replace(/(.)\1+/g, '$1'));
});

test('after it could be written again, dropped lines are reported once', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { state, write } = place();
  const reports: number[] = [];
  const writer = new LogWriter(write, (count) => reports.push(count));
  for (let n = 0; n < 1_100; n++) writer.write(line(n));
  state.room = 1e9;
  t.mock.timers.tick(200);
  writer.write(line(0));
  state.room = 0;
  writer.write(line(1));
  state.room = 1e9;
  t.mock.timers.tick(200);
  assert.equal(reports.length, 1);
});

test('a full disk of the log is noted until a line could be written', () => {
  const { state, write } = place();
  const writer = new LogWriter(write, () => {});
  writer.write(line(1));
  assert.deepEqual(fullHere(), ['log']);
  state.room = 1e9;
  writer.end();
  assert.deepEqual(fullHere(), []);
});

test('the end of a process does not wait for room on a disk, and for a slow reader two seconds at most', (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const attemptsUntilEnd = (failure: string) => {
    let attempts = 0;
    const writer = new LogWriter(
      () => {
        attempts += 1;
        now += 500;
        throw code(failure);
      },
      () => {},
    );
    writer.write(line(1));
    attempts = 0;
    writer.end();
    return attempts;
  };
  assert.equal(attemptsUntilEnd('ENOSPC'), 1);
  assert.equal(attemptsUntilEnd('EAGAIN'), 4);
});
