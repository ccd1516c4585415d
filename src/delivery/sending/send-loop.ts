// The delivery loop of a worker: take a chunk, mark a group, render, hand over, write down what became of it.
// Several lanes do so at once, so that the database works on one group while the wire carries another.
import { isAscii } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../base/context.ts';
import type { Log } from '../../base/log.ts';
import { isPassing, isUnavailable } from '../../db/connect.ts';
import { tokensOf } from '../../tracking/token-secret.ts';
import { endSoftBouncers } from '../bounces/effects.ts';
import { finishIfDone } from '../launch/finish.ts';
import { createMessageMemory } from '../message/message-memory.ts';
import { envelopeSender } from '../message/return-path.ts';
import { pauseUnsigned, type Signing, signed, signingOf } from '../message/signing.ts';
import type { Limits } from '../pace/account-pace.ts';
import { Breaker } from '../pace/breaker.ts';
import type { Heard } from '../pace/pace.ts';
import { giveBack as giveBackQuota, reserve } from '../pace/quota.ts';
import { judgement, reasonOf } from '../pace/refusals.ts';
import type { Outcome as Spoken } from '../smtp/outcome.ts';
import type { RelayPool } from '../smtp/relay-pool.ts';
import { type Verdict, verdict } from '../verdict/verdict.ts';
import { type Chunk, type Marked, markGroup, queuedIn } from './chunk.ts';
import { type Content, messageIdOf, readContent } from './content.ts';
import { createPostponing } from './defer.ts';
import { createRota, type Turn } from './fair-queue.ts';
import { type Carried, type Convoy, type Result, startConvoy } from './group-send.ts';
import type { Journal, Recipient as JournalKey } from './journal.ts';
import {
  endChunk,
  forgetCrashes,
  giveBack,
  leaseClock,
  leaseSeconds,
  letGoOf,
  renewLeases,
  stillSent,
  takeChunk,
} from './lease.ts';
import { settleOutcomes, softBouncers } from './outcomes.ts';

/** How long a lane waits for an answer of the database: a connection may be mute, and others wait for its chunk. */
const answerMs = 20_000;
/** How long a worker that is to end waits for a database that is gone. */
const lastWordsMs = 10_000;
const lanes = 3;
/** Of them, at work where the relays' own rates set the pace: more would only wait for their turn. */
const lanesAtRate = 2;
/** How long a lane goes on with a chunk before it looks whose turn it is: only slow ones take so long. */
const turnMs = 1_000;
/** Groups of which a few recipients are still under way while their lane has gone on. */
const maxStragglers = 100;

/** A day's quota that is used up is looked at again after this: what was taken of it and not used is given back. */
const quotaLookMs = 5 * 60_000;
/** How often outcomes are written that come while a group waits for its last ones. */
const tailMs = 500;
/** Nobody is left in the chunk, or somebody is, to go on with after a while. */
type Ended = 'done' | { afterMs: number };

export type Delivery = {
  /** Looks for work now instead of at the next turn. */
  wake(): void;
  /** No further dot of this campaign, at once. */
  stopCampaign(account: number, campaign: number): void;
  /** Begins nothing further, since it would not be told of a campaign to stop. */
  deafen(): void;
  /** Goes on, but for the campaigns that were stopped meanwhile. */
  hear(): Promise<void>;
  /** Takes no further work, finishes what is on the wire. */
  stop(): Promise<void>;
  /** How many recipients have come to which end since the start. */
  readonly counts: Record<Result['kind'], number>;
  /** Domains being spared. */
  spared(): number;
  /** True for a chunk of its own that it is still at, whatever has become of the lease. */
  holds(no: number, lease: number): boolean;
};

type Held = {
  chunk: Chunk;
  /** By the lease clock. */
  validUntil: number;
  stopped: boolean;
  signing?: Signing;
  /** Why this worker stopped the campaign, until it is told to the database. */
  tripped?: string;
  /** A group is on the wire whose outcomes are not written. */
  carrying: boolean;
  /** Groups of the chunk that the lane did not wait for. */
  tails: Set<Promise<void>>;
  /** A tail has queued recipients again since a group was last marked. */
  requeued: boolean;
  /** Outcomes could not be written: its lease is ended, and whoever takes over reads them in the journal. */
  broken: boolean;
  /** Those are tried one by one first that were under way when a worker died. */
  oneByOne: boolean;
  /** The end of the chunk that waits for these; undefined as long as a lane has the chunk, or is to take it again. */
  following?: Promise<void> | undefined;
};

