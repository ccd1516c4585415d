// A worker process: runs background jobs, starts what is due, sends messages, and takes over from dead workers.
// The parts are in folders of their own; this file puts them together.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { App } from '../base/context.ts';
import type { Log } from '../base/log.ts';
import type { Relay } from '../base/relay/relay.ts';
import { isUnavailable } from '../db/connect.ts';
import { keepSession, type Session } from '../db/session.ts';
import { chunkChannel, ofLists, relayChannel, stopChannel, workerChannel } from '../jobs/channels.ts';
import { reportFullDisks } from '../jobs/full-disks.ts';
import { type JobRunner, runJobs } from '../jobs/queue.ts';
import type { Handlers } from '../jobs/tasks.ts';
import { freeOrphanedJobs, markDeadWorkers, registerWorker } from '../jobs/worker-presence.ts';
import { renewDueTokens, tokensOf } from '../relays/oauth/tokens.ts';
import { ehloNameOf, relaysOf } from '../relays/settings/relay-list.ts';
import { warnOfUnverifiedRelays } from '../relays/settings/relay-tls.ts';
import { type RelayWatch, watchRelays } from '../relays/settings/relay-watch.ts';
import { RelayPool } from '../relays/smtp/relay-pool.ts';
import type { Verdict } from '../relays/verdict/verdict.ts';
import { planOccasions } from './launch/autoresponder-planner.ts';
import { endImpossibleWaits } from './launch/clock-set-back.ts';
import { startDue } from './launch/launch.ts';
import { computeStarts, releaseDue } from './launch/local-time.ts';
import { endMessageDays, finishMissed } from './outcomes/finish.ts';
import { releaseOverdue } from './outcomes/refused.ts';
import { createLimits, type Limits } from './pace/account-pace.ts';
import { reserve } from './pace/quota.ts';
import { reportWorkerStatus, sweepWorkerStatus } from './progress/worker-status.ts';
import { FailoverWatch } from './recovery/failover.ts';
import { openJournal } from './recovery/journal.ts';
import { LeaseWatch } from './recovery/lease-watch.ts';
import { recover, sweepJournals } from './recovery/recover.ts';
import { leaseSeconds } from './sending/lease.ts';
import { SendLoops } from './sending/send-loop.ts';
import { decideDue } from './winner/decide.ts';

export type Worker = { id: number; stop(): Promise<void> };

/** Jobs that run at the same time in one process. */
const jobsAtOnce = 4;

