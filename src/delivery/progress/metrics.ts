// Metrics for Prometheus: deliveries, workers and the queue from the database, and the web process that answers.
// Contains no account name, address or secret. Access is checked by web.ts.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { signInCounts } from '../../accounts/access/attempts.ts';
import type { App } from '../../base/context.ts';
import { droppedLines } from '../../base/log-writer.ts';
import type { ReadMetrics } from '../../base/telemetry.ts';
import { sql } from '../../db/connect.ts';
import { stateNames } from '../../db/states.ts';
import { liveWorkers } from '../../jobs/worker-presence.ts';
import type { RelayStatus } from '../../relays/smtp/line/line-status.ts';

export type Metrics = {
  /** Counts an answered request. @param route the pattern, not the requested path */
  answered(request: { method: string; route: string; status: number; seconds: number }): void;
  readonly contentType: string;
  /** @throws Error when the database is unreachable */
  text(): Promise<string>;
  /** The same for telemetry. @throws Error when the database is unreachable */
  values: ReadMetrics;
};

export function createMetrics(app: App): Metrics {
  const webProcess = new Registry();
  collectDefaultMetrics({ register: webProcess, prefix: 'postrider_web_' });
  const requests = new Counter({
    name: 'postrider_web_requests_total',
    help: 'Requests answered by this web process.',
    labelNames: ['method', 'route', 'status'],
    registers: [webProcess],
  });
  const seconds = new Histogram({
    name: 'postrider_web_request_seconds',
    help: 'Time until a request was answered by this web process.',
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [webProcess],
  });
  new Counter({
    name: 'postrider_web_sign_ins_total',
    help: 'Attempts to sign in to this web process, by outcome.',
    labelNames: ['outcome'],
    registers: [webProcess],
    collect() {
      this.reset();
      for (const [outcome, count] of signInCounts) this.inc({ outcome }, count);
    },
  });
  new Counter({
    name: 'postrider_web_log_lines_dropped_total',
    help: 'Log lines that this web process could not write: the disk was full, or the reader of the log slow or gone.',
    registers: [webProcess],
    collect() {
      this.reset();
      this.inc(droppedLines());
    },
  });
  countReads(app, webProcess);
  return {
    answered(request) {
      requests.inc({ method: request.method, route: request.route, status: `${Math.floor(request.status / 100)}xx` });
      seconds.observe(request.seconds);
    },
    contentType: webProcess.contentType,
    async text() {
      const installation = await readInstallation(app);
      return `${await installation.metrics()}\n${await webProcess.metrics()}`;
    },
    async values() {
      const installation = await readInstallation(app);
      return [...(await installation.getMetricsAsJSON()), ...(await webProcess.getMetricsAsJSON())];
    },
  };
}

/** Where this process has read what a standby may answer. */
function countReads({ standby }: App, webProcess: Registry): void {
  if (!standby) return;
  new Counter({
    name: 'postrider_web_reads_total',
    help: 'Reads that a standby may answer: by it (standby), or by the primary because the standby is behind the changes of the account (behind), not used now (unused), or failed (failed).',
    labelNames: ['outcome'],
    registers: [webProcess],
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(standby.outcomes)) this.inc({ outcome }, count);
    },
  });
  new Gauge({
    name: 'postrider_web_standby_used',
    help: '1 while this web process uses the standby in READ_DATABASE_URL.',
    registers: [webProcess],
    collect() {
      this.set(standby.isUsed ? 1 : 0);
    },
  });
  new Gauge({
    name: 'postrider_web_standby_lag_seconds',
    help: 'How far the standby is behind the primary; -1 while it is not known.',
    registers: [webProcess],
    collect() {
      this.set(Number.isFinite(standby.lagSeconds) ? standby.lagSeconds : -1);
    },
  });
}

/** Read each time, so that a worker that is gone leaves no numbers behind. */
async function readInstallation(app: App): Promise<Registry> {
  const installation = new Registry();
  await readDeliveries(app, installation);
  await readWorkers(app, installation);
  await readJobs(app, installation);
  return installation;
}

const gauge = (registry: Registry, name: string, help: string, labelNames: string[] = []) =>
  new Gauge({ name: `postrider_${name}`, help, labelNames, registers: [registry] });

