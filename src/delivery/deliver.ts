// The delivery loop of a worker: take a chunk, mark a group, render, hand over, write down what became of it.
// Several lanes do so at once, so that the database works on one group while the wire carries another.
import { isAscii } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Compiled } from '../campaigns/compiled.ts';
import type { App } from '../context.ts';
import { isPassing, isUnavailable, type Sql, sql, type Tx } from '../db/connect.ts';
import type { Log } from '../log.ts';
import { tokensOf } from '../tracking/token-secret.ts';
import { type Carried, type Convoy, type Postponed, type Result, startConvoy } from './convoy.ts';
import type { Courier } from './courier.ts';
import { finishIfDone } from './finish.ts';
import { type Chunk, type Marked, markGroup, queuedIn, type Settled, settleGroup, within } from './group.ts';
import type { Journal, Recipient as JournalKey } from './journal.ts';
import { holderClock, letGoUntil } from './lease-watch.ts';
import { createMessageMemory } from './message/message-memory.ts';
import type { InlineImage } from './message/mime.ts';
import { prepare, type Renderer } from './message/render.ts';
import { envelopeSender } from './message/return-path.ts';
import { pauseUnsigned, type Signing, signed, signingOf } from './message/signing.ts';
import type { Limits } from './pace/account-pace.ts';
import { Breaker } from './pace/breaker.ts';
import type { Heard, Held as PaceHeld } from './pace/pace.ts';
import { giveBack as giveBackQuota, reserve } from './pace/quota.ts';
import { judgement, reasonOf, tellRefusals } from './pace/refusals.ts';
import { nextAttemptAt } from './retry.ts';
import { applyBounces, type Bounce, endSoftBouncers } from './returned/bounce-effects.ts';
import { createRota, type Turn } from './rota.ts';
import type { Outcome as Spoken } from './smtp/outcome.ts';
import { states } from './states.ts';
import { type Verdict, verdict } from './verdict.ts';

export const leaseSeconds = 15;
/** How long a lane waits for an answer of the database: a connection may be mute, and others wait for its chunk. */
const answerMs = 20_000;
/** How long a worker that is to end waits for a database that is gone. */
const lastWordsMs = 10_000;
const leaseClock = holderClock();
/** A lease is not used to its very end: the clocks of two machines do not run equally fast. */
const leaseMarginMs = 1_500;
const lanes = 3;
/** Of them, at work where the relays' own rates set the pace: more would only wait for their turn. */
const lanesAtRate = 2;
/** How long a lane goes on with a chunk before it looks whose turn it is: only slow ones take so long. */
const turnMs = 1_000;
/** Groups of which a few recipients are still under way while their lane has gone on. */
const mostTails = 100;

/** Copies of a mail sent because outcome after outcome was unclear. */
const mostCopies = 3;

