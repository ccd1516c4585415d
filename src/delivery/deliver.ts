// The delivery loop of a worker: take a chunk, mark a group, render, hand over, write down what became of it.
// Several lanes do so at once, so that the database works on one group while the wire carries another.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Compiled } from '../campaigns/compiled.ts';
import type { App } from '../context.ts';
import { isUnavailable, type Sql, sql, type Tx } from '../db/connect.ts';
import type { Log } from '../log.ts';
import { tokensOf } from '../tracking/token-secret.ts';
import { applyBounces, type Bounce, endSoftBouncers } from './bounce-effects.ts';
import type { Courier } from './courier.ts';
import { finishIfDone } from './finish.ts';
import { type Chunk, type Marked, markGroup, type Settled, settleGroup } from './group.ts';
import type { Journal } from './journal.ts';
import { createMessageMemory } from './message-memory.ts';
import type { InlineImage } from './mime.ts';
import { prepare, type Renderer } from './render.ts';
import { nextAttemptAt } from './retry.ts';
import { envelopeSender } from './return-path.ts';
import { pauseUnsigned, type Signing, signed, signingOf } from './signing.ts';
import { type Verdict, verdict } from './verdict.ts';

export const leaseSeconds = 15;
/** A lease is not used to its very end: the clocks of two machines do not run equally fast. */
const leaseMarginMs = 1_500;
const lanes = 3;

export type Delivery = {
  /** Looks for work now instead of at the next turn. */
  wake(): void;
  /** No further dot of this campaign, at once. */
  stopCampaign(account: number, campaign: number): void;
  /** Takes no further work, finishes what is on the wire. */
  stop(): Promise<void>;
};

type Held = { chunk: Chunk; validUntil: number; stopped: boolean; signing?: Signing };

