// What each worker tells of itself every few seconds, for /metrics and for people who ask why a campaign stands still.
// Holds no secret: relays are named by host, port and a digest of the user.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Config } from '../../config.ts';
import { type Database, type Queries, sql } from '../../db/connect.ts';
import { predictHold } from '../../jobs/sending-guard.ts';
import type { SendLoops } from '../sending/send-loop.ts';
import type { RelayPool, RelayStatus } from '../smtp/relay-pool.ts';

const everyMs = 1_000;

export function startFigures(db: Database, workerId: number, relayPool: RelayPool, sendLoops: SendLoops) {
  const loop = monitorEventLoopDelay({ resolution: 20 });
  loop.enable();
  let last = '';
  let toldAt = 0;
  let before = { accepted: 0, at: performance.now() };
  const tell = async () => {
    const counts = JSON.stringify(sendLoops.counts);
    const relays = relayPool.relays();
    // A rest that runs down says nothing new.
    const said = counts + JSON.stringify(relays.map(({ id, connections, reason }) => [id, connections, reason]));
    if (said === last && performance.now() - toldAt < 10_000) return;
    last = said;
    toldAt = performance.now();
    const { accepted } = sendLoops.counts;
    const perSecond = (accepted - before.accepted) / Math.max(0.001, (toldAt - before.at) / 1_000);
    before = { accepted, at: toldAt };
    const gauges = JSON.stringify({
      accepted_per_second: Math.round(perSecond * 10) / 10,
      loop_delay_seconds: loop.count > 0 ? loop.percentile(99) / 1e9 : 0,
      spared_domains: sendLoops.spared(),
      rss_bytes: process.memoryUsage.rss(),
    });
    loop.reset();
    await db.run(sql`
      insert into worker_figures (worker_id, at, counts, gauges, relays)
      values (${workerId}, now(), ${counts}::jsonb, ${gauges}::jsonb, ${JSON.stringify(relays)}::jsonb)
      on conflict (worker_id) do update
      set at = excluded.at, counts = excluded.counts, gauges = excluded.gauges, relays = excluded.relays`);
  };
  // Without the database there is nobody to tell; the next turn tells it all.
  const timer = setInterval(() => void tell().catch(() => {}), everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await tell().catch(() => {});
      loop.disable();
    },
  };
}

/** Removes what dead workers told last. */
export async function sweepFigures(db: Database): Promise<void> {
  await db.run(sql`
    delete from worker_figures f
    using worker w
    where w.id = f.worker_id
      and w.ended_at < now() - interval '1 minute'`);
}

/** Why nothing leaves: sending is held (told also before a worker has noticed), or no live worker has a relay; else ''. */
export async function whyStanding(tx: Queries, { dataDir }: Pick<Config, 'dataDir'>): Promise<string> {
  const held = await predictHold(tx, dataDir);
  if (held !== '') return `sending is held: ${held}. "postrider confirm-sending" lets it go on.`;
  const rows = await tx.rows<{ relays: RelayStatus[] }>(sql`
    select f.relays
    from worker_figures f
    join worker w on w.id = f.worker_id
    where w.ended_at is null
      and f.at > now() - interval '30 seconds'`);
  const relays = rows.flatMap((row) => row.relays);
  // Connections of a relay that rests (its quota is used up, it dismisses every mail) carry nothing.
  const works = (one: RelayStatus) => one.reason === '' || (one.connections > 0 && one.restMs === 0);
  if (relays.length === 0 || relays.some(works)) return '';
  const reasons = [...new Set(relays.map((one) => one.reason))];
  return `no relay can be used: ${reasons.slice(0, 3).join('; ')}`;
}