async function readDeliveries({ db }: App, registry: Registry): Promise<void> {
  const campaigns = gauge(registry, 'campaigns', 'Campaigns that are scheduled, in progress or paused, by status.', [
    'status',
  ]);
  for (const status of ['scheduled', 'launching', 'sending', 'paused']) campaigns.set({ status }, 0);
  // Drafts and sent ones are not counted: there are more of them each year.
  for (const { status, count } of await db.rows<{ status: string; count: number }>(sql`
    select status, count(*) as count
    from campaign
    where status not in ('draft', 'sent')
      and type <> 'message'
    group by status`))
    campaigns.set({ status }, count);

  const recipients = gauge(registry, 'recipients', 'Recipients of campaigns in progress or paused, by state.', [
    'state',
  ]);
  // Only the tally of campaigns in progress: small, however large they are.
  const sums = await db.row<Record<string, number | null>>(sql`
    select sum(t.queued) as queued, sum(t.trying) as trying, sum(t.accepted) as accepted, sum(t.later) as later,
      sum(t.failed) as failed, sum(t.skipped) as skipped, sum(t.unclear) as unclear, sum(t.resent) as resent
    from tally t
    join campaign c on c.account_id = t.account_id and c.id = t.campaign_id
    where c.status in ('launching', 'sending', 'paused')
      and c.type <> 'message'`);
  for (const state of stateNames) recipients.set({ state }, sums?.[state] ?? 0);
  gauge(registry, 'recipients_resent', 'Copies sent after an unclear outcome in campaigns in progress or paused.').set(
    sums?.resent ?? 0,
  );

  const chunks = await db.row<{ leased: number; due: number; expired: number }>(sql`
    select count(*) filter (where state = 'leased') as leased,
      count(*) filter (where state = 'waiting' and due_at <= now()) as due,
      count(*) filter (where state = 'leased' and leased_until < now()) as expired
    from chunk
    where state in ('leased', 'waiting')`);
  const leases = gauge(registry, 'chunks', 'Chunks of recipients by state.', ['state']);
  leases.set({ state: 'leased' }, chunks?.leased ?? 0);
  leases.set({ state: 'due' }, chunks?.due ?? 0);
  leases.set({ state: 'expired' }, chunks?.expired ?? 0);
}

type WorkerStatus = {
  worker: number;
  counts: Record<string, number>;
  gauges: Record<string, number>;
  relays: RelayStatus[];
};

async function readWorkers({ db }: App, registry: Registry): Promise<void> {
  const statuses = await db.rows<WorkerStatus>(sql`
    select f.worker_id as worker, f.counts, f.gauges, f.relays
    from worker_status f
    join worker w on w.id = f.worker_id
    where w.ended_at is null
    order by f.worker_id`);
  gauge(registry, 'workers', 'Live workers.').set(await liveWorkers(db));
  const outcomes = new Counter({
    name: 'postrider_outcomes_total',
    help: 'Outcomes of a worker since its start.',
    labelNames: ['worker', 'outcome'],
    registers: [registry],
  });
  const rate = gauge(registry, 'accepted_per_second', 'Messages accepted recently, by worker.', ['worker']);
  const delay = gauge(registry, 'worker_loop_delay_seconds', 'Delay of the event loop of a worker, 99th percentile.', [
    'worker',
  ]);
  const memory = gauge(registry, 'worker_rss_bytes', 'Resident memory of a worker.', ['worker']);
  const dropped = new Counter({
    name: 'postrider_worker_log_lines_dropped_total',
    help: 'Log lines that a worker could not write since its start.',
    labelNames: ['worker'],
    registers: [registry],
  });
  const spared = gauge(registry, 'spared_domains', 'Recipient domains that a worker is sparing.', ['worker']);
  const connections = gauge(registry, 'relay_connections', 'Open connections of a worker to a relay.', [
    'worker',
    'relay',
  ]);
  const resting = gauge(registry, 'relay_resting', '1 while a worker lets a relay rest after failures.', [
    'worker',
    'relay',
  ]);
  for (const status of statuses) {
    const worker = String(status.worker);
    for (const [outcome, count] of Object.entries(status.counts)) outcomes.inc({ worker, outcome }, count);
    rate.set({ worker }, status.gauges.accepted_per_second ?? 0);
    delay.set({ worker }, status.gauges.loop_delay_seconds ?? 0);
    memory.set({ worker }, status.gauges.rss_bytes ?? 0);
    dropped.inc({ worker }, status.gauges.log_lines_dropped ?? 0);
    spared.set({ worker }, status.gauges.spared_domains ?? 0);
    for (const relay of status.relays) {
      connections.set({ worker, relay: relay.id }, relay.connections);
      resting.set({ worker, relay: relay.id }, relay.restMs > 0 ? 1 : 0);
    }
  }
}

async function readJobs({ db }: App, registry: Registry): Promise<void> {
  const jobs = gauge(registry, 'jobs', 'Background jobs by task and state.', ['task', 'state']);
  for (const { task, state, count } of await db.rows<{ task: string; state: string; count: number }>(sql`
    select task_identifier as task,
      case
        when locked_at is not null then 'running'
        when attempts >= max_attempts then 'failed'
        when run_at <= now() then 'due'
        else 'later'
      end as state,
      count(*) as count
    from graphile_worker.jobs
    group by 1, 2`))
    jobs.set({ task, state }, count);
}