export function startDelivery(
  app: App,
  parts: { workerId: number; courier: Courier; journal: Journal<Verdict>; log: Log },
): Delivery {
  const { workerId, courier, journal, log } = parts;
  const { db } = app;
  const held = new Set<Held>();
  const contents = new Map<string, Promise<Content | undefined>>();
  const memory = createMessageMemory();
  let stopping = false;
  let groupSize = 100;
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

  const lane = async () => {
    while (!stopping) {
      try {
        const taken = await takeChunk(app, workerId);
        if (!taken) await pause(1_000);
        else await work(taken);
      } catch (error) {
        if (!isUnavailable(error)) log.error({ err: error }, 'a lane of the delivery stumbled');
        await pause(isUnavailable(error) ? 500 : 2_000);
      }
    }
  };

  const work = async (taken: Held) => {
    held.add(taken);
    const { chunk } = taken;
    try {
      const content = await contentOf(chunk);
      for (;;) {
        if (stopping || taken.stopped || performance.now() > taken.validUntil) break;
        if (content) taken.signing = await signingOf(app, chunk, content.fromEmail);
        if (taken.signing?.kind === 'refused') {
          await pauseUnsigned(app, chunk, taken.signing.why);
          break;
        }
        const startedAt = performance.now();
        // After a crash or two the group shrinks to single recipients, so that one that brings the worker down is found.
        const size = chunk.crashes > 0 ? 1 : groupSize;
        const group = await db.transaction((tx) => markGroup(tx, chunk, workerId, size));
        if (!group) return;
        if (group.touched === 0) {
          await db.transaction(async (tx) => {
            await endChunk(tx, chunk, workerId);
            await finishIfDone(tx, chunk.account, chunk.campaign);
          });
          return;
        }
        // Kept until the outcomes are committed; when that fails for good, whoever takes over needs the journal.
        const segment = journal.open();
        const outcomes = await carryAll(taken, content, group.marked);
        await settle(chunk, outcomes);
        segment.done();
        adapt(group.touched, performance.now() - startedAt);
      }
      await giveBack(chunk);
    } finally {
      held.delete(taken);
    }
  };

  /** About half a second of work a group: what has left the list meanwhile is noticed that soon. */
  const adapt = (done: number, ms: number) => {
    const ideal = (done / Math.max(ms, 1)) * 500;
    groupSize = Math.round(Math.min(500, Math.max(10, groupSize * 0.5 + ideal * 0.5)));
  };

  const carryAll = async (taken: Held, content: Content | undefined, marked: readonly Marked[]): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    const under = new Set<Promise<void>>();
    for (const one of marked) {
      if (!mayGoOn(taken)) {
        outcomes.push({ marked: one, verdict: { kind: 'withheld' } });
        continue;
      }
      const job = carryOne(taken, content, one).then((result) => {
        outcomes.push({ marked: one, verdict: result });
        under.delete(job);
      });
      under.add(job);
      if (under.size >= Math.max(1, courier.capacity)) await Promise.race(under);
    }
    await Promise.all(under);
    return outcomes;
  };

  const mayGoOn = (taken: Held) => !stopping && !taken.stopped && performance.now() < taken.validUntil;

  const carryOne = async (taken: Held, content: Content | undefined, one: Marked): Promise<Verdict> => {
    const { chunk } = taken;
    if (!content)
      return {
        kind: 'failed',
        scope: 'recipient',
        bounce: 'generic',
        suppress: false,
        code: null,
        text: 'the content of the campaign is gone',
      };
    const who = { account: chunk.account, campaign: chunk.campaign, seq: one.seq, lease: chunk.lease };
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
        messageId: messageIdOf(chunk, one.seq, tokens.bounce, content.host),
        at: new Date(),
      },
      memory.take,
    );
    if ('refused' in mail)
      return {
        kind: 'failed',
        scope: 'recipient',
        bounce: 'generic',
        suppress: false,
        code: null,
        text: `no mail can be made for this ${mail.refused}`,
      };
    const message = await signed(taken.signing, mail);
    const outcome = await courier.carry({
      mailFrom: envelopeSender(app.config, content.fromEmail, tokens.bounce),
      rcptTo: one.email,
      message,
      onDot() {
        if (taken.stopped || performance.now() >= taken.validUntil) return false;
        journal.dot(who);
        return true;
      },
    });
    // The server has answered to all of it, or what was sent is a signed copy: nothing will read this memory any more.
    const read = outcome.kind === 'reply' && outcome.stage === 'dot' && !outcome.early;
    if (read || message !== mail.whole) memory.give(mail.memory);
    const result = verdict(outcome);
    if (result.kind !== 'withheld') journal.settle(who, result);
    return result;
  };

  /** Writes outcomes, for as long as the database takes to come back: they are known, and must not be lost. */
  const settle = async (chunk: Chunk, outcomes: readonly Outcome[]) => {
    for (let waitMs = 100; ; waitMs = Math.min(5_000, waitMs * 2)) {
      try {
        await db.transaction(async (tx) => {
          await settleOutcomes(tx, chunk, workerId, outcomes);
          await endSoftBouncers(tx, app.config, chunk.account, softBouncers(outcomes));
        });
        return;
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        log.warn({ waitMs }, 'outcomes wait for the database');
        await sleep(waitMs);
      }
    }
  };

  /** A chunk not finished is for somebody else, or for later. */
  const giveBack = (chunk: Chunk) =>
    db.run(sql`
      update chunk
      set state = 'waiting', worker_id = null, leased_until = null
      where ${isMine(chunk, workerId)}`);

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
      const askedAt = performance.now();
      if (held.size === 0) return;
      const mine = [...held];
      db.rows<{ no: number; lease: number }>(sql`
      update chunk
      set leased_until = now() + make_interval(secs => ${leaseSeconds})
      where worker_id = ${workerId}
        and state = 'leased'
        and no = any (${mine.map((one) => one.chunk.no)}::int[])
      returning no, lease`)
        .then((rows) => {
          for (const one of mine) {
            const still = rows.some((row) => row.no === one.chunk.no && row.lease === one.chunk.lease);
            if (still) one.validUntil = askedAt + leaseSeconds * 1_000 - leaseMarginMs;
          }
        })
        .catch(() => {});
    },
    (leaseSeconds * 1_000) / 4,
  );

  const running = Array.from({ length: lanes }, lane);
  return {
    wake,
    stopCampaign(account, campaign) {
      for (const one of held) if (one.chunk.account === account && one.chunk.campaign === campaign) one.stopped = true;
      contents.delete(`${account}.${campaign}`);
    },
    async stop() {
      stopping = true;
      wake();
      await Promise.all(running);
      clearInterval(renewal);
    },
  };
}

