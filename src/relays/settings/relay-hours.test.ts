// What the relays answered is counted by kind, added up by hour over the workers, and summed up for a week.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { RelayTally } from '../smtp/relay-tally.ts';
import { addRelayHours, dropOldRelayHours, lastDaysOfRelays } from './relay-hours.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

const reply = (code: number, text = '') =>
  ({ kind: 'reply', stage: 'dot', dotted: true, code, text }) as const satisfies Parameters<RelayTally['count']>[1];

test('replies of a relay are counted by kind; those of this program and lost connections are not', () => {
  const tally = new RelayTally();
  for (const code of [250, 250, 451, 550]) tally.count('a', reply(code, `answer ${code}`), 'a@example.org');
  tally.count('a', { ...reply(552), local: true }, 'a@example.org');
  tally.count('a', { kind: 'lost', stage: 'dot', dotted: true, why: 'closed', text: '' }, 'a@example.org');
  assert.deepEqual(tally.counts(), new Map([['a', { accepted: 2, deferred: 1, refused: 1 }]]));
  assert.deepEqual(
    tally.answersOf('a').map(({ code, text }) => [code, text]),
    [
      [550, 'answer 550'],
      [451, 'answer 451'],
    ],
  );
  for (let i = 0; i < 9; i++) tally.count('a', reply(452, `later ${i} a@example.org`), 'a@example.org');
  assert.deepEqual(
    tally.answersOf('a').map(({ text }) => text),
    ['later 8 …', 'later 7 …', 'later 6 …', 'later 5 …', 'later 4 …'],
    'without the recipient',
  );
});

test('workers add what they counted since the last time; each of the last seven days is summed up, and older ones are dropped', async () => {
  const { db } = app.app;
  const counts = (accepted: number, refused: number) => new Map([['a', { accepted, deferred: 0, refused }]]);
  await addRelayHours(db, counts(5, 1), new Map());
  await addRelayHours(db, counts(8, 1), counts(5, 1));
  await addRelayHours(db, counts(2, 2), new Map());
  await addRelayHours(db, counts(2, 2), counts(2, 2));
  await db.run(sql`
    insert into relay_hour (relay, hour, accepted, deferred)
    select 'a', floor(extract(epoch from now()) / 3600)::int - ago, 100 + ago, 1
    from unnest(array[30, 40, 167, 168, 191, 193]) as ago`);
  const none = { accepted: 0, deferred: 0, refused: 0 };
  assert.deepEqual(
    await lastDaysOfRelays(db),
    new Map([
      [
        'a',
        [
          { accepted: 267, deferred: 1, refused: 0 },
          ...[none, none, none, none],
          { accepted: 270, deferred: 2, refused: 0 },
          { accepted: 10, deferred: 0, refused: 3 },
        ],
      ],
    ]),
  );
  await dropOldRelayHours(db);
  const left = await db.rows<{ accepted: number }>(sql`select accepted from relay_hour order by hour`);
  assert.deepEqual(
    left.map(({ accepted }) => accepted),
    [291, 268, 267, 140, 130, 10],
  );
});
