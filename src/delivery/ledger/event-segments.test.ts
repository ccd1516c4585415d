// A campaign to contacts that did something, while more happens between the launch and the attempt: events that come, go with their
// retention or with their contact, a segment that is changed or deleted, a pause. The cells of "Events of contacts" in docs/flows.md.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launchedTo, listOf, untilSent } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { type Sink, startSink } from '../../../test/support/smtp-sink/sink.ts';
import { purgeEvents } from '../../audience/events/retention.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { stateNames } from '../../db/states.ts';
import { startWorker } from '../worker.ts';

let app: TestApp;
let sink: Sink;
before(async () => {
  sink = await startSink();
  app = await testApp({ SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none` });
});
after(async () => {
  await app.close();
  await sink.close();
});

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const event = (name: string, who: string, more: Record<string, unknown> = {}) => ({
  name,
  email_address: `${who}@did.example`,
  ...more,
});

test('each recipient is asked again at the attempt, by the conditions that were launched', async () => {
  const people = ['stays', 'ordered', 'erased', 'forgot', 'other', 'late'];
  const list = await listOf(
    app,
    people.map((name) => `${name}@did.example`),
  );
  const report = (...events: unknown[]) => app.call('eventSendBatch', { events });
  await report(
    ...['stays', 'ordered', 'erased'].map((who) => event('seen', who, { data: { page: 'tea' } })),
    event('seen', 'forgot', { data: { page: 'tea' }, time: daysAgo(20) }),
    event('seen', 'other', { data: { page: 'coffee' } }),
  );
  const tea = {
    field: 'event',
    condition: 'is',
    value: 'seen',
    where: [{ field: 'data.page', condition: 'is', value: 'tea' }],
  };
  const filter = [tea, { field: 'event', condition: 'not', value: 'order', days: 30 }];
  const segment = await app.call<string>('listSegmentCreate', { list, title: 'Tea', match: 'all', filter });
  const id = await launchedTo(app, list, undefined, { segment_id: [segment] });
  const cid = formatId(id);
  await app.call('campaignPause', { cid });
  const coffee = [{ ...tea, where: [{ field: 'data.page', condition: 'is', value: 'coffee' }] }];
  await app.call('listSegmentUpdate', { id: segment, match: 'all', filter: coffee });
  await assert.rejects(app.call('listSegmentDelete', { id: segment }), { fault: 'CAMPAIGN_STATE_CONFLICT' });
  await report(
    event('order', 'ordered', { value: 10 }),
    // Of the past, and reported now.
    event('order', 'stays', { time: daysAgo(40) }),
    event('seen', 'late', { data: { page: 'tea' } }),
  );
  await app.call('contactErase', { email: 'erased@did.example' });
  await app.call('accountUpdate', { name: 'keep_events_days', value: '10' });
  // The events of the account that keeps them longest go by month.
  await (await app.anotherAccount()).call('accountUpdate', { name: 'keep_events_days', value: '0' });
  await purgeEvents({ app: app.app, log: app.app.log, signal: new AbortController().signal } as never);
  await app.call('campaignResume', { cid });
  const worker = await startWorker(app.app, {});
  await untilSent(app, id);
  await worker.stop();
  const rows = await app.app.db.rows<{ email: string; state: number; reason: string | null }>(
    sql`select email, state, reason from delivery where campaign_id = ${id} order by reason is distinct from 'deleted', email`,
  );
  assert.deepEqual(
    rows
      .map(({ email, state, reason }) => `${email.split('@')[0]} ${stateNames[state]} ${reason ?? ''}`.trim())
      .slice(1),
    ['forgot skipped left_segment', 'ordered skipped left_segment', 'stays accepted'],
  );
  assert.deepEqual([rows.length, rows[0]!.reason], [4, 'deleted'], 'who was erased; no one is added after the launch');
  assert.deepEqual(
    sink.accepted().map(({ to }) => to),
    ['stays@did.example'],
  );
});
