// Testing relays: settings before they are saved, and a relay that is shown as failing while its last test has failed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { type SignInRelay, startSignInRelay } from '../../../test/support/network/sign-in-relay.ts';
import { sql } from '../../db/connect.ts';

type Relay = { id: string; state: string; reason: string; port: number };
type Outcome = { id: string; ok: boolean; stage: string; problem: string };

let app: TestApp;
let server: SignInRelay;
let port: number;
let signIns: string[];
before(async () => {
  server = await startSignInRelay();
  ({ port, signIns } = server);
  app = await testApp({ OUTBOUND_ALLOW: '127.0.0.1/32', INBOX_PORT: '9' });
});
after(async () => {
  await app.close();
  await server.close();
});

const testSettings = (params: Record<string, unknown>) => app.call<Outcome>('relayTestSettings', params);
const local = () => server.options();
const byId = async (id: string) => (await app.call<Relay[]>('relays')).find((relay) => relay.id === id)!;
const testSaved = async (id: string) => (await app.call<Outcome[]>('relayTest', { id }))[0]!;

test('settings are tested without a relay being saved', async () => {
  const works = await testSettings(local());
  assert.deepEqual([works.id, works.ok, works.stage, works.problem], ['', true, '', '']);
  const refused = await testSettings({ ...local(), port: 9 });
  assert.deepEqual([refused.ok, refused.stage], [false, 'connect']);
  assert.equal(refused.problem, 'The server 127.0.0.1 refused the connection on port 9. Is the port right?');
  const wrong = await testSettings({ ...local(), password: 'wrong-secret' });
  assert.deepEqual([wrong.ok, wrong.stage], [false, 'auth']);
  assert.match(wrong.problem, /refused the sign-in\. .* Its reply: 535 /);
  assert.doesNotMatch(JSON.stringify([works, refused, wrong]), /-secret/);
  assert.deepEqual(await app.app.db.rows(sql`select id from relay`), []);
  const [inbox] = await app.call<{ built_in: boolean; state: string }[]>('relays');
  assert.deepEqual([inbox!.built_in, inbox!.state], [true, 'idle']);
});

test('settings that cannot be saved are named as when they are saved', async () => {
  await assert.rejects(testSettings({ host: '10.0.0.7' }), {
    fault: 'INVALID_PARAMETER',
    message: /^host: .*10\.0\.0\.7/,
  });
  await assert.rejects(testSettings({ ...local(), password: '' }), { message: /^password is missing/ });
  await assert.rejects(testSettings({ id: 'a0000001', port: 25 }), { message: /the relay does not exist/ });
});

test('a change is tested with the stored password, for its host only', async () => {
  const id = await app.call<string>('relayCreate', local());
  signIns.length = 0;
  assert.equal((await testSettings({ id, rate: 5 })).ok, true);
  assert.deepEqual(signIns, ['ann right-secret']);
  assert.equal((await testSettings({ id, password: 'wrong-secret' })).stage, 'auth');
  assert.equal((await testSettings({ id, port: 9 })).stage, 'connect');
  await assert.rejects(testSettings({ id, host: 'localhost' }), { message: /^password/ });
  const { port: kept } = await byId(id);
  assert.equal(kept, port);
  await app.call('relayDelete', { id });
});

test('a relay whose last test failed is failing until a test succeeds, it is changed, or it has taken messages', async () => {
  const id = await app.call<string>('relayCreate', { ...local(), port: 9 });
  assert.equal((await byId(id)).state, 'idle');
  const fails = async () => {
    assert.equal((await testSaved(id)).ok, false);
    const { state, reason } = await byId(id);
    assert.deepEqual([state, reason.includes('refused the connection on port 9')], ['failing', true]);
  };
  await fails();
  await app.call('relayPause', { id });
  assert.equal((await byId(id)).state, 'paused');
  await app.call('relayResume', { id });
  assert.equal((await byId(id)).state, 'failing');
  await app.call('relayUpdate', { id, port });
  assert.deepEqual([(await byId(id)).state, (await testSaved(id)).ok, (await byId(id)).state], ['idle', true, 'idle']);
  await app.call('relayUpdate', { id, port: 9 });
  await fails();
  const worker = await app.app.db.row<{ id: number }>(sql`
    insert into worker (host, boot_id, pid, journal) values ('here', 'boot', 1, 'journal') returning id`);
  const report = (last: string | null) =>
    app.app.db.run(sql`
      insert into worker_status (worker_id, relays)
      values (${worker!.id}, ${JSON.stringify([
        { id, connections: 0, restMs: 0, reason: '', last: last && { at: last, tls: null } },
      ])}::jsonb)
      on conflict (worker_id) do update set relays = excluded.relays, at = now()`);
  await report(null);
  assert.equal((await byId(id)).state, 'failing');
  await report(new Date(Date.now() + 1_000).toISOString());
  assert.equal((await byId(id)).state, 'ready');
  await report(null);
  await app.app.db.run(sql`
    insert into relay_hour (relay, hour, accepted, deferred, refused)
    values (${id}, floor(extract(epoch from now()) / 3600)::int + 1, 1, 0, 0)`);
  assert.equal((await byId(id)).state, 'ready');
  await app.call('relayDelete', { id });
  assert.deepEqual(await app.app.db.rows(sql`select relay from relay_test`), []);
});

test('a relay that a worker could not connect to is failing, one that rests because of its limits is not', async () => {
  const id = await app.call<string>('relayCreate', local());
  const report = (relay: object) =>
    app.app.db.run(
      sql`update worker_status set at = now(), relays = ${JSON.stringify([
        { id, connections: 0, restMs: 9_000, last: null, ...relay },
      ])}::jsonb`,
    );
  await report({ reason: 'refused', failed: true });
  assert.deepEqual([(await byId(id)).state, (await byId(id)).reason], ['failing', 'refused']);
  await report({ reason: 'its quota is used up' });
  assert.equal((await byId(id)).state, 'resting');
  await app.call('relayDelete', { id });
});