/** @param timeScale shortens the time limits of the SMTP sessions, for tests */
export async function startWorker(app: App, handlers: Partial<Handlers>, timeScale = 1): Promise<Worker> {
  const { db, log, config } = app;
  // A database that has failed over may give an id twice.
  const journalOf = (id: number) => join(config.dataDir, 'journal', `${id}-${randomBytes(4).toString('hex')}`);
  const presence = await registerWorker(db, log, journalOf);
  const journal = openJournal<Verdict>(presence.journal, presence.bootId);
  const limits = await createLimits(app, presence.workerId);
  const relays = await relaysOf(app);
  if (relays.every(({ isPaused }) => isPaused)) log.warn('no relay takes messages; nothing is sent until one does');
  void warnOfUnverifiedRelays(relays, log);
  let relayWatch: RelayWatch | undefined;
  const relayPool = relayPoolOf(app, relays, limits, timeScale, () => relayWatch?.limitsChanged());
  let onRelays = () => {};
  relayWatch = watchRelays(app, relayPool, relays, () => onRelays());
  // Before the first message: what the relays take is known from the workers before.
  await relayWatch.check();
  const sendLoops = new SendLoops(app, { workerId: presence.workerId, relayPool, limits, journal, log });
  limits.watchWorkers(() => {
    relayPool.shareAgain();
    sendLoops.relaysChanged();
  });
  const status = reportWorkerStatus(db, presence.workerId, relayPool, sendLoops);
  onRelays = () => sendLoops.relaysChanged();
  const disks = reportFullDisks(db.url, `postrider worker ${presence.workerId}`, log);
  const listener = listen(app, sendLoops, { relayWatch, limits }, log);
  const jobs: JobRunner = await runJobs(app, handlers, jobsAtOnce);
  await presence.recordJobNames(jobs.names);

  let ended = false;
  let sweeps = 0;
  const leaseView = {
    watch: new LeaseWatch(leaseSeconds * 1_000),
    holds: (no: number, lease: number) => sendLoops.holds(no, lease),
  };
  const failover = new FailoverWatch(app, log, {
    workerId: presence.workerId,
    journal: presence.journal,
    abandon: (ms) => sendLoops.abandon(ms),
    register: () => presence.registerAgain(),
  });
  let isRedone = true;
  const watch = async () => {
    while (!ended) {
      try {
        // Nothing is taken over, launched or given up before the database knows again what was sent.
        isRedone = await failover.check();
        if (!isRedone) {
          await new Promise((resolve) => setTimeout(resolve, 250));
          continue;
        }
        await sweep(app, { sendLoops, leaseView, workers: limits.workers().count }, sweeps++);
      } catch (error) {
        if (!isUnavailable(error)) log.error({ err: error }, 'recovery sweep failed; retrying');
      }
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  };
  // Separate from the recovery sweep, which must not wait for a long list.
  const plan = async () => {
    while (!ended) {
      try {
        if (isRedone) {
          await computeStarts(db);
          await planOccasions(db, config.maxLateness * 3_600_000, 20, 500);
        }
      } catch (error) {
        if (!isUnavailable(error)) log.error({ err: error }, 'autoresponder planning failed; retrying');
      }
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  };
  // Separate too: a provider may take seconds to answer.
  const renewTokens = async () => {
    while (!ended) {
      try {
        await renewDueTokens(app);
      } catch (error) {
        if (!isUnavailable(error)) log.error({ err: error }, 'access tokens were not renewed; retrying');
      }
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  };
  const watching = Promise.all([watch(), plan(), renewTokens()]);

  return {
    id: presence.workerId,
    async stop() {
      ended = true;
      await Promise.all([sendLoops.stop(), jobs.stop(), watching]);
      await status.stop();
      await disks.stop();
      await relayWatch?.stop();
      await relayPool.close();
      await listener.stop();
      journal.close();
      await presence.end();
    },
  };
}

/** What any worker does about once a second for all of them. `n` counts the sweeps of this worker. */
async function sweep(
  app: App,
  of: { sendLoops: SendLoops; leaseView: Parameters<typeof recover>[2]; workers: number },
  n: number,
): Promise<void> {
  const { db, log, config } = app;
  if ((await startDue(db, config.maxLateness * 3_600)) > 0) of.sendLoops.wake();
  if ((await releaseDue(db, config.maxLateness * 3_600)) > 0) of.sendLoops.wake();
  if ((await decideDue(db)) > 0) of.sendLoops.wake();
  await releaseOverdue(db);
  await markDeadWorkers(db, log);
  if ((await recover(app, log, of.leaseView)) > 0) of.sendLoops.wake();
  // About every ten seconds in the whole installation: these look at every open campaign.
  if (n % (10 * of.workers) === 0) {
    await finishMissed(db);
    await endMessageDays(db);
    if ((await endImpossibleWaits(db)) > 0) of.sendLoops.wake();
  }
  if (n % 60 === 0) {
    await sweepJournals(app);
    await sweepWorkerStatus(db);
    await freeOrphanedJobs(db, log);
  }
}

function relayPoolOf(
  app: App,
  relays: readonly Relay[],
  limits: Limits,
  timeScale: number,
  onLimit: () => void,
): RelayPool {
  return new RelayPool(relays, {
    // Read at each connection: the public URL may change.
    get ehloName() {
      return ehloNameOf(app);
    },
    log: app.log,
    timeScale,
    onLimit,
    tokens: tokensOf(app),
    workers: limits.workers,
    reserve: (relay, count) => reserve(app.db, { account: 0, relay: relay.id, ramp: relay.warmUp! }, count),
  });
}

/**
 * Listens for new chunks, campaigns to stop, other relays and other workers, over a connection that is reopened when it is lost. Without one
 * nothing new is started, since a pause would only be noticed group by group.
 */
function listen(
  app: App,
  sendLoops: SendLoops,
  { relayWatch, limits }: { relayWatch: RelayWatch; limits: Limits },
  log: Log,
): Session {
  sendLoops.pauseStarts();
  return keepSession(app.db.url, {
    name: 'postrider listen',
    async onOpen(client) {
      await client.query(`listen ${chunkChannel}`);
      await client.query(`listen ${stopChannel}`);
      await client.query(`listen ${relayChannel}`);
      await client.query(`listen ${workerChannel}`);
      void relayWatch.check();
      void limits.recount();
      await sendLoops.resumeStarts();
    },
    onNotification(channel, payload) {
      if (channel === chunkChannel && payload === ofLists) sendLoops.wakeSoon();
      else if (channel === chunkChannel) sendLoops.wake();
      if (channel === relayChannel) void relayWatch.check();
      if (channel === workerChannel) void limits.recount();
      const [account, campaign] = payload.split(' ').map(Number);
      if (channel === stopChannel && account !== undefined && campaign !== undefined)
        sendLoops.stopCampaign(account, campaign);
    },
    onLost(wasOpen) {
      sendLoops.pauseStarts();
      if (wasOpen) log.warn('the connection for stop notifications is lost; nothing new is started until it is back');
    },
    onFailure: (error) => log.debug({ err: error }, 'the listener cannot reach the database; retrying'),
  });
}