export function startDelivery(
  app: App,
  parts: { workerId: number; relayPool: RelayPool; limits: Limits; journal: Journal<Verdict>; log: Log },
): Delivery {
  const { workerId, relayPool, journal, log } = parts;
  const { db } = app;
  const held = new Set<Held>();
  /** Chunks of which some were queued again after their lane had left them. */
  const again: Held[] = [];
  const contents = new Map<string, Promise<Content | undefined>>();
  const memory = createMessageMemory();
  const limits = parts.limits;
  const { pace } = limits;
  const postpone = createPostponing(pace);
  const breakers = new Map<string, Breaker>();
  const tails = new Set<Promise<void>>();
  const counts = { accepted: 0, later: 0, failed: 0, unclear: 0, withheld: 0, postponed: 0 };
  let stopping = false;
  let deaf = false;
  let timesDeaf = 0;
  let leaveBy = Number.POSITIVE_INFINITY;
  /** Until then no mail is begun: the disk did not take a line of the journal. */
  let unwritableUntil = 0;
  let groupSize = 100;
  const rota = createRota(db);
  const wakers = new Set<() => void>();
  const wake = () => {
    for (const one of wakers) one();
  };

  /** Waits for a while, or until woken. */
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        wakers.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      wakers.add(done);
    });

  const lane = async (_: unknown, nth: number) => {
    while (!stopping) {
      try {
        if (nth >= lanesAtRate && relayPool.perSecond !== undefined) {
          await pause(1_000);
          continue;
        }
        if (deaf) {
          await pause(1_000);
          continue;
        }
        // Without a relay nothing is taken up: recipients stay queued, and the database is left in peace.
        const restMs = Math.max(relayPool.restMs(), unwritableUntil - performance.now());
        if (restMs > 0) {
          await pause(Math.min(5_000, restMs));
          continue;
        }
        const closed = limits.closed(performance.now());
        const taken =
          takeAgain((one) => !mayGoOn(one)) ??
          (await rota.next(
            closed.accounts,
            () => again.map(({ chunk }) => chunk),
            async (turn) => takeAgain(({ chunk }) => isOf(chunk, turn)) ?? takeHeld(turn),
          ));
        if (!taken) await pause(closed.ms);
        else await work(taken);
        while (tails.size >= maxStragglers) await Promise.race(tails);
      } catch (error) {
        if (!isUnavailable(error)) log.error({ err: error }, 'a lane of the delivery stumbled');
        await pause(isUnavailable(error) ? 500 : 2_000);
      }
    }
    for (const one of again.splice(0)) follow(one, { afterMs: 0 });
  };

  const takeHeld = async (turn: Turn): Promise<Held | undefined> => {
    const taken = await takeChunk(db, workerId, turn);
    return (
      taken && {
        ...taken,
        stopped: false,
        carrying: false,
        tails: new Set(),
        requeued: false,
        broken: false,
        oneByOne: taken.chunk.crashes > 0,
      }
    );
  };

  const takeAgain = (is: (one: Held) => boolean): Held | undefined => {
    const at = again.findIndex(is);
    return at < 0 ? undefined : again.splice(at, 1)[0];
  };

  const work = async (taken: Held) => {
    held.add(taken);
    try {
      const ended = await workThrough(taken);
      if (ended === 'lost') return;
      if (ended === 'turn' && taken.tails.size > 0) {
        // Goes on at its next turn: those under way may take minutes yet.
        again.push(taken);
        return;
      }
      const left = ended === 'turn' ? { afterMs: 0 } : ended;
      if (taken.tails.size > 0) {
        follow(taken, left);
        return;
      }
      await endOrGiveBack(taken, left);
    } catch (error) {
      if (isUnavailable(error)) letGo(taken);
      throw error;
    } finally {
      // After a failure too: the lease then runs out, and whoever takes over reads the journal.
      if (taken.tails.size === 0) held.delete(taken);
      else if (!taken.following && !again.includes(taken))
        void Promise.allSettled(taken.tails).then(() => held.delete(taken));
    }
  };

  /** Ends the chunk when those have an outcome that the lane did not wait for. */
  const follow = (taken: Held, ended: Ended) => {
    const isOver = () => taken.following !== following;
    const following: Promise<void> = Promise.allSettled(taken.tails)
      // Those withheld meanwhile are queued again, in this very chunk.
      .then(() => (isOver() ? undefined : endOrGiveBack(taken, ended === 'done' ? { afterMs: 0 } : ended)))
      .catch((error) => {
        if (isUnavailable(error)) letGo(taken);
        else log.error({ err: error }, 'a chunk could not be given back');
      })
      .finally(() => {
        if (!isOver()) held.delete(taken);
        tails.delete(following);
        wake();
      });
    taken.following = following;
    tails.add(following);
    // Between the lane's last look and here.
    if (taken.requeued) goOnWith(taken);
  };

  /** Has a lane take a chunk again that its lane has left, for those who were queued again since. */
  const goOnWith = (taken: Held) => {
    if (!taken.following || stopping || !mayGoOn(taken)) return;
    taken.following = undefined;
    again.push(taken);
    wake();
  };

  /**
   * Ends a lease as soon as the database is back, so that nobody waits for it to run out. What was being marked or written
   * when it went away may have been or not: as after any lease that has run out, the journal is asked.
   */
  const letGo = (taken: Held) => {
    // Some of it may still be on the wire: then the lease has to run out.
    if (taken.carrying) return;
    const { chunk } = taken;
    const trying = async () => {
      await Promise.allSettled(taken.tails);
      while (performance.now() < Math.min(taken.validUntil, leaveBy)) {
        try {
          await letGoOf(db, chunk, workerId);
          return;
        } catch (error) {
          if (!isUnavailable(error)) throw error;
          await sleep(250);
        }
      }
    };
    const ending = trying()
      .catch((error) => log.error({ err: error }, 'a lease could not be ended'))
      .finally(() => tails.delete(ending));
    tails.add(ending);
  };

  const endOrGiveBack = async (taken: Held, ended: Ended) => {
    const { chunk } = taken;
    if (!taken.broken && ended !== 'done') {
      await giveBack(db, chunk, workerId, ended.afterMs);
      return;
    }
    const over =
      !taken.broken &&
      (await db.transaction(async (tx) => {
        if (!(await endChunk(tx, chunk, workerId))) return false;
        await finishIfDone(tx, chunk.account, chunk.campaign);
        return true;
      }));
    if (!over) letGo(taken);
  };

  /** Sends group after group, until the chunk holds nobody else or may not go on, or its turn is over. */
  const workThrough = async (taken: Held): Promise<Ended | 'lost' | 'turn'> => {
    const { chunk } = taken;
    const content = await contentOf(chunk);
    const turnUntil = performance.now() + turnMs;
    for (;;) {
      if (performance.now() > turnUntil) return 'turn';
      if (!mayGoOn(taken) || relayPool.restMs() > 0) return { afterMs: 0 };
      if (content) taken.signing = await signingOf(app, chunk, content.fromEmail);
      if (taken.signing?.kind === 'refused') {
        await pauseUnsigned(app, chunk, taken.signing.why);
        return { afterMs: 0 };
      }
      const quota = await limits.quotaOf(chunk.account);
      const allowed = pace.allowance('account', String(chunk.account), performance.now());
      if (allowed.left === 0) return { afterMs: 0 };
      const startedAt = performance.now();
      // After a crash the group shrinks to single recipients, so that one that brings the worker down is found.
      let size = taken.oneByOne ? 1 : Math.min(groupSize, allowed.left);
      // Not more than goes out within a second, or those waiting for the relay would pass for those of a slow domain.
      const { perSecond } = relayPool;
      if (perSecond !== undefined) size = Math.min(size, Math.max(1, Math.ceil(perSecond)));
      if (quota) size = await queuedIn(db, chunk, size);
      const grant = quota && size > 0 ? await reserve(db, quota, size) : undefined;
      if (grant?.granted === 0) {
        // Some may be given back yet: by groups of this chunk that are under way, or by others.
        if (taken.tails.size === 0) return { afterMs: Math.min(grant.retryMs, quotaLookMs) };
        await Promise.allSettled(taken.tails);
        continue;
      }
      size = Math.min(size, grant?.granted ?? size);
      taken.requeued = false;
      const group = await db.transaction(
        (tx) => markGroup(tx, chunk, workerId, size, app.config.maxLateness * 3_600),
        answerMs,
      );
      if (!group) return 'lost';
      const unused = async (used: number) => {
        if (quota && grant) await giveBackQuota(db, quota, grant, grant.granted - used);
      };
      if (group.stopped) {
        await unused(0);
        return { afterMs: 0 };
      }
      if (group.touched === 0) {
        await unused(0);
        return 'done';
      }
      if (taken.oneByOne && !group.again) {
        taken.oneByOne = false;
        await forgetCrashes(db, chunk, workerId);
      }
      // Kept until the outcomes are committed; when that fails for good, whoever takes over needs the journal.
      const segment = journal.open();
      let used = 0;
      let unbegun = 0;
      const write = async (convoy: Convoy) => {
        const outcomes = convoy.take();
        const withheld = outcomes.filter(({ verdict: { kind } }) => kind === 'withheld').length;
        unbegun += withheld;
        used += outcomes.filter(({ verdict: { kind } }) => kind !== 'withheld' && kind !== 'postponed').length;
        await settle(taken, outcomes);
        if (withheld === 0) return;
        taken.requeued = true;
        goOnWith(taken);
      };
      // Two lanes share the rate, so each group takes twice its time.
      const graceMs = perSecond === undefined ? 0 : (2_500 * group.marked.length) / perSecond;
      taken.carrying = true;
      const convoy = carryAll(taken, content, group.marked, { readAt: startedAt, minGraceMs: graceMs });
      await convoy.most;
      // Asked before its outcomes are taken: those that come while they are being written are the tail's.
      const whole = convoy.done;
      await write(convoy);
      taken.carrying = false;
      if (whole) {
        segment.done();
        await unused(used);
      } else {
        const tail = writeTail(convoy, write)
          .then(async () => {
            segment.done();
            await unused(used);
          })
          .catch((error) => {
            taken.broken = true;
            log.error({ err: error }, 'the outcomes of a group could not be written; they are read from the journal');
          })
          .finally(() => {
            taken.tails.delete(tail);
          });
        taken.tails.add(tail);
      }
      adapt(group.touched - unbegun, performance.now() - startedAt);
    }
  };

  /** Those who keep others waiting hold back nobody's outcome, nor those of their group who are to be read anew. */
  const writeTail = async (convoy: Convoy, write: (convoy: Convoy) => Promise<void>) => {
    for (let over = false; !over; ) {
      over = await Promise.race([convoy.rest.then(() => true), sleep(tailMs, false, { ref: false })]);
      await write(convoy);
    }
  };

  /** About half a second of work a group: what has left the list meanwhile is noticed that soon. */
  const adapt = (done: number, ms: number) => {
    const ideal = (done / Math.max(ms, 1)) * 500;
    groupSize = Math.round(Math.min(500, Math.max(10, groupSize * 0.5 + ideal * 0.5)));
  };

  const carryAll = (
    taken: Held,
    content: Content | undefined,
    marked: readonly Marked[],
    times: { readAt: number; minGraceMs: number },
  ): Convoy =>
    startConvoy(marked, {
      pace,
      ...times,
      account: taken.chunk.account,
      room: () => Math.max(1, relayPool.capacity),
      mayGoOn: () => mayGoOn(taken) && relayPool.restMs() === 0,
      carry: (one, mayBegin, onTurn) => carryOne(taken, content, one, mayBegin, onTurn),
      putOff: postpone,
    });

  const mayGoOn = (taken: Held) =>
    !stopping && !deaf && !taken.stopped && leaseClock() < taken.validUntil && performance.now() >= unwritableUntil;

  /** Stops a campaign that meets refusals only, without waiting for the database to find out. */
  const judge = ({ chunk }: Held, result: Verdict) => {
    const said = judgement(result);
    if (!said) return;
    const key = `${chunk.account}.${chunk.campaign}`;
    let breaker = breakers.get(key);
    if (!breaker) {
      if (breakers.size > 200) breakers.clear();
      breaker = new Breaker();
      breakers.set(key, breaker);
    }
    const trip = breaker.tell(said);
    if (!trip) return;
    breakers.delete(key);
    const text = 'text' in result ? result.text : '';
    for (const one of held)
      if (one.chunk.account === chunk.account && one.chunk.campaign === chunk.campaign) {
        one.stopped = true;
        one.tripped = reasonOf(trip, text);
      }
  };

  const carryOne = async (
    taken: Held,
    content: Content | undefined,
    one: Marked,
    mayBegin: () => boolean,
    onTurn: () => void,
  ): Promise<{ verdict: Verdict; heard: Heard }> => {
    const { outcome, result } = await tryOne(taken, content, one, mayBegin, onTurn);
    judge(taken, result);
    return { verdict: result, heard: heardOf(outcome, result) };
  };

  const make = async (signing: Signing | undefined, content: Content, who: JournalKey, one: Marked) => {
    const tokens = tokensOf(app).tokens({
      ...who,
      contact: one.contact,
      lists: content.lists.includes(one.list)
        ? [one.list, ...content.lists.filter((list) => list !== one.list)]
        : content.lists,
    });
    const mail = content.renderer.render(
      {
        email: one.email,
        emailType: one.emailType,
        values: one.values,
        list: one.list,
        tokens,
        messageId: messageIdOf(who, one.seq, tokens.bounce, content.host),
        at: new Date(),
        utf8: !isAscii(Buffer.from(one.email)),
      },
      memory.take,
    );
    if ('refused' in mail) return { verdict: unmade(`no mail can be made for this ${mail.refused}`) };
    const message = await signed(signing, mail);
    return { mail, tokens, message };
  };

  const tryOne = async (
    taken: Held,
    content: Content | undefined,
    one: Marked,
    mayBegin: () => boolean,
    onTurn: () => void,
  ): Promise<{ outcome?: Spoken; result: Verdict }> => {
    const { chunk } = taken;
    if (!content) return { result: unmade('the content of the campaign is gone') };
    const who = { account: chunk.account, campaign: chunk.campaign, seq: one.seq, lease: chunk.lease };
    const made = await make(taken.signing, content, who, one).catch((error: unknown) => {
      log.error({ err: error, ...who }, 'a mail cannot be made');
      return { verdict: unmakeable(one) };
    });
    if (made.verdict) return { result: made.verdict };
    const { mail, tokens, message } = made;
    let dotted = false;
    const outcome = await relayPool.send({
      mailFrom: envelopeSender(app.config, content.fromEmail, tokens.bounce),
      rcptTo: one.email,
      message,
      mayBegin,
      onTurn,
      onDot() {
        const mayDot = () => !deaf && !taken.stopped && leaseClock() < taken.validUntil;
        if (!mayDot() || !noted(() => journal.dot(who))) return false;
        dotted = true;
        // The disk may have kept it waiting for longer than the lease; then somebody else has read the journal without it.
        return mayDot();
      },
    });
    // The server has answered to all of it, or what was sent is a signed copy: nothing will read this memory any more.
    const read = outcome.kind === 'reply' && outcome.stage === 'dot' && !outcome.early;
    if (read || message !== mail.whole) memory.give(mail.memory);
    // No relay was to be had: nobody was named to anybody, so nothing has happened to this recipient.
    const result: Verdict = isBeforeMail(outcome) ? { kind: 'withheld' } : verdict(outcome);
    if (result.kind !== 'withheld' || dotted) noted(() => journal.settle(who, result));
    return { outcome, result };
  };

  /** Writes to the journal; false when the disk does not take it. */
  const noted = (write: () => void): boolean => {
    try {
      write();
      return true;
    } catch (error) {
      if (performance.now() >= unwritableUntil)
        log.error({ err: error }, 'the journal cannot be written: no mail is ended without it');
      unwritableUntil = performance.now() + 5_000;
      return false;
    }
  };

  /**
   * Writes outcomes, for as long as the database takes to come back: they are known, and must not be lost. When this
   * worker is to end meanwhile they stay in its journal, where whoever takes over reads them.
   */
  const settle = async (taken: Held, outcomes: readonly Carried[]) => {
    if (outcomes.length === 0) return;
    for (const { verdict: result } of outcomes) counts[result.kind] += 1;
    const { chunk, tripped } = taken;
    for (let waitMs = 100; ; waitMs = Math.min(5_000, waitMs * 2)) {
      try {
        await db.transaction(async (tx) => {
          await settleOutcomes(tx, chunk, workerId, outcomes, tripped);
          await endSoftBouncers(tx, app.config, chunk.account, softBouncers(outcomes));
        }, answerMs);
        return;
      } catch (error) {
        if (!(isUnavailable(error) || isPassing(error)) || performance.now() > leaveBy) throw error;
        log.warn({ waitMs }, 'outcomes wait for the database');
        await sleep(waitMs);
      }
    }
  };

  const contentOf = (chunk: Chunk): Promise<Content | undefined> => {
    const key = `${chunk.account}.${chunk.campaign}`;
    let content = contents.get(key);
    if (!content) {
      content = readContent(db, chunk);
      content.catch(() => contents.delete(key));
      if (contents.size > 20) contents.delete(contents.keys().next().value!);
      contents.set(key, content);
    }
    return content;
  };

  const renewal = setInterval(
    () => {
      if (held.size === 0) return;
      const mine = [...held];
      renewLeases(
        db,
        workerId,
        mine.map((one) => one.chunk),
      )
        .then((untilOf) => {
          for (const one of mine) one.validUntil = untilOf(one.chunk);
        })
        .catch(() => {});
    },
    (leaseSeconds * 1_000) / 4,
  );

  const running = Array.from({ length: lanes }, lane);
  return {
    wake() {
      rota.renew();
      wake();
    },
    stopCampaign(account, campaign) {
      for (const one of held) if (one.chunk.account === account && one.chunk.campaign === campaign) one.stopped = true;
      contents.delete(`${account}.${campaign}`);
    },
    deafen() {
      deaf = true;
      timesDeaf += 1;
    },
    async hear() {
      // Stops of what is taken from now on are heard, or seen when its first group is marked.
      const since = timesDeaf;
      const sending = await stillSent(
        db,
        [...held].map(({ chunk }) => chunk),
      );
      for (const one of held) if (!sending.some((turn) => isOf(one.chunk, turn))) one.stopped = true;
      contents.clear();
      // Lost again meanwhile: then the next connection asks again.
      if (since !== timesDeaf) return;
      deaf = false;
      rota.renew();
      wake();
    },
    async stop() {
      stopping = true;
      leaveBy = performance.now() + lastWordsMs;
      wake();
      // What a server keeps waiting for minutes is not waited for: the relay pool cuts it off.
      const cut = setTimeout(() => void relayPool.close(), 10_000);
      await Promise.all(running);
      while (tails.size > 0) await Promise.all(tails);
      clearTimeout(cut);
      clearInterval(renewal);
      limits.stop();
    },
    counts,
    holds: (no, lease) => [...held].some(({ chunk }) => chunk.no === no && chunk.lease === lease),
    spared: () => pace.spared(performance.now()).filter((one) => one.pausedMs > 0).length,
  };
}

