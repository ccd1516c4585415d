// The set-up of examples/compose-several as processes: two web processes and three workers that share nothing but the database.
// What is uploaded through one web process is there for the other and for every worker, and nothing of it is on a disk.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { freePort } from '../../src/base/free-port.ts';
import { sql } from '../../src/db/connect.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { type Program, startProgram } from '../support/installation/program.ts';
import { until } from '../support/run/until.ts';
import { type Sink, startSink } from '../support/smtp-sink/sink.ts';

const people = 600;
const dot = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

let t: TestApp;
let sink: Sink;
const programs: Program[] = [];
const folders: string[] = [];
const webs: string[] = [];

before(async () => {
  sink = await startSink({ hash: false });
  t = await testApp();
  const ports = [await freePort(), await freePort()];
  webs.push(...ports.map((port) => `http://127.0.0.1:${port}`));
  const start = (command: string, more: Record<string, string> = {}) => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), `host-${command}-`));
    folders.push(DATA_DIR);
    const program = startProgram([command], {
      DATABASE_URL: t.app.db.url,
      DATA_DIR,
      BASE_URL: webs[0]!,
      SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none&connections=6`,
      CHROMIUM_PATH: 'none',
      ...more,
    });
    programs.push(program);
    return program.ready;
  };
  await Promise.all([
    ...ports.map((port) => start('web', { PORT: String(port) })),
    ...[1, 2, 3].map(() => start('work')),
  ]);
});
after(async () => {
  const codes = await Promise.all(programs.map((program) => program.stop()));
  await sink.close();
  await t.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  assert.deepEqual(codes, [0, 0, 0, 0, 0]);
});

/** Calls a method at one of the web processes. */
async function callAt<T>(web: number, method: string, params: Record<string, unknown>): Promise<T> {
  const response = await fetch(`${webs[web]}/api/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${t.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(params),
  });
  const value = (await response.json()) as T;
  assert.equal(response.status, 200, JSON.stringify(value));
  return value;
}

/** The same path at another web process. */
const at = (web: number, url: string) => new URL(new URL(url).pathname + new URL(url).search, webs[web]);

test('a picture that one web process took is shown by the other', async () => {
  const { url } = await callAt<{ url: string }>(0, 'assetCreate', { content: dot, title: 'dot.gif' });
  for (const web of [0, 1]) {
    const shown = await fetch(at(web, url));
    assert.equal(shown.status, 200);
    assert.equal(Buffer.from(await shown.arrayBuffer()).toString('base64'), dot);
  }
});

test('a file uploaded at one web process is imported by a worker, exported by the other, and its readers get a campaign from all workers', async () => {
  const rows = Array.from({ length: people }, (_, n) => `delay20-dot.${n}@d${n % 30}.example,Reader ${n}`);
  const upload = await fetch(`${webs[0]}/upload?name=readers.csv`, {
    method: 'POST',
    headers: { authorization: `Bearer ${t.key}`, 'content-type': 'application/octet-stream' },
    body: ['EMAIL,FNAME', ...rows].join('\n'),
  });
  assert.equal(upload.status, 200);
  const { id: file } = (await upload.json()) as { id: string };
  const list = await callAt<string>(1, 'listCreate', { title: 'Readers' });
  const id = await callAt<string>(1, 'importCreate', {
    id: list,
    upload: file,
    options: { mapping: { FNAME: 'FNAME' } },
  });
  await callAt(1, 'importStart', { import: id });
  await until('the import is done', async () => {
    const { state } = await callAt<{ state: string }>(0, 'importGet', { import: id });
    return state === 'done';
  });

  const { url } = await callAt<{ url: string }>(0, 'listExport', { id: list });
  const exported = await fetch(at(1, url), { headers: { authorization: `Bearer ${t.key}` } });
  assert.equal((await exported.text()).trim().split('\n').length, people + 1);

  const cid = await callAt<string>(0, 'campaignCreate', {
    type: 'HTML',
    options: {
      list_id: list,
      subject: 'News',
      from_email: 'editors@example.com',
      from_name: 'The editors',
      generate_text: true,
    },
    content: { html: '<p>News</p><p><a href="*|UNSUB|*">Leave</a></p>' },
  });
  await callAt(1, 'campaignSendNow', { cid });
  await until('every reader has the message', () => sink.counts.accepted >= people);
  const accepted = new Set(sink.accepted().map(({ to }) => to));
  assert.deepEqual([accepted.size, sink.counts.accepted], [people, people]);
  await until('the campaign is sent, as both web processes report', async () => {
    const states = await Promise.all(
      [0, 1].map((web) => callAt<{ delivery_status: string }>(web, 'campaignProgress', { cid })),
    );
    return states.every(({ delivery_status }) => delivery_status === 'sent');
  });
  await until('every worker reports that it took a part', async () => {
    const senders = await t.app.db.rows(sql`select from worker_status where (counts ->> 'accepted')::int > 0`);
    return senders.length === 3;
  });
});

test('the disk of a machine has nothing but journals and the heartbeat', () => {
  const kept = new Set(folders.flatMap((folder) => readdirSync(folder)));
  assert.deepEqual(
    [...kept].filter((name) => !['journal', 'heartbeat.json'].includes(name)),
    [],
  );
});
