// /metrics and /ready: what they report, and to whom.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { countBy, Engine, people } from '../../../test/support/delivery/engine.ts';
import { until } from '../../../test/support/run/until.ts';
import { startSink } from '../../../test/support/smtp-sink/sink.ts';
import { sql } from '../../db/connect.ts';
import { createServer } from '../../web.ts';

test('after a delivery /metrics reports outcomes, states, relays and workers, and /ready a live worker', async () => {
  const sink = await startSink();
  const engine = await Engine.start({ SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none&connections=2` }, 0);
  const base = await engine.app.listen();
  try {
    const ready = async () => {
      const response = await fetch(`${base}/ready`);
      const { database, workers } = (await response.json()) as { database: boolean; workers: number };
      return [response.status, { database, workers }];
    };
    assert.deepEqual(await ready(), [503, { database: true, workers: 0 }]);
    await engine.addWorker();
    assert.deepEqual(await ready(), [200, { database: true, workers: 1 }]);
    const id = await engine.send([...people(30), ...people(2, 'full.example', '451x9')]);
    await engine.settled(id);
    const text = await untilTold(base, /postrider_outcomes_total\{worker="\d+",outcome="accepted"\} 30\n/);
    for (const line of [
      /^postrider_recipients\{state="accepted"\} 30$/m,
      /^postrider_recipients\{state="later"\} 2$/m,
      /^postrider_recipients\{state="unclear"\} 0$/m,
      /^postrider_campaigns\{status="sending"\} 1$/m,
      /^postrider_workers 1$/m,
      /^postrider_chunks\{state="leased"\} \d+$/m,
      /^postrider_relay_connections\{worker="\d+",relay="[^"]+"\} \d+$/m,
      /^postrider_worker_loop_delay_seconds\{worker="\d+"\} [\d.e-]+$/m,
      /^postrider_accepted_per_second\{worker="\d+"\} [\d.]+$/m,
      /^postrider_web_requests_total\{method="GET",route="\/ready",status="2xx"\} 1$/m,
      /^postrider_web_nodejs_eventloop_lag_p99_seconds /m,
    ])
      assert.match(text, line);
    assert.ok(!text.includes('@good.example'));
    assertExamplesMatch(text);
    const [relay] = await engine.app.call<{ last_answers: { code: number }[] }[]>('relays');
    assert.equal(relay!.last_answers[0]!.code, 451);
    assert.equal(
      Object.values(countBy(text.match(/^# TYPE (\S+)/gm) ?? [], (one) => one)).find((n) => n > 1),
      undefined,
    );
  } finally {
    await engine.stop();
    await sink.close();
  }
});

test('/metrics answers loopback, and others with METRICS_TOKEN only', async () => {
  type Ask = (from: string, headers?: Record<string, string>) => Promise<number>;
  const asking = async (settings: Record<string, string>, work: (ask: Ask) => Promise<void>) => {
    const engine = await Engine.start({ SMTP_URL: 'smtp://127.0.0.1:9?tls=none', ...settings }, 0);
    const server = await createServer(engine.app.app);
    try {
      await work(async (from, headers = {}) => {
        const { statusCode } = await server.inject({ url: '/metrics', remoteAddress: from, headers });
        return statusCode;
      });
    } finally {
      await server.close();
      await engine.stop();
    }
  };
  await asking({}, async (ask) => {
    assert.equal(await ask('127.0.0.1'), 200);
    assert.equal(await ask('127.0.0.1', { host: 'localhost:8080' }), 200);
    assert.equal(await ask('::1', { host: '[::1]:8080' }), 200);
    const why = 'a name that its owner pointed at this machine';
    assert.equal(await ask('127.0.0.1', { host: 'other.example' }), 404, why);
    assert.equal(await ask('192.0.2.7'), 404);
    assert.equal(await ask('127.0.0.1', { 'x-forwarded-for': '192.0.2.7' }), 404);
  });
  await asking({ BASE_URL: 'https://mail.example.com' }, async (ask) =>
    assert.equal(await ask('127.0.0.1'), 404, 'perhaps a proxy'),
  );
  await asking({ METRICS_TOKEN: 'a-token-of-some-length' }, async (ask) => {
    assert.equal(await ask('192.0.2.7'), 404);
    assert.equal(await ask('192.0.2.7', { authorization: 'Bearer another' }), 404);
    assert.equal(await ask('192.0.2.7', { authorization: 'Bearer a-token-of-some-length' }), 200);
  });
});

test('the status of ended workers is deleted, that of live ones is kept', async () => {
  const sink = await startSink();
  const engine = await Engine.start({ SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none` }, 0);
  try {
    const { db } = engine.app.app;
    await db.run(
      sql`insert into worker (host, boot_id, pid, journal, ended_at) values ('h', 'b', 1, '', now() - interval '2 minutes')`,
    );
    await db.run(sql`insert into worker_status (worker_id) select id from worker`);
    await engine.addWorker();
    await until('the status of the ended worker is deleted', async () => {
      const rows = await db.rows<{ ended: boolean }>(
        sql`select w.ended_at is not null as ended from worker_status f join worker w on w.id = f.worker_id`,
      );
      return rows.length === 1 && !rows[0]!.ended;
    });
  } finally {
    await engine.stop();
    await sink.close();
  }
});

async function untilTold(base: string, what: RegExp): Promise<string> {
  let text = '';
  await until(`/metrics has ${what}`, async () => {
    text = await (await fetch(`${base}/metrics`)).text();
    return what.test(text);
  });
  return text;
}

/** The board and the alert rules of examples/grafana name only metrics that /metrics has. */
function assertExamplesMatch(text: string): void {
  const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  for (const file of ['board.json', 'alerts.yaml']) {
    const example = readFileSync(new URL(`../../../examples/grafana/${file}`, import.meta.url), 'utf8');
    const named = new Set(example.match(/\bpostrider_[a-z0-9_]+/g));
    assert.ok(named.size > 5, file);
    const unknown = [...named].filter(
      (name) => !known.has(name) && !known.has(name.replace(/_(bucket|sum|count)$/, '')),
    );
    assert.deepEqual(unknown, [], file);
  }
}