/** Tries at a mail whose making fails by an exception, before its recipient is given up. */
const maxMakings = 3;

/** A fault of ours, which may be mended by the next try: put off first. The others of the group go on. */
const unmakeable = ({ attempts }: Marked): Verdict =>
  attempts >= maxMakings
    ? unmade('the mail for this recipient could not be made three times')
    : {
        kind: 'later',
        scope: 'recipient',
        bounce: 'temporary',
        code: null,
        text: 'the mail for this recipient could not be made',
      };

const unmade = (text: string): Verdict => ({
  kind: 'failed',
  scope: 'recipient',
  bounce: 'generic',
  suppress: false,
  code: null,
  text,
});

/** The conversation ended before anybody was named. */
const isBeforeMail = (outcome: Spoken): boolean =>
  outcome.kind !== 'withheld' && ['connect', 'ehlo', 'starttls', 'auth'].includes(outcome.stage);

/** What an outcome tells about the pace of the recipient's domain. */
function heardOf(outcome: Spoken | undefined, result: Verdict): Heard {
  // Whoever keeps a connection waiting for minutes asks for less, without words; before MAIL that is the relay.
  if (outcome?.kind === 'lost' && outcome.why === 'timeout' && !outcome.untried)
    return isBeforeMail(outcome) ? 'nothing' : 'slower';
  if (result.kind === 'later' && result.scope === 'domain') return 'slower';
  if (result.kind === 'accepted') return 'took';
  return (result.kind === 'later' || result.kind === 'failed') && result.scope === 'recipient' ? 'took' : 'nothing';
}

const isOf = (chunk: Chunk, turn: Turn): boolean => chunk.account === turn.account && chunk.campaign === turn.campaign;
