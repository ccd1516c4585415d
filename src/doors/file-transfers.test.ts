// Uploads and downloads over HTTP, and which account may use them.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { until } from '../../test/support/run/until.ts';
import { runImport } from '../audience/import/run.ts';
import { parseId } from '../db/ids.ts';
import { refusalLimits } from './admission/refused-keys.ts';

let t: TestApp;
let base: string;
before(async () => {
  t = await testApp();
  base = await t.listen();
});
after(() => t.close());

const as = (key: string) => ({ authorization: `Bearer ${key}` });
const send = (path: string, body: Uint8Array<ArrayBuffer> | string, key = t.key) =>
  fetch(`${base}${path}`, {
    method: 'POST',
    body,
    headers: { ...as(key), 'content-type': 'application/octet-stream' },
  });

const ping = () => fetch(`${base}/api/ping`, { method: 'POST', headers: as(t.key) });

test('a compressed file uploaded in two parts is imported, and its export is the same and safe for spreadsheets', async () => {
  const list = await t.call<string>('listCreate', { title: 'Readers' });
  const file = gzipSync('EMAIL,FNAME\na@example.com,"=1+1"\nb@example.com,"Lee, ""B"""\nno-at-sign,x\n');
  const first = (await (await send('/upload?name=a.csv.gz', file.subarray(0, 20))).json()) as {
    id: string;
    size: number;
  };
  assert.equal(first.size, 20);
  assert.equal((await send(`/upload/${first.id}?at=7`, file.subarray(20))).status, 400);
  assert.deepEqual(await (await send(`/upload/${first.id}?at=20`, file.subarray(20))).json(), {
    id: first.id,
    size: file.length,
  });
  const id = await t.call<string>('importCreate', { id: list, upload: first.id });
  await t.call('importStart', { import: id });
  await runImport(t.app, t.account.id, parseId(id), false, new AbortController().signal, t.app.log);
  const errors = await (await fetch(`${base}/import/${id}/errors.csv`, { headers: as(t.key) })).text();
  assert.equal(errors, 'line,column,value,reason\r\n4,EMAIL,no-at-sign,the address has no @\r\n');
  const { url, members } = await t.call<{ url: string; members: number }>('listExport', { id: list });
  assert.equal(members, 2);
  const csv = await (await fetch(url, { headers: as(t.key) })).text();
  assert.match(csv, /^EMAIL,FNAME,LNAME,STATUS,/);
  assert.match(csv, /^a@example\.com,'=1\+1,,subscribed,html,/m);
  assert.match(csv, /^b@example\.com,"Lee, ""B""",,subscribed,html,/m);
  const again = await t.call<string>('importCreate', { id: list, content: csv });
  await t.call('importStart', { import: again });
  await runImport(t.app, t.account.id, parseId(again), false, new AbortController().signal, t.app.log);
  const status = await t.call<{ result: Record<string, number> }>('importGet', { import: again });
  assert.equal(status.result['unchanged'], 2);
});

test('files of another account look like unknown ones, and no file is served without a key', async () => {
  const list = await t.call<string>('listCreate', { title: 'Own' });
  const upload = (await (await send('/upload', 'EMAIL\na@example.com\n')).json()) as { id: string };
  const id = await t.call<string>('importCreate', { id: list, upload: upload.id });
  const { key, call } = await t.anotherAccount();
  for (const path of [`/export/${list}.csv`, `/import/${id}/errors.csv`, `/upload/${upload.id}`]) {
    assert.equal((await fetch(`${base}${path}`, { headers: as(key) })).status, 404, path);
    assert.equal((await fetch(`${base}${path}`)).status, 401, path);
  }
  assert.equal((await send(`/upload/${upload.id}?at=20`, 'x', key)).status, 404);
  const theirs = await call<string>('listCreate', { title: 'Theirs' });
  await assert.rejects(call('importCreate', { id: theirs, upload: upload.id }), { fault: 'UPLOAD_UNKNOWN' });
  for (const method of ['importGet', 'importPreview', 'importUpdate', 'importDryRun', 'importStart', 'importStop'])
    await assert.rejects(call(method, { import: id }), { fault: 'IMPORT_UNKNOWN' }, method);
});

test('a transfer counts among the parallel calls of its key until it ends', async () => {
  const { config } = t.app;
  const usual = config.apiParallel;
  config.apiParallel = 1;
  try {
    const arrived = Promise.withResolvers<void>();
    const rest = Promise.withResolvers<void>();
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        controller.enqueue(Buffer.from('EMAIL\n'));
        arrived.resolve();
        await rest.promise;
        controller.close();
      },
    });
    const init = { method: 'POST', body, headers: as(t.key), duplex: 'half' } as const;
    const upload = fetch(`${base}/upload`, init as RequestInit);
    await arrived.promise;
    await until('a further call is refused', async () => /calls at once/.test(await (await ping()).text()));
    rest.resolve();
    const answer = await upload;
    assert.equal(answer.status, 200);
    await answer.arrayBuffer();
    await until('the key may call again', async () => (await ping()).status === 200);
  } finally {
    config.apiParallel = usual;
  }
});

test('wrong keys at uploads and downloads count like those at calls', async () => {
  const usual = refusalLimits.perMinute;
  refusalLimits.perMinute = 3;
  const proxied = await testApp({ TRUST_PROXY: 'loopback' });
  try {
    const from = await proxied.listen();
    const status = async (path: string, method: string, key: string) => {
      const headers = { ...as(key), 'x-forwarded-for': '198.51.100.77' };
      return (await fetch(`${from}${path}`, { method, headers, ...(method === 'POST' && { body: 'EMAIL\n' }) })).status;
    };
    for (const digit of ['1', '2', '3']) assert.equal(await status('/upload', 'POST', digit.repeat(32)), 401);
    assert.equal(await status('/upload', 'POST', '4'.repeat(32)), 429);
    assert.equal(await status('/export/1.csv', 'GET', '4'.repeat(32)), 429);
  } finally {
    refusalLimits.perMinute = usual;
    await proxied.close();
  }
});
