import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { call } from '../call.ts';
import { answerXmlRpc } from '../xmlrpc/door.ts';
import { checkRefusals, countRefusal, noteValid, refusalLimits } from './refused-keys.ts';

const key = 'a'.repeat(32);

test('a host with too many refused keys waits until the minute is over; another host and a key that was valid do not', () => {
  for (let i = 0; i < refusalLimits.perMinute; i++) {
    checkRefusals(key, '192.0.2.1', 1_000);
    countRefusal('192.0.2.1', 1_000);
  }
  assert.throws(() => checkRefusals(key, '192.0.2.1', 2_000), { fault: 'TOO_MANY_CALLS', retryAfter: 59 });
  checkRefusals(key, '192.0.2.2', 2_000);
  noteValid('b'.repeat(32));
  checkRefusals('b'.repeat(32), '192.0.2.1', 2_000);
  checkRefusals(key, '192.0.2.1', 62_000);
});

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

test('calls with refused keys are counted, and the next one from there is refused without a look-up', async () => {
  const usual = refusalLimits.perMinute;
  refusalLimits.perMinute = 3;
  try {
    const ping = (with_: string) => call(app.app, 'ping', {}, { kind: 'key', key: with_, ip: '198.51.100.9' }, 'json');
    await ping(app.key);
    for (let i = 0; i < 3; i++) await assert.rejects(ping(`${i}`.repeat(32)), { fault: 'KEY_INVALID' });
    await assert.rejects(ping('9'.repeat(32)), { fault: 'TOO_MANY_CALLS' });
    await ping(app.key);
  } finally {
    refusalLimits.perMinute = usual;
  }
});

test('a multicall looks up a wrong key once, however many of its calls have it', async () => {
  const { db } = app.app;
  const row = db.row;
  let lookUps = 0;
  app.app.db.row = ((query: Parameters<typeof row>[0]) => {
    lookUps += 1;
    return row.call(db, query);
  }) as typeof row;
  try {
    const item = `<value><struct><member><name>methodName</name><value>ping</value></member><member><name>params</name><value><array><data><value><struct><member><name>apikey</name><value>${key}</value></member></struct></value></data></array></value></member></struct></value>`;
    const body = `<methodCall><methodName>system.multicall</methodName><params><param><value><array><data>${item.repeat(50)}</data></array></value></param></params></methodCall>`;
    const answer = await answerXmlRpc(app.app, Buffer.from(body), {
      contentType: 'text/xml',
      ip: '198.51.100.10',
    });
    assert.equal(answer.body.match(/<int>104<\/int>/g)!.length, 50);
    assert.equal(lookUps, 1);
  } finally {
    app.app.db.row = row;
  }
});
