// What the old installation answers for an account that is moving or has moved: pages lead on, what is posted is forwarded with its body.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { until } from '../../test/support/run/until.ts';
import { noticeMs } from '../accounts/account/moves.ts';
import { sql } from '../db/connect.ts';
import { recordAddresses } from '../move/addresses.ts';
import { tokensOf } from '../tracking/token-secret.ts';

type Seen = { method: string; url: string; body: string; authorization: string | undefined; from: string | undefined };

let app: TestApp;
let base: string;
let other: Server;
let address: string;
const seen: Seen[] = [];
before(async () => {
  app = await testApp();
  base = await app.listen();
  other = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { authorization, 'x-forwarded-for': from } = request.headers;
      const body = Buffer.concat(chunks).toString();
      seen.push({ method: request.method!, url: request.url!, body, authorization, from: from as string | undefined });
      response.writeHead(202, { 'content-type': 'text/plain' }).end('from the new cell');
    });
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
});
after(async () => {
  other.closeAllConnections();
  other.close();
  await app.close();
});
beforeEach(() => {
  seen.length = 0;
});

async function step(account: number, name: string): Promise<void> {
  await app.app.db.run(sql`
    insert into account_move (account, move_id, step, address)
    values (${account}, gen_random_uuid(), ${name}, ${address})
    on conflict (account) do update
    set step = excluded.step`);
}

/** A request until the web process knows of the move. */
async function onceNoticed(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response | undefined;
  await until(
    'the move is noticed',
    async () => {
      response = await fetch(base + path, { redirect: 'manual', ...init });
      return [202, 307].includes(response.status);
    },
    20 * noticeMs,
  );
  return response!;
}

test('of an account that has moved, what is opened is redirected and what is posted is forwarded', async () => {
  const { account, key, call } = await app.anotherAccount('pro');
  const list = await call<string>('listCreate', { title: 'Readers' });
  const { url: form } = await call<{ url: string }>('listForm', { id: list });
  await app.app.db.transaction((tx) => recordAddresses(tx, { id: account.id, all: [account.id] }));
  await step(account.id, 'moved');
  const tokens = tokensOf(app.app).tokens({ account: account.id, campaign: 1, seq: 1, contact: 1, lists: [1] });
  const click = await onceNoticed(`/c/${tokens.click}0`);
  assert.equal(click.headers.get('location'), `${address}/c/${tokens.click}0`);
  assert.equal(click.headers.get('cache-control'), 'no-store');

  const left = await fetch(`${base}/u/${tokens.unsubscribe}`, {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  });
  assert.deepEqual([left.status, await left.text()], [202, 'from the new cell']);
  assert.deepEqual([seen[0]!.url, seen[0]!.body], [`/u/${tokens.unsubscribe}`, 'List-Unsubscribe=One-Click']);
  assert.match(seen[0]!.from!, /127\.0\.0\.1/);

  const opened = await fetch(form, { redirect: 'manual' });
  assert.equal(opened.headers.get('location'), address + new URL(form).pathname);

  const xml = `<?xml version="1.0"?><methodCall><methodName>ping</methodName><params><param><value><struct><member><name>apikey</name><value>${key}-us1</value></member></struct></value></param></params></methodCall>`;
  await fetch(`${base}/`, { method: 'POST', headers: { 'content-type': 'text/xml' }, body: xml });
  await fetch(`${base}/1.3/?output=json&method=ping`, { method: 'POST', body: new URLSearchParams({ apikey: key }) });
  await fetch(`${base}/api/ping`, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: '{}' });
  assert.deepEqual(
    seen.slice(1).map(({ url, body, authorization }) => [url, body, authorization]),
    [
      ['/', xml, undefined],
      ['/1.3/?output=json&method=ping', `apikey=${key}`, undefined],
      ['/api/ping', '{}', `Bearer ${key}`],
    ],
  );
  // Another account is served here, also where its key comes together with that one.
  const own = await fetch(`${base}/api/ping`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.key}` },
    body: '{}',
  });
  assert.equal(own.status, 200);
  const both = await fetch(`${base}/api/ping`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ note: app.key }),
  });
  const fault = (await both.json()) as { code: number; error: string };
  assert.deepEqual([both.status, fault.code], [421, 105]);
  assert.ok(fault.error.includes(address), fault.error);
});

test('while an account is between two installations, requests wait, and calls get fault -60', async () => {
  const { account, key } = await app.anotherAccount('pro');
  await step(account.id, 'fenced');
  const called = await fetch(`${base}/api/ping`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: '{}',
  });
  assert.deepEqual([called.status, called.headers.get('retry-after')], [503, '5']);
  const tokens = tokensOf(app.app).tokens({ account: account.id, campaign: 1, seq: 1, contact: 1, lists: [1] });
  await until('the fence is noticed', async () => {
    const answered = await fetch(`${base}/v/${tokens.view}`, { signal: AbortSignal.timeout(300) }).catch(
      () => undefined,
    );
    return answered === undefined;
  });
  const waiting = fetch(`${base}/u/${tokens.unsubscribe}`, { method: 'POST', body: new URLSearchParams({ a: 'b' }) });
  await step(account.id, 'moved');
  assert.equal((await waiting).status, 202);
  assert.equal(seen.at(-1)!.url, `/u/${tokens.unsubscribe}`);
});

test('a circle of installations ends', async () => {
  const { account } = await app.anotherAccount('pro');
  await step(account.id, 'done');
  const tokens = tokensOf(app.app).tokens({ account: account.id, campaign: 1, seq: 1, contact: 1, lists: [1] });
  await onceNoticed(`/v/${tokens.view}`);
  const headers = { 'x-postrider-moved': '3' };
  assert.equal((await fetch(`${base}/u/${tokens.unsubscribe}`, { method: 'POST', headers })).status, 508);
});
