// The status that each worker reports every few seconds: for /metrics, and to explain why nothing is being sent.
// Contains no secret: relays are named by host, port and a digest of the user.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isOperatorAccount } from '../../accounts/account/account.ts';
import type { Context } from '../../base/context.ts';
import { droppedLines } from '../../base/log-writer.ts';
import { message, renderMessage, renderPacked } from '../../base/messages.ts';
import { type MessageSender, relaysFor } from '../../base/relay/message-sender.ts';
import { type Database, sql } from '../../db/connect.ts';
import { diskMessage, fullDisks, stopsSending } from '../../jobs/full-disks.ts';
import { predictHold } from '../../jobs/sending-guard.ts';
import { addRelayHours, dropOldRelayHours } from '../../relays/settings/relay-hours.ts';
import { allRelays, usesInbox } from '../../relays/settings/relay-list.ts';
import { canBeUsed, problemOf, stateOfRelay } from '../../relays/settings/relay-state.ts';
import type { RelayStatus } from '../../relays/smtp/line/line-status.ts';
import type { RelayPool } from '../../relays/smtp/relay-pool.ts';
import type { RelayCounts } from '../../relays/smtp/relay-tally.ts';
import type { SendLoops } from '../sending/send-loop.ts';

const checkMs = 1_000;
/** An unchanged status is written this often, and what the relays answered is added to their hour. */
const unchangedMs = 10_000;

/** Writes the status of this worker whenever it changes, until it is stopped. */
export function reportWorkerStatus(db: Database, workerId: number, relayPool: RelayPool, sendLoops: SendLoops) {
  const loop = monitorEventLoopDelay({ resolution: 20 });
  loop.enable();
  let last = '';
  let writtenAt = 0;
  let before = { accepted: 0, at: performance.now() };
  let hours = { counts: new Map<string, RelayCounts>(), at: performance.now() };
  const addHours = async () => {
    const counts = relayPool.tally.counts();
    await addRelayHours(db, counts, hours.counts);
    hours = { counts, at: performance.now() };
  };
  const write = async () => {
    const counts = JSON.stringify(sendLoops.counts);
    const relays = relayPool.relays();
    if (performance.now() - hours.at > unchangedMs) await addHours();
    // The milliseconds left of a rest are no change, nor is another connection like the last one.
    const state =
      counts +
      JSON.stringify(
        relays.map(({ id, connections, reason, silent, last }) => [id, connections, reason, silent, last?.tls]),
      );
    if (state === last && performance.now() - writtenAt < unchangedMs) return;
    last = state;
    writtenAt = performance.now();
    const { accepted } = sendLoops.counts;
    const perSecond = (accepted - before.accepted) / Math.max(0.001, (writtenAt - before.at) / 1_000);
    before = { accepted, at: writtenAt };
    const gauges = JSON.stringify({
      accepted_per_second: Math.round(perSecond * 10) / 10,
      loop_delay_seconds: loop.count > 0 ? loop.percentile(99) / 1e9 : 0,
      spared_domains: sendLoops.spared(),
      rss_bytes: process.memoryUsage.rss(),
      log_lines_dropped: droppedLines(),
    });
    loop.reset();
    await db.run(sql`
      insert into worker_status (worker_id, at, counts, gauges, relays)
      values (${workerId}, now(), ${counts}::jsonb, ${gauges}::jsonb, ${JSON.stringify(relays)}::jsonb)
      on conflict (worker_id) do update
      set at = excluded.at, counts = excluded.counts, gauges = excluded.gauges, relays = excluded.relays`);
  };
  // If the database is unreachable, a later check writes the status.
  const timer = setInterval(() => void write().catch(() => {}), checkMs);
  return {
    async stop() {
      clearInterval(timer);
      await write().catch(() => {});
      await addHours().catch(() => {});
      loop.disable();
    },
  };
}

/** Deletes the status of dead workers, and old counts of relays. */
export async function sweepWorkerStatus(db: Database): Promise<void> {
  await db.run(sql`
    delete from worker_status s
    using worker w
    where w.id = s.worker_id
      and w.ended_at < now() - interval '1 minute'`);
  await dropOldRelayHours(db);
}

/**
 * Why nothing is sent: sending is held (known before any worker notices), a disk is full, no relay takes messages, or no live worker has a
 * working relay; else ''. With a sender, its relays count.
 * The words of the relays are for the account of the operator.
 */
export async function whyNothingIsSent(
  { tx, app, account, language }: Pick<Context, 'tx' | 'app' | 'account' | 'language'>,
  sender?: MessageSender,
): Promise<string> {
  const held = await predictHold(tx, app.config.dataDir, language);
  if (held !== '') return renderMessage(message('delivery.held', { reason: held }), language);
  const full = (await fullDisks(tx)).filter(stopsSending);
  if (full.length > 0) return full.map((disk) => renderMessage(diskMessage(disk), language)).join('; ');
  const listed = await allRelays(app, tx);
  if (listed.length > 0 ? listed.every(({ unused }) => unused !== '') : !(await usesInbox(tx)))
    return renderMessage(message('delivery.no_relay_in_use'), language);
  const relays = listed.map(({ relay, unused }) => ({ ...relay, unused }));
  if (sender && listed.length > 0 && relaysFor(relays, sender).every(({ unused }) => unused !== ''))
    return renderMessage(message('delivery.no_relay_for_sender'), language);
  const rows = await tx.rows<{ relays: RelayStatus[] }>(sql`
    select s.relays
    from worker_status s
    join worker w on w.id = s.worker_id
    where w.ended_at is null
      and s.at > now() - interval '30 seconds'`);
  // Of the relays that its messages may take: that another one works helps nothing.
  const allowed = sender && new Set(relaysFor(relays, sender).map(({ id }) => id));
  const byRelay = Map.groupBy(
    rows.flatMap((row) => row.relays).filter(({ id }) => !allowed || allowed.has(id)),
    ({ id }) => id,
  );
  const statuses = [...byRelay.values()];
  if (statuses.length === 0 || statuses.some((of) => canBeUsed(stateOfRelay(of)))) return '';
  if (!(await isOperatorAccount(tx, account))) return renderMessage(message('delivery.no_relay_hidden'), language);
  const reasons = [...new Set(statuses.map((of) => renderPacked(problemOf(of), language)))];
  return renderMessage(message('delivery.no_relay', { reasons: reasons.slice(0, 3).join('; ') }), language);
}