export type Outcome = {
  marked: Pick<Marked, 'seq' | 'contact' | 'list' | 'email' | 'attempts' | 'firstAt'>;
  verdict: Verdict;
};

/** Writes the outcomes of a group and all that follows from them, in the caller's transaction. */
export async function settleOutcomes(
  tx: Tx,
  chunk: Chunk,
  workerId: number,
  outcomes: readonly Outcome[],
): Promise<void> {
  const facts = await tx.row<{ now: Date; hold: boolean | null }>(sql`
    select now() as now, settings ->> 'unclear' = 'hold' as hold
    from account
    where id = ${chunk.account}`);
  const now = facts?.now ?? new Date();
  const settled = outcomes.map((one) => toSettled(one, now));
  const written = new Set(await settleGroup(tx, chunk, workerId, settled, facts?.hold !== true));
  const bounces: Bounce[] = [];
  for (const [i, { marked, verdict: result }] of outcomes.entries()) {
    if (settled[i]!.state !== 'failed' || !written.has(marked.seq)) continue;
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
}

function softBouncers(outcomes: readonly Outcome[]): number[] {
  return outcomes
    .filter(({ verdict: result }) => result.kind === 'failed' && result.bounce === 'soft')
    .map(({ marked }) => marked.contact);
}

function toSettled({ marked, verdict: result }: Outcome, now: Date): Settled {
  const base = { seq: marked.seq, code: null, reply: null, reason: null, nextAt: null };
  switch (result.kind) {
    case 'accepted':
      return { ...base, state: 'accepted', code: result.code, reply: result.text };
    case 'withheld':
      return { ...base, state: 'queued' };
    case 'unclear':
      return { ...base, state: 'unclear', reply: result.text };
    case 'failed':
      return { ...base, state: 'failed', code: result.code, reply: result.text, reason: result.bounce };
    case 'later': {
      // From 0 to 1, the same for the same recipient and attempt.
      const spread = ((marked.seq * 7919 + marked.attempts * 104_729) % 1_000) / 1_000;
      const nextAt = nextAttemptAt({ attempts: marked.attempts, firstAt: marked.firstAt, now, spread });
      if (nextAt) return { ...base, state: 'later', code: result.code, reply: result.text, nextAt };
      return { ...base, state: 'failed', code: result.code, reply: result.text, reason: 'temporary' };
    }
  }
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

/** Takes the chunk that has been due longest, of a campaign that is being sent. */
async function takeChunk(app: App, workerId: number): Promise<Held | undefined> {
  const askedAt = performance.now();
  const chunk = await app.db.row<Chunk>(sql`
    update chunk c
    set state = 'leased', worker_id = ${workerId}, lease = lease + 1, leased_until = now() + make_interval(secs => ${leaseSeconds})
    from (
      select k.account_id, k.campaign_id, k.no
      from chunk k
      join campaign p on p.account_id = k.account_id and p.id = k.campaign_id
      where k.state = 'waiting'
        and k.due_at <= now()
        and p.status = 'sending'
      order by k.due_at, k.no
      limit 1
      for update of k skip locked
    ) as next
    where c.account_id = next.account_id
      and c.campaign_id = next.campaign_id
      and c.no = next.no
    returning c.account_id as account, c.campaign_id as campaign, c.no, c.kind, c.from_seq as "fromSeq", c.to_seq as "toSeq",
      c.seqs, c.lease, c.crashes`);
  return chunk && { chunk, validUntil: askedAt + leaseSeconds * 1_000 - leaseMarginMs, stopped: false };
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

async function endChunk(tx: { run(statement: Sql): Promise<number> }, chunk: Chunk, workerId: number): Promise<void> {
  await tx.run(sql`
    update chunk
    set state = 'done', worker_id = null, leased_until = null
    where ${isMine(chunk, workerId)}`);
}