/** Recipients of a domain that does not answer are tried again after this. */
const slowDomainMs = 20_000;
/** How those put off are strung out behind the pause of a domain without a rate of its own. */
const recoveringPerSecond = 20;
/** A day's quota that is used up is looked at again after this: what was taken of it and not used is given back. */
const quotaLookMs = 5 * 60_000;
/** How often outcomes are written that come while a group waits for its last ones. */
const tailMs = 500;
const longestQueueMs = 10 * 60_000;

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
  parts: { workerId: number; courier: Courier; limits: Limits; journal: Journal<Verdict>; log: Log },
): Delivery {
  const { workerId, courier, journal, log } = parts;
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
        if (nth >= lanesAtRate && courier.perSecond !== undefined) {
          await pause(1_000);
          continue;
        }
        if (deaf) {
          await pause(1_000);
          continue;
        }
        // Without a relay nothing is taken up: recipients stay queued, and the database is left in peace.
        const restMs = Math.max(courier.restMs(), unwritableUntil - performance.now());
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
            async (turn) => takeAgain(({ chunk }) => isOf(chunk, turn)) ?? takeChunk(app, workerId, turn),
          ));
        if (!taken) await pause(closed.ms);
        else await work(taken);
        while (tails.size >= mostTails) await Promise.race(tails);
      } catch (error) {
        if (!isUnavailable(error)) log.error({ err: error }, 'a lane of the delivery stumbled');
        await pause(isUnavailable(error) ? 500 : 2_000);
      }
    }
    for (const one of again.splice(0)) follow(one, { afterMs: 0 });
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
          await db.run(sql`
            update chunk
            -- Given up by its holder, so that nobody has to see for himself that it is not renewed.
            set leased_until = ${letGoUntil}
            where ${isMine(chunk, workerId)}`);
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
      await giveBack(chunk, ended.afterMs);
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
      if (!mayGoOn(taken) || courier.restMs() > 0) return { afterMs: 0 };
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
      const { perSecond } = courier;
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
      if (!group.again) taken.oneByOne = false;
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
      const convoy = carryAll(taken, content, group.marked, { readAt: startedAt, leastGraceMs: graceMs });
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
    times: { readAt: number; leastGraceMs: number },
  ): Convoy =>
    startConvoy(marked, {
      pace,
      ...times,
      account: taken.chunk.account,
      room: () => Math.max(1, courier.capacity),
      mayGoOn: () => mayGoOn(taken) && courier.restMs() === 0,
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
    const outcome = await courier.carry({
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

  /** A chunk not finished is for somebody else, or for later. */
  const giveBack = (chunk: Chunk, afterMs: number) =>
    db.run(sql`
      update chunk
      set state = 'waiting', worker_id = null, leased_until = null,
        due_at = case when ${afterMs}::float8 > 0 then now() + make_interval(secs => ${afterMs / 1_000}) else due_at end
      where ${isMine(chunk, workerId)}`);

  /** Those of the chunks' campaigns that are being sent. */
  const stillSent = async (chunks: readonly Chunk[]): Promise<Turn[]> =>
    chunks.length === 0
      ? []
      : db.rows<Turn>(sql`
          select account_id as account, id as campaign
          from campaign
          where status = 'sending'
            and (account_id, id) in (
              select * from unnest(${chunks.map((one) => one.account)}::int[], ${chunks.map((one) => one.campaign)}::int[])
            )`);

  const contentOf = (chunk: Chunk): Promise<Content | undefined> => {
    const key = `${chunk.account}.${chunk.campaign}`;
    let content = contents.get(key);
    if (!content) {
      content = readContent(app, chunk);
      content.catch(() => contents.delete(key));
      if (contents.size > 20) contents.delete(contents.keys().next().value!);
      contents.set(key, content);
    }
    return content;
  };

  const renewal = setInterval(
    () => {
      const askedAt = leaseClock();
      if (held.size === 0) return;
      const mine = [...held];
      db.rows<{ no: number; lease: number }>(sql`
      update chunk
      set leased_until = now() + make_interval(secs => ${leaseSeconds})
      where worker_id = ${workerId}
        and state = 'leased'
        and no = any (${mine.map((one) => one.chunk.no)}::int[])
        and leased_until <> ${letGoUntil}
      returning no, lease`)
        .then((rows) => {
          for (const one of mine) {
            const still = rows.some((row) => row.no === one.chunk.no && row.lease === one.chunk.lease);
            // Taken over all the same: not one more dot.
            one.validUntil = still ? askedAt + leaseSeconds * 1_000 - leaseMarginMs : 0;
          }
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
      const sending = await stillSent([...held].map(({ chunk }) => chunk));
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
      // What a server keeps waiting for minutes is not waited for: the courier cuts it off.
      const cut = setTimeout(() => void courier.close(), 10_000);
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

export type Outcome = {
  marked: Pick<Marked, 'seq' | 'contact' | 'list' | 'email' | 'attempts' | 'resent' | 'firstAt'>;
  verdict: Result;
};

/** Writes the outcomes of a group and all that follows from them, in the caller's transaction. */
export async function settleOutcomes(
  tx: Tx,
  chunk: Chunk,
  workerId: number,
  outcomes: readonly Outcome[],
  tripped?: string,
): Promise<void> {
  const facts = await tx.row<{ now: Date; hold: boolean | null; refused: boolean }>(sql`
    select now() as now, settings ->> 'unclear' = 'hold' as hold,
      exists (
        select from refusals r where r.account_id = ${chunk.account} and r.campaign_id = ${chunk.campaign}
      ) as refused
    from account
    where id = ${chunk.account}`);
  const now = facts?.now ?? new Date();
  const settled = outcomes.map((one) => toSettled(one, now, facts?.hold === true, chunk.kind));
  const written = new Set(await settleGroup(tx, chunk, workerId, settled, facts?.hold !== true));
  const bounces: Bounce[] = [];
  for (const [i, { marked, verdict: result }] of outcomes.entries()) {
    if (settled[i]!.state !== 'failed' || result.kind === 'unclear' || !written.has(marked.seq)) continue;
    const failed =
      result.kind === 'failed'
        ? result
        : { bounce: 'temporary' as const, suppress: false, code: null, text: settled[i]!.reply ?? '' };
    bounces.push({
      contact: marked.contact,
      list: marked.list,
      email: marked.email,
      bounce: failed.bounce,
      suppress: failed.suppress,
      code: failed.code,
      reply: failed.text,
    });
  }
  await applyBounces(tx, chunk.account, chunk.campaign, now, bounces);
  const judged = outcomes.flatMap((one) => (one.verdict.kind === 'postponed' ? [] : [one.verdict]));
  await tellRefusals(tx, chunk, judged, facts?.refused === true, tripped);
}

function softBouncers(outcomes: readonly Outcome[]): number[] {
  return outcomes
    .filter(({ verdict: result }) => result.kind === 'failed' && result.bounce === 'soft')
    .map(({ marked }) => marked.contact);
}

function toSettled({ marked, verdict: result }: Outcome, now: Date, hold: boolean, kind: Chunk['kind']): Settled {
  const base = { seq: marked.seq, code: null, reply: null, reason: null, nextAt: null };
  switch (result.kind) {
    case 'accepted':
      return { ...base, state: 'accepted', code: result.code, reply: result.text };
    case 'withheld':
      // A copy that did not go leaves its recipient as unclear as he was.
      return { ...base, state: kind === 'resend' ? 'unclear' : 'queued', untried: true };
    case 'postponed':
      return {
        ...base,
        state: kind === 'resend' ? 'unclear' : 'later',
        reason: result.why,
        nextAt: new Date(now.getTime() + result.ms),
        untried: true,
      };
    case 'unclear':
      return { ...base, ...copyAfter(marked, now, hold), reply: result.text };
    case 'failed':
      return { ...base, state: 'failed', code: result.code, reply: result.text, reason: result.bounce };
    case 'later': {
      const nextAt = nextTryAt(marked, now);
      if (nextAt) return { ...base, state: 'later', code: result.code, reply: result.text, nextAt };
      return { ...base, state: 'failed', code: result.code, reply: result.text, reason: 'temporary' };
    }
  }
}

/** The first copy goes at once, a further one when a retry would; a server that keeps mails and says nothing gets few. */
function copyAfter(marked: Outcome['marked'], now: Date, hold: boolean): Pick<Settled, 'state' | 'reason' | 'nextAt'> {
  if (hold || marked.resent === 0) return { state: 'unclear', reason: null, nextAt: null };
  const nextAt = marked.resent < mostCopies ? nextTryAt(marked, now) : null;
  return nextAt ? { state: 'unclear', reason: null, nextAt } : { state: 'failed', reason: 'unclear', nextAt: null };
}

function nextTryAt({ seq, attempts, firstAt }: Outcome['marked'], now: Date): Date | null {
  // From 0 to 1, the same for the same recipient and attempt.
  const spread = ((seq * 7919 + attempts * 104_729) % 1_000) / 1_000;
  return nextAttemptAt({ attempts, firstAt, now, spread });
}

/** Tries at a mail whose making fails by an exception, before its recipient is given up. */
const mostMakings = 3;

/** A fault of ours, which may be mended by the next try: put off first. The others of the group go on. */
const unmakeable = ({ attempts }: Marked): Verdict =>
  attempts >= mostMakings
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

/** Puts recipients of a domain off one behind the other, at the rate at which it may take them. */
function createPostponing(pace: Limits['pace']) {
  const lastAt = new Map<string, number>();
  return ({ domain }: Marked, waits: PaceHeld): Postponed => {
    const now = performance.now();
    const perSecond = pace.perSecondTo(domain);
    const soonest = now + (waits.why === 'window' || waits.why === 'slow' ? slowDomainMs : waits.ms);
    const at = Math.max(lastAt.get(domain) ?? 0, soonest) + 1_000 / (perSecond ?? recoveringPerSecond);
    if (lastAt.size > 10_000) lastAt.clear();
    lastAt.set(domain, perSecond === undefined ? Math.min(at, soonest + longestQueueMs) : at);
    return { kind: 'postponed', ms: at - now, why: waits.why === 'rate' ? 'rate' : 'spared' };
  };
}

type Content = { renderer: Renderer; host: string; fromEmail: string; lists: number[] };

async function readContent(app: App, chunk: Chunk): Promise<Content | undefined> {
  const row = await app.db.row<{ compiled: Compiled }>(sql`
    select compiled
    from frozen_content
    where account_id = ${chunk.account}
      and campaign_id = ${chunk.campaign}`);
  if (!row) return undefined;
  const { compiled } = row;
  const images = await app.db.rows<InlineImage>(sql`
    select cid, content_type as "contentType", bytes
    from inline_image
    where account_id = ${chunk.account}
      and campaign_id = ${chunk.campaign}
    order by cid`);
  return {
    renderer: prepare(compiled, images),
    host: compiled.fromEmail.slice(compiled.fromEmail.lastIndexOf('@') + 1),
    fromEmail: compiled.fromEmail,
    lists: compiled.lists.map((list) => list.id),
  };
}

/** The same for every attempt of a recipient, so that a copy after an unclear outcome can be told as one. */
export function messageIdOf(chunk: Pick<Chunk, 'campaign'>, seq: number, token: string, host: string): string {
  return `<${chunk.campaign.toString(36)}.${seq.toString(36)}.${token.slice(-24)}@${host}>`;
}

const isOf = (chunk: Chunk, turn: Turn): boolean => chunk.account === turn.account && chunk.campaign === turn.campaign;

/** Takes the chunk of a campaign that has been due longest, while it is being sent. */
async function takeChunk(app: App, workerId: number, turn: Turn): Promise<Held | undefined> {
  const askedAt = leaseClock();
  const chunk = await app.db.row<Chunk>(sql`
    update chunk c
    set state = 'leased', worker_id = ${workerId}, lease = lease + 1, leased_until = now() + make_interval(secs => ${leaseSeconds})
    from (
      select k.account_id, k.campaign_id, k.no
      from chunk k
      join campaign p on p.account_id = k.account_id and p.id = k.campaign_id
      where k.account_id = ${turn.account}
        and k.campaign_id = ${turn.campaign}
        and k.state = 'waiting'
        and k.due_at <= now()
        and p.status = 'sending'
        and (k.kind <> 'first' or k.due_at <= coalesce(p.due_until, k.due_at))
        -- Workers that have not noticed yet take nothing of a copy.
        and not exists (select from heartbeat where held <> '')
      order by k.due_at, k.no
      limit 1
      for update of k skip locked
    ) as next
    where c.account_id = next.account_id
      and c.campaign_id = next.campaign_id
      and c.no = next.no
    returning c.account_id as account, c.campaign_id as campaign, c.no, c.kind, c.from_seq as "fromSeq", c.to_seq as "toSeq",
      c.seqs, c.lease, c.crashes`);
  return (
    chunk && {
      chunk,
      validUntil: askedAt + leaseSeconds * 1_000 - leaseMarginMs,
      stopped: false,
      carrying: false,
      tails: new Set(),
      requeued: false,
      broken: false,
      oneByOne: chunk.crashes > 0,
    }
  );
}

function isMine(chunk: Chunk, workerId: number): Sql {
  return sql`
    account_id = ${chunk.account}
    and campaign_id = ${chunk.campaign}
    and no = ${chunk.no}
    and lease = ${chunk.lease}
    and worker_id = ${workerId}
    and state = 'leased'`;
}

/** False when the lease is lost, or somebody in it has no outcome yet. */
async function endChunk(tx: Tx, chunk: Chunk, workerId: number): Promise<boolean> {
  const ended = await tx.run(sql`
    update chunk
    set state = 'done', worker_id = null, leased_until = null
    where ${isMine(chunk, workerId)}
      and not exists (
        select from delivery
        where account_id = ${chunk.account}
          and campaign_id = ${chunk.campaign}
          and ${within(chunk)}
          and state = ${states.trying}
          and chunk_no = ${chunk.no}
      )`);
  return ended > 0;
}
