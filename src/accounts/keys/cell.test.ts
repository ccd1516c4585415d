// The ending of API keys in an installation that is one of several (CELL): it is shown, and is no part of the key.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { call } from '../../doors/call.ts';
import { recordCell } from './key.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

const ping = (key: string) => call(app.app, 'ping', {}, { kind: 'key', key, ip: '127.0.0.1' }, 'json');

test('new keys end in the number of the cell, work with and without it, and can be changed and revoked by either', async () => {
  assert.match(await app.call<string>('apikeyAdd', { label: 'alone' }), /^[0-9a-f]{32}$/);
  await recordCell(app.app.db, 7);
  const key = await app.call<string>('apikeyAdd', { label: 'of a cell' });
  assert.match(key, /^[0-9a-f]{32}-c7$/);
  for (const given of [key, key.slice(0, 32), `${key.slice(0, 32)}-us1`])
    assert.equal(await ping(given), "Everything's Ok!");
  const shown = await app.call<{ label: string; hint?: string }[]>('apikeys');
  assert.ok(shown.some(({ label }) => label === 'of a cell'));
  await app.call('apikeyUpdate', { key, label: 'renamed' });
  await app.call('apikeyExpire', { key });
  await assert.rejects(ping(key), /apikey/);
  await recordCell(app.app.db, 0);
  assert.match(await app.call<string>('apikeyAdd', { label: 'alone again' }), /^[0-9a-f]{32}$/);
});
