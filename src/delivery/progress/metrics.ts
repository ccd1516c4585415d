// What Prometheus is told: the deliveries, the workers and the queue as the database knows them, and the web process
// that answers. Promises no name of an account, an address or a secret. Who may ask is web.ts' to say.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { App } from '../../base/context.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { workerLockClass } from '../../jobs/worker-presence.ts';
import { stateNames } from '../sending/states.ts';
import type { RelayStatus } from '../smtp/relay-pool.ts';

export type Metrics = {
  /** Notes a request that was answered. @param route the pattern, not the address asked for */
  answered(request: { method: string; route: string; status: number; seconds: number }): void;
  readonly contentType: string;
  /** @throws Error when the database is unreachable */
  text(): Promise<string>;
};

export function createMetrics(app: App): Metrics {
  // Of this process, over its life.
  const own = new Registry();
  collectDefaultMetrics({ register: own, prefix: 'postrider_web_' });
  const requests = new Counter({
    name: 'postrider_web_requests_total',
    help: 'Requests answered by this web process.',
    labelNames: ['method', 'route', 'status'],
    registers: [own],
  });
  const seconds = new Histogram({
    name: 'postrider_web_request_seconds',
    help: 'Time until a request was answered by this web process.',
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [own],
  });
  return {
    answered(request) {
      requests.inc({ method: request.method, route: request.route, status: `${Math.floor(request.status / 100)}xx` });
      seconds.observe(request.seconds);
    },
    contentType: own.contentType,
    async text() {
      // Of the installation, read anew each time: a worker that is gone leaves no number behind.
      const shared = new Registry();
      await readDeliveries(app, shared);
      await readWorkers(app, shared);
      await readJobs(app, shared);
      return `${await shared.metrics()}\n${await own.metrics()}`;
    },
  };
}

const gauge = (registry: Registry, name: string, help: string, labelNames: string[] = []) =>
  new Gauge({ name: `postrider_${name}`, help, labelNames, registers: [registry] });

async function readDeliveries({ db }: App, registry: Registry): Promise<void> {
  const campaigns = gauge(registry, 'campaigns', 'Campaigns by status.', ['status']);
  for (const { status, count } of await db.rows<{ status: string; count: number }>(sql`
    select status, count(*) as count
    from campaign
    group by status`))
    campaigns.set({ status }, count);

  const recipients = gauge(registry, 'recipients', 'Recipients of the campaigns under way or paused, by state.', [
    'state',
  ]);
  // The tally of what is under way: small, however large the campaigns are.
  const sums = await db.row<Record<string, number | null>>(sql`
    select sum(t.queued) as queued, sum(t.trying) as trying, sum(t.accepted) as accepted, sum(t.later) as later,
      sum(t.failed) as failed, sum(t.skipped) as skipped, sum(t.unclear) as unclear, sum(t.resent) as resent
    from tally t
    join campaign c on c.account_id = t.account_id and c.id = t.campaign_id
    where c.status in ('launching', 'sending', 'paused')`);
  for (const state of stateNames) recipients.set({ state }, sums?.[state] ?? 0);
  gauge(
    registry,
    'recipients_resent',
    'Copies sent after an unclear outcome in the campaigns under way or paused.',
  ).set(sums?.resent ?? 0);

  const chunks = await db.row<{ leased: number; due: number; expired: number }>(sql`
    select count(*) filter (where state = 'leased') as leased,
      count(*) filter (where state = 'waiting' and due_at <= now()) as due,
      count(*) filter (where state = 'leased' and leased_until < now()) as expired
    from chunk
    where state in ('leased', 'waiting')`);
  const leases = gauge(registry, 'chunks', 'Portions of mail by what they wait for.', ['state']);
  leases.set({ state: 'leased' }, chunks?.leased ?? 0);
  leases.set({ state: 'due' }, chunks?.due ?? 0);
  leases.set({ state: 'expired' }, chunks?.expired ?? 0);
}

type Told = {
  worker: number;
  counts: Record<string, number>;
  gauges: Record<string, number>;
  relays: RelayStatus[];
};

async function readWorkers({ db }: App, registry: Registry): Promise<void> {
  const told = await db.rows<Told>(sql`
    select f.worker_id as worker, f.counts, f.gauges, f.relays
    from worker_figures f
    join worker w on w.id = f.worker_id
    where w.ended_at is null
    order by f.worker_id`);
  gauge(registry, 'workers', 'Workers that live.').set(await liveWorkers(db));
  const outcomes = new Counter({
    name: 'postrider_outcomes_total',
    help: 'Outcomes of a worker since its start.',
    labelNames: ['worker', 'outcome'],
    registers: [registry],
  });
  const rate = gauge(registry, 'accepted_per_second', 'Mails accepted of late, of a worker.', ['worker']);
  const delay = gauge(registry, 'worker_loop_delay_seconds', 'Delay of the event loop of a worker, 99th percentile.', [
    'worker',
  ]);
  const memory = gauge(registry, 'worker_rss_bytes', 'Resident memory of a worker.', ['worker']);
  const spared = gauge(registry, 'spared_domains', 'Receiving domains that a worker is sparing.', ['worker']);
  const connections = gauge(registry, 'relay_connections', 'Open connections of a worker to a relay.', [
    'worker',
    'relay',
  ]);
  const resting = gauge(registry, 'relay_resting', '1 while a worker leaves a relay in peace after failures.', [
    'worker',
    'relay',
  ]);
  for (const one of told) {
    const worker = String(one.worker);
    for (const [outcome, count] of Object.entries(one.counts)) outcomes.inc({ worker, outcome }, count);
    rate.set({ worker }, one.gauges.accepted_per_second ?? 0);
    delay.set({ worker }, one.gauges.loop_delay_seconds ?? 0);
    memory.set({ worker }, one.gauges.rss_bytes ?? 0);
    spared.set({ worker }, one.gauges.spared_domains ?? 0);
    for (const relay of one.relays) {
      connections.set({ worker, relay: relay.id }, relay.connections);
      resting.set({ worker, relay: relay.id }, relay.restMs > 0 ? 1 : 0);
    }
  }
}

/** Workers that live: the dead are found within seconds, see jobs/worker-presence.ts. */
export async function liveWorkers(db: Queries): Promise<number> {
  const row = await db.row<{ count: number }>(sql`
    select count(*) as count
    from worker
    where ended_at is null
      and exists (
        select from pg_locks
        where locktype = 'advisory'
          and classid = ${workerLockClass}::int8::oid
          and objid = worker.id::int8::oid
          and database = (select oid from pg_database where datname = current_database())
      )`);
  return row?.count ?? 0;
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
