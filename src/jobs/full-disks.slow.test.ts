// A full disk is shown to operators and authors while it lasts: by /ready, on Home and as the reason of the campaign that waits.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Engine } from '../../test/support/delivery/engine.ts';
import { until } from '../../test/support/run/until.ts';
import { type Sink, startSink } from '../../test/support/smtp-sink/sink.ts';
import { noteFailure } from '../base/full-disk.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { lockClasses } from '../db/locks.ts';

let engine: Engine;
let sink: Sink;
let base: string;
before(async () => {
  sink = await startSink();
  engine = await Engine.start({ SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none` }, 1);
  base = await engine.app.listen();
});
after(async () => {
  await engine.stop();
  await sink.close();
});

type Shown = { kind: string; id: string; detail: string };
const db = () => engine.app.app.db;
const ready = async () => (await (await fetch(`${base}/ready`)).json()) as { sending: string; reason: string };
const attention = async () => {
  const { attention: all } = await engine.app.call<{ attention: Shown[] }>('homeSummary');
  return all.filter(({ kind }) => kind === 'disk' || kind === 'relay').map(({ kind, id }) => `${kind} ${id}`);
};
const reasonOf = async (cid: string) =>
  (await engine.app.call<{ status_reason: string }>('campaignProgress', { cid })).status_reason;
/** Of the workers: other processes see these only. */
const reported = async () => {
  const row = await db().row<{ count: number }>(sql`
    select count(*)::int as count from pg_locks where locktype = 'advisory' and classid = ${lockClasses.fullDisk}::int8::oid`);
  return row!.count;
};

test('while the database has no room, and no longer when it has', async () => {
  assert.deepEqual(await ready().then(({ sending, reason }) => [sending, reason]), ['on', '']);
  // As PostgreSQL refuses a row for which a file would have to grow.
  await db().run(sql`
    create function no_room() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
  await db().run(sql`create trigger no_room before update on chunk for each row execute function no_room()`);
  const id = await engine.send(['reader@good.example']);
  const cid = formatId(id);
  await until('a worker reports it', async () => (await reported()) > 0);
  const { sending, reason } = await ready();
  assert.equal(sending, 'waiting');
  assert.match(reason, /disk of the database is full/);
  assert.deepEqual(await attention(), ['disk database']);
  assert.match(await reasonOf(cid), /disk of the database is full/);
  await db().run(sql`drop trigger no_room on chunk`);
  await engine.settled(id);
  await until('no worker reports it', async () => (await reported()) === 0);
  assert.deepEqual(await ready().then((now) => [now.sending, now.reason]), ['on', '']);
  assert.deepEqual(await attention(), []);
  assert.equal(sink.counts.accepted, 1);
});

test('a full disk of the log stops nothing, and is named', async () => {
  noteFailure('log', Object.assign(new Error('write'), { code: 'ENOSPC' }));
  const { sending, reason } = await ready();
  assert.deepEqual([sending, /log is written to is full/.test(reason)], ['on', true]);
  assert.deepEqual(await attention(), ['disk log']);
});
