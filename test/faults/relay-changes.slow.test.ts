// Relays that change while workers are killed (fault F37): real worker processes, two sinks, kill -9 between and during the
// changes. RELAY_KILLS raises the number of kills.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkInvariants } from '../support/database/invariants.ts';
import { Crew } from '../support/delivery/crew.ts';
import { diceOf } from '../support/judges/dice.ts';
import { until } from '../support/run/until.ts';
import { startSink } from '../support/smtp-sink/sink.ts';

const kills = Number(process.env['RELAY_KILLS'] ?? 10);

test('F37 kill -9 of workers while relays are paused, changed, deleted and created: no recipient is lost, and each copy is marked', async (t) => {
  const dice = diceOf(37);
  const settings = { SMTP_URL: '', INBOX_PORT: '9', OUTBOUND_ALLOW: '127.0.0.1/32' };
  const crew = await Crew.start({ settings });
  const other = await startSink({ hash: false });
  t.after(async () => {
    await crew.close();
    await other.close();
  });
  const sinks = [crew.sink, other];
  const { call } = crew.t;
  const create = (port: number) =>
    call<string>('relayCreate', { host: '127.0.0.1', port, tls: 'none', connections: 3 });
  const relays = await Promise.all(sinks.map(({ port }) => create(port)));
  const accepted = () => sinks.reduce((sum, { counts }) => sum + counts.accepted, 0);
  const workers = [crew.worker(), crew.worker()];
  const audience = Array.from({ length: 300 * (kills + 2) }, (_, n) => `delay15-dot.${n}@d${n % 7}.example`);
  const id = await crew.campaign(audience);
  const accounting = crew.watch(id);

  const changes = [
    () => call('relayPause', { id: relays[0] }),
    () => call('relayUpdate', { id: relays[1], connections: 1 + dice.below(4), weight: 1 + dice.below(3) }),
    () => call('relayResume', { id: relays[0] }),
    // Another server under the same id.
    () => call('relayUpdate', { id: relays[1], port: crew.sink.port }),
    async () => {
      await call('relayDelete', { id: relays[1] });
      relays[1] = await create(other.port);
    },
  ];
  for (let kill = 0; kill < kills; kill++) {
    const before = accepted();
    await until('messages are accepted', () => accepted() >= before + 60);
    const victim = dice.below(workers.length);
    // The worker dies while it takes over the change, or shortly before or after it.
    const changing = changes[kill % changes.length]!();
    await sleep(dice.below(60));
    workers[victim]!.kill('SIGKILL');
    await Promise.all([changing, workers[victim]!.ended]);
    workers[victim] = crew.worker();
  }
  await call('relayResume', { id: relays[0] });
  // A recipient that was hit by two kills waits for its second copy as long as for a retry.
  const soon = setInterval(() => void crew.makeDue(id), 1_000);
  const all = await crew.settled(id, { seconds: 240 }).finally(() => clearInterval(soon));
  await accounting.stop();
  assert.deepEqual([...new Set(all.map(({ state }) => state))], ['accepted']);
  const checked = await checkInvariants(
    crew.t.app.db,
    sinks.flatMap(({ log }) => log),
    { campaign: id, audience },
  );
  assert.equal(checked.taken - checked.copies, audience.length);
  assert.ok(sinks.every(({ counts }) => counts.accepted > 0));
  t.diagnostic(`${kills} kills, ${checked.recipients} recipients, ${checked.copies} marked copies`);
});
