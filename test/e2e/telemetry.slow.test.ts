// Traces and metrics of a whole installation, as a collector receives them: one campaign from the call that starts it to the
// webhook, without a word of its contents; and a collector that never responds, which must cost nothing but a warning.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Installation } from '../support/installation/installation.ts';
import { type CollectedSpan, type Collector, startCollector } from '../support/network/collector.ts';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const secrets = ['secret-of-the-collector', 'reader0@inbox.example', 'Reader 0', 'A secret subject'];

let collector: Collector;
let receiver: Receiver;
let installation: Installation;

before(async () => {
  collector = await startCollector();
  receiver = await startReceiver();
  installation = new Installation({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=secret-of-the%2Dcollector',
    OTEL_METRIC_EXPORT_INTERVAL: '300',
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OUTBOUND_ALLOW: '127.0.0.0/8',
    WORKERS: '1',
    LOG_LEVEL: 'info',
  });
  await installation.start();
});

after(async () => {
  await installation.remove();
  await receiver.close();
  await collector.close();
});

const find = (name: string, more: (span: CollectedSpan) => boolean = () => true) =>
  collector.spans.find((span) => span.name === name && more(span));

/** The names from a span up to the first one of its trace. */
function ancestors(span: CollectedSpan): string[] {
  const parent = collector.spans.find(({ spanId }) => spanId === span.parentSpanId);
  return parent ? [parent.name, ...ancestors(parent)] : [];
}

test('one trace leads from the request of a caller to the launch; sending and webhooks have theirs', async () => {
  const list = await installation.listOf(20, (n) => `reader${n}@inbox.example`);
  await installation.call('webhookCreate', {
    title: 'Sent',
    options: { url: `${receiver.url}/sent`, events: ['campaign.sent'] },
  });
  const cid = await installation.draft(list, 'A secret subject');
  const response = await fetch(`${installation.base}/api/campaignSendNow`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer 0123456789abcdef0123456789abcdef',
      'content-type': 'application/json',
      traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    },
    body: JSON.stringify({ cid }),
  });
  assert.equal(response.status, 200);
  await installation.until('the webhook has arrived', async () => receiver.posts.length > 0);
  await installation.until('the spans have arrived', async () => !!find('webhook') && !!find('task launchCampaign'));

  const call = find('call campaignSendNow')!;
  assert.equal(call.traceId, traceId);
  assert.equal(call.process, 'web');
  assert.equal(call.attributes['postrider.outcome'], 'ok');
  assert.deepEqual(ancestors(call), ['POST /api/:method']);
  const launch = find('task launchCampaign', (span) => span.traceId === traceId)!;
  assert.equal(launch.process, 'work');
  assert.ok(ancestors(launch).includes('call campaignSendNow'), ancestors(launch).join(' < '));
  const statement = find('insert chunk', (span) => span.traceId === traceId)!;
  assert.ok(String(statement.attributes['db.query.text']).includes('insert into chunk'));

  const group = find('send a group')!;
  assert.equal(group.attributes['postrider.recipients'], 20);
  assert.deepEqual(ancestors(group), ['turn of a chunk']);
  const request = find('HTTP POST', (span) => ancestors(span).includes('webhook'))!;
  assert.equal(request.attributes['server.address'], '127.0.0.1');
  assert.equal(request.attributes['http.response.status_code'], 200);
  const webhook = find('webhook')!;
  assert.equal(receiver.posts[0]!.headers['traceparent'], `00-${webhook.traceId}-${webhook.spanId}-01`);
});

test('a call that is refused is no error, and a webhook without an answer is one', async () => {
  await assert.rejects(installation.call('campaignSendNow', { cid: 'nothing' }));
  await receiver.down();
  const params = { title: 'Down', options: { url: `${receiver.url}/down` } };
  await installation.call('webhookCreate', params);
  await installation.until(
    'both spans have arrived',
    async () => !!find('call campaignSendNow', isRefused) && !!find('HTTP HEAD', isUnreachable),
  );
  assert.equal(find('call campaignSendNow', isRefused)!.status, 0);
  assert.equal(find('HTTP HEAD', isUnreachable)!.status, 2);
});
const isRefused = ({ attributes }: CollectedSpan) => attributes['postrider.outcome'] !== 'ok';
const isUnreachable = ({ attributes }: CollectedSpan) => attributes['error.type'] === 'unreachable';

test('the metrics of /metrics arrive, with their labels and units', async () => {
  await installation.until('the metrics have arrived', async () =>
    (collector.metrics.get('postrider_outcomes_total')?.points ?? []).some(
      ({ attributes, value }) => attributes['outcome'] === 'accepted' && value === 20,
    ),
  );
  const prometheus = await (await fetch(`${installation.base}/metrics`)).text();
  const names = [...prometheus.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
  assert.ok(names.length > 20);
  assert.deepEqual(
    names.filter((name) => !collector.metrics.has(name)),
    [],
  );
  const [histogram] = collector.metrics.get('postrider_web_request_seconds')!.points;
  const { count, sum, bucketCounts, explicitBounds } = histogram!.value as {
    count: number;
    sum: number;
    bucketCounts: number[];
    explicitBounds: number[];
  };
  assert.deepEqual(explicitBounds, [0.005, 0.02, 0.1, 0.5, 2, 10]);
  assert.equal(bucketCounts.length, 7);
  assert.equal(
    bucketCounts.reduce((all, one) => all + one),
    count,
  );
  assert.ok(count > 0 && sum > 0);
});

test('lines of the log name the trace they belong to', () => {
  const lines = installation.output.split('\n').filter((line) => line.includes('"method":"campaignSendNow"'));
  assert.equal(JSON.parse(lines[0]!).trace_id, traceId);
});

test('no address, subject, name or secret is in what was exported, and the header of the collector is in every request', () => {
  assert.ok(collector.raw.length > 5);
  for (const secret of secrets) assert.ok(!collector.raw.some((text) => text.includes(secret)), secret);
  assert.ok(collector.headers.every((headers) => headers['x-key'] === 'secret-of-the-collector'));
});

test('with a silent collector campaigns are sent and the processes end in time', async () => {
  collector.silent = true;
  const list = await installation.listOf(5, (n) => `more${n}@inbox.example`);
  const cid = await installation.draft(list);
  await installation.call('campaignSendNow', { cid });
  await installation.until('the campaign is sent', async () => {
    const { delivery_status } = await installation.call<{ delivery_status: string }>('campaignProgress', { cid });
    return delivery_status === 'sent';
  });
  assert.equal(await installation.stop(), 0);
});
