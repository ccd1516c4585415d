// kill -9 of web processes and workers while programs send single messages: after a successful answer none is lost, one
// idempotency key makes one message, and every second copy is marked. The sink's log is the truth.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Installation, kill } from '../support/installation/installation.ts';
import { startSinkProcess } from '../support/smtp-sink/process.ts';

const messages = 240;
const kills = 12;
const address = (n: number) => `message.${n}@example.com`;
type Info = { recipients: { state: string; resent: number }[] };

test('kill -9 of web processes and workers: no answered message is lost, none is sent twice unmarked', async () => {
  const sink = await startSinkProcess();
  const installation = new Installation({ SMTP_URL: sink.url });
  try {
    await installation.start();
    let killed = 0;
    let sending = true;
    const killer = (async () => {
      for (; killed < kills && sending; killed++) {
        await sleep(2_500);
        const [pid] = installation.pids(killed % 3 === 0 ? 'web' : 'work');
        if (pid) kill(pid, 'SIGKILL');
      }
    })();
    const idOf = new Map<number, string>();
    for (let n = 0; n < messages; n++) {
      const given = { to: address(n), subject: `Message ${n}`, plain: 'Hello', idempotency_key: `key ${n}` };
      // As a careful program does: the same call again until there is an answer.
      await installation.until(`message ${n} is answered`, async () => {
        const sent = await installation.call<{ id: string }>('messageSend', given).catch(() => undefined);
        if (sent) idOf.set(n, sent.id);
        return sent !== undefined;
      });
      await sleep(120);
    }
    sending = false;
    await killer;
    await installation.until('all are accepted', async () => sink.accepted().size >= messages, 120, 250);
    const accepted = sink.accepted();
    const again = await installation.call<{ id: string }>('messageSend', {
      ...{ to: address(0), subject: 'Message 0', plain: 'Hello', idempotency_key: 'key 0' },
    });
    assert.equal(again.id, idOf.get(0), 'the same key gives the same message');
    assert.equal(new Set(idOf.values()).size, messages);
    let doubled = 0;
    for (let n = 0; n < messages; n++) {
      const copies = accepted.get(address(n)) ?? 0;
      assert.ok(copies >= 1, `${address(n)} was lost`);
      if (copies === 1) continue;
      doubled += 1;
      const info = await installation.call<Info>('messageInfo', { id: idOf.get(n) });
      assert.ok(info.recipients[0]!.resent >= copies - 1, `a second copy to ${address(n)} is not marked`);
    }
    console.log(`${messages} messages, ${killed} kills: 0 lost, ${doubled} doubled, all of them marked`);
  } finally {
    await installation.remove();
    await sink.close();
  }
});
