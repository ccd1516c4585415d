// Relays whose name does not resolve, resolves slowly, or to a new address (fault F34), with a name server of the test
// that Node's lookup asks. What counts is how often it is asked, and which recipients are affected.
import assert from 'node:assert/strict';
import dns, { Resolver } from 'node:dns';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkInvariants } from '../support/database/invariants.ts';
import { Engine, people } from '../support/delivery/engine.ts';
import { type DnsStub, startDnsStub } from '../support/network/dns-stub.ts';
import { type Sink, startSink } from '../support/smtp-sink/sink.ts';

const name = 'relay.fault.example';
const systemLookup = dns.lookup;
let stub: DnsStub;
let sink: Sink;
let engine: Engine | undefined;

before(() => {
  // As getaddrinfo would, of this one name: net.connect asks by dns.lookup.
  const lookup = (host: string, options: unknown, callback: (...args: unknown[]) => void) => {
    if (!host.endsWith('.fault.example')) return systemLookup(host, options as dns.LookupOptions, callback as never);
    const resolver = new Resolver({ timeout: 20_000, tries: 1 });
    resolver.setServers([stub.server]);
    resolver.resolve4(host, (error, addresses) => {
      const code = error?.code === 'ETIMEOUT' ? 'EAI_AGAIN' : 'ENOTFOUND';
      if (error) callback(Object.assign(new Error(`getaddrinfo ${code} ${host}`), { code }));
      else if ((options as dns.LookupOptions).all)
        callback(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        );
      else callback(null, addresses[0], 4);
    });
    return undefined;
  };
  dns.lookup = lookup as typeof dns.lookup;
});
after(() => {
  dns.lookup = systemLookup;
});
beforeEach(async () => {
  stub = await startDnsStub();
  sink = await startSink();
});
afterEach(async () => {
  await engine?.stop();
  engine = undefined;
  await sink.close();
  await stub.close();
});

const start = async () => {
  engine = await Engine.start({ SMTP_URL: `smtp://${name}:${sink.port}?tls=none&connections=4` }, 1, 0.2);
  return engine;
};
const asked = () => stub.questions.filter((question) => question.type === 'A').length;

test('F34 a host name that does not exist keeps all queued, is reported and rarely looked up, and sending starts once it exists', async () => {
  const started = await start();
  const id = await started.send(people(200));
  await sleep(4_000);
  await started.until(id, (all) => all.every((recipient) => recipient.state === 'queued' && recipient.attempts === 0));
  // Rests of 0.2, 0.4, 0.8, 1.6, 3.2 s; the first time each of the four connections asks.
  assert.ok(asked() >= 2 && asked() <= 16, `asked ${asked()} times`);
  assert.match(
    (await started.progress(id)).status_reason,
    /no relay can be used: There is no server with the name relay\.fault\.example/,
  );
  stub.set(name, { A: ['127.0.0.1'] });
  const all = await started.settled(id, 60);
  assert.ok(all.every((recipient) => recipient.state === 'accepted' && recipient.attempts === 1));
  await checkInvariants(started.app.app.db, sink.log, { campaign: id });
});

test('F34 the name is looked up per connection, not per message', async () => {
  stub.set(name, { A: ['127.0.0.1'], ttl: 1 });
  const started = await start();
  const id = await started.send(people(600));
  await started.settled(id, 60);
  assert.ok(asked() <= sink.counts.connections, `${asked()} questions for ${sink.counts.connections} connections`);
  assert.ok(sink.counts.connections <= 8);
});

test('F34 a relay that closes after every message does not cause a name lookup per message', async () => {
  stub.set(name, { A: ['127.0.0.1'] });
  const started = await start();
  const begunAt = performance.now();
  const id = await started.send(people(200, 'one.example', 'drop-after250'));
  await started.settled(id, 60);
  const seconds = (performance.now() - begunAt) / 1_000;
  assert.ok(sink.counts.connections >= 50, `${sink.counts.connections} connections`);
  assert.ok(asked() <= seconds + 2, `${asked()} questions in ${seconds} s`);
});

test('F34 a slow name server delays only the first messages; a silent one costs no recipient an attempt', async () => {
  stub.set(name, { A: ['127.0.0.1'], delayMs: 1_500 });
  const started = await start();
  const slow = await started.send(people(100, 'slow.example'));
  const all = await started.settled(slow, 60);
  assert.ok(all.every((recipient) => recipient.state === 'accepted' && recipient.attempts === 1));
  // Further connections may still be waiting for the slow answer.
  await sleep(3_000);
  // The system's resolver gives up some time, or we do after 60 s, which are 12 s here; then the relay rests.
  stub.set(name, { delayMs: Number.POSITIVE_INFINITY });
  sink.hangUp();
  const before = asked();
  const mute = await started.send(people(50, 'mute.example'));
  const deadline = performance.now() + 40_000;
  while (
    !/cannot be looked up|no server with the name|did not answer|at connect/.test(
      (await started.progress(mute)).status_reason,
    )
  ) {
    assert.ok(performance.now() < deadline, JSON.stringify(await started.progress(mute)));
    await sleep(200);
  }
  assert.ok(asked() - before <= 12, `asked ${asked() - before} times`);
  stub.set(name, { A: ['127.0.0.1'] });
  // Recipients parked while the relay was being looked up were deferred for some seconds.
  const hurry = setInterval(() => void started.hurry(mute).catch(() => {}), 500);
  const end = await started
    .until(mute, (every) => every.every((recipient) => recipient.state === 'accepted'), 60)
    .finally(() => clearInterval(hurry));
  assert.ok(
    end.every((recipient) => recipient.attempts === 1),
    'no attempt was lost to it',
  );
  await checkInvariants(started.app.app.db, sink.log, { campaign: mute });
});

test('F34 when the address changes, new connections go to the new one within a second', async () => {
  // The previous test's answer is used until then.
  await sleep(1_100);
  stub.set(name, { A: ['127.0.0.2'] });
  // Nothing listens at 127.0.0.2.
  const started = await start();
  const id = await started.send(people(60));
  await sleep(1_500);
  await started.until(id, (all) => all.every((recipient) => recipient.state === 'queued' && recipient.attempts === 0));
  assert.equal(sink.counts.accepted, 0);
  stub.set(name, { A: ['127.0.0.1'] });
  await started.settled(id, 60);
  assert.equal(sink.counts.accepted, 60);
});

test('F34 a relay whose name no longer resolves does not delay the other relay', async () => {
  engine = await Engine.start(
    {
      SMTP_URL: `smtp://gone.fault.example:25?tls=none,smtp://127.0.0.1:${sink.port}?tls=none&connections=4`,
    },
    1,
    0.2,
  );
  stub.set('gone.fault.example', { rcode: 2 });
  const id = await engine.send(people(300));
  const all = await engine.settled(id, 60);
  assert.ok(all.every((recipient) => recipient.state === 'accepted' && recipient.attempts === 1));
  assert.ok(asked() <= 30, `asked ${asked()} times`);
});
