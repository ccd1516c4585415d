// Turns the outcomes of recipients into states of their rows, and writes the copies, bounces and refusals that follow from
// them, all in the caller's transaction. Used by the send loops and by the worker that takes over from a dead one.
import type { Message } from '../../base/messages.ts';
import { constantMonth } from '../../campaigns/model/month.ts';
import { prepared, sql, type Tx } from '../../db/connect.ts';
import { isWanted } from '../../events/emit.ts';
import { attemptTypes } from '../../events/types.ts';
import { signatureOf } from '../../relays/rates/same-reply.ts';
import type { Verdict } from '../../relays/verdict/verdict.ts';
import type { Chunk } from '../ledger/chunk.ts';
import { endMessages } from '../ledger/end-messages.ts';
import { type Counted, countSendingDay, domainOf } from '../ledger/sending-day.ts';
import { type RecipientUpdate, writeGroup } from '../ledger/write-group.ts';
import type { Mark } from '../pace/breaker.ts';
import { judgement, recordRefusals } from '../pace/refusals.ts';
import { emitAttempts } from './attempt-events.ts';
import { applyBounces, type Bounce } from './bounce-effects.ts';
import { applyMessageBounces } from './message-bounces.ts';
import type { Outcome } from './outcome.ts';
import { type Accepted, askAboutRun, holdRefused, type Refused } from './refused.ts';
import { decidedReplies, type Reply } from './refused-replies.ts';
import { nextAttemptAt } from './retry.ts';
import { watchCampaign } from './watch.ts';

/** Copies of a message sent to a recipient whose outcomes stay unclear. */
const maxCopies = 3;

/** What was decided about refusals: `stopped` if the campaign was paused, and the replies that a person has confirmed. */
export type Decided = { stopped: boolean; confirmed: ReadonlySet<string> };

/**
 * @param tripped why this worker has stopped the campaign, if it has
 * @returns undefined without permanent refusals
 */
export async function writeOutcomes(
  tx: Tx,
  chunk: Chunk,
  workerId: number,
  given: readonly Outcome[],
  tripped?: Message,
): Promise<Decided | undefined> {
  const { decided, counted, messages } = await apply(tx, chunk, workerId, given, tripped);
  const refused = counted.reduce((sum, row) => sum + (row.refused ?? 0), 0);
  const isPaused = !messages && (await watchCampaign(tx, chunk, { refused }));
  await countSendingDay(tx, chunk, counted, messages);
  return decided && isPaused ? { ...decided, stopped: true } : decided;
}

type Applied = { decided: Decided | undefined; counted: Counted[]; messages: boolean };

async function apply(
  tx: Tx,
  chunk: Chunk,
  workerId: number,
  given: readonly Outcome[],
  tripped?: Message,
): Promise<Applied> {
  const facts = await factsOf(tx, chunk);
  const now = facts?.now ?? new Date();
  const messages = facts?.messages === true;
  // No person decides about a single message.
  const hold = facts?.hold === true && !messages;
  const decided = given.some(isPermanent) ? await decidedReplies(tx, chunk) : undefined;
  const outcomes = decided ? given.map((outcome) => asDecided(outcome, decided)) : given;
  const again: ReadonlySet<number> = decided ? await refusedAgain(tx, chunk, outcomes) : new Set<number>();
  const updates = outcomes.map((outcome) => updateOf(outcome, now, hold, chunk, again.has(outcome.marked.seq)));
  let missing = await writeGroup(tx, chunk, workerId, updates, !hold);
  if (missing.size > 0) {
    // The lease was lost, and the worker that took the chunk over may have found no trace of these outcomes.
    const late = lateUpdates(updates, missing, chunk.kind, now);
    const stillMissing = await writeGroup(tx, chunk, workerId, late, !hold, true);
    const written = new Set(late.map(({ seq }) => seq).filter((seq) => !stillMissing.has(seq)));
    missing = new Set([...missing].filter((seq) => !written.has(seq)));
  }
  const bounces = bouncesOf(outcomes, updates, missing);
  const counted = countedOf(outcomes, updates, missing);
  const accepted = acceptedOf(outcomes);
  const refused = decided ? toHold(outcomes, bounces, decided.confirmed, accepted) : [];
  const held = new Set(refused.map(({ seq }) => seq));
  const about = bounces.filter(({ seq }) => !held.has(seq));
  if (messages) {
    await applyMessageBounces(tx, chunk, now, about);
    const written = updates.map(({ seq }) => seq).filter((seq) => !missing.has(seq) && !held.has(seq));
    await endMessages(tx, chunk, now, written);
  } else {
    if (facts?.wanted) await emitAttempts(tx, chunk, now, outcomes, updates, missing);
    await applyBounces(tx, chunk, now, about);
  }
  const areOurs =
    refused.length > 0 || (facts?.held && accepted)
      ? await holdRefused(tx, chunk, { refused, accepted, messages })
      : false;
  if (areOurs) return { decided: { stopped: !messages, confirmed: decided!.confirmed }, counted, messages };
  const verdicts = outcomes.flatMap(({ verdict }) => (verdict.kind === 'deferred' ? [] : [verdict]));
  const marks = outcomes.map((outcome) => markOf(outcome, decided, again));
  const run = await recordRefusals(tx, chunk, verdicts, marks, { hasRow: facts?.refused === true, messages, tripped });
  if (run) {
    const refusals = outcomes.filter((_, i) => marks[i] && marks[i] !== 'other').filter(isPermanent);
    await askAboutRun(tx, chunk, refusals.map(replyOf), { ...run, messages });
  }
  const stopped = run !== undefined && !messages;
  return { decided: decided && { stopped, confirmed: decided.confirmed }, counted, messages };
}

/** The outcomes that count for reputation and usage. */
function countedOf(
  outcomes: readonly Outcome[],
  updates: readonly RecipientUpdate[],
  missing: ReadonlySet<number>,
): Counted[] {
  return outcomes.flatMap(({ marked: { seq, list, email } }, i): Counted[] => {
    const { state, reason } = updates[i]!;
    if (missing.has(seq)) return [];
    if (state === 'accepted') return [{ seq, list, domain: domainOf(email), accepted: 1 }];
    if (state === 'failed' && reason === 'hard') return [{ seq, list, domain: domainOf(email), refused: 1 }];
    return [];
  });
}

type Facts = {
  now: Date;
  hold: boolean | null;
  /** The campaign has a row of refusals. */
  refused: boolean;
  /** Refusals of it are held, or decided about. */
  held: boolean;
  messages: boolean;
  /** A webhook wants the events of attempts. */
  wanted: boolean;
};

function factsOf(tx: Tx, chunk: Chunk): Promise<Facts | undefined> {
  return tx.row<Facts>(
    prepared(sql`
    select now() as now, settings ->> 'unclear' = 'hold' as hold,
      ${isWanted(chunk.account, attemptTypes)} as wanted,
      exists (
        select from campaign p where p.account_id = ${chunk.account} and p.id = ${chunk.campaign} and p.type = 'message'
      ) as messages,
      exists (
        select from refusals r where r.account_id = ${chunk.account} and r.campaign_id = ${chunk.campaign}
      ) as refused,
      exists (
        select from refused h where h.account_id = ${chunk.account} and h.campaign_id = ${chunk.campaign}
        union all
        select from refused_reply h where h.account_id = ${chunk.account} and h.campaign_id = ${chunk.campaign}
      ) as held
    from account
    where id = ${chunk.account}`),
  );
}

/** The recipients that have failed, other than without any reply. */
function bouncesOf(
  outcomes: readonly Outcome[],
  updates: readonly RecipientUpdate[],
  missing: ReadonlySet<number>,
): Bounce[] {
  return outcomes.flatMap(({ marked: { seq, contact, list, email }, verdict: result }, i) => {
    const { state, reply } = updates[i]!;
    if (state !== 'failed' || result.kind === 'unclear' || missing.has(seq)) return [];
    const of = { seq, contact, list, email };
    if (result.kind === 'failed' || (result.kind === 'later' && result.isDoubtful)) {
      const suppress = result.kind === 'failed' && result.suppress;
      return [{ ...of, bounce: result.bounce, suppress, code: result.code, reply: result.text }];
    }
    return [{ ...of, bounce: 'temporary', suppress: false, code: null, reply: reply ?? '' }];
  });
}

/** A permanent reply that the rules take for one about the recipient. */
const isRefusal = ({ verdict: result }: Pick<Outcome, 'verdict'>): boolean =>
  result.kind === 'failed' && result.code !== null;

type Permanent = Outcome & { verdict: Extract<Verdict, { kind: 'failed' | 'later' }> & { code: number } };

/** A permanent reply, about us or about the recipient. */
const isPermanent = (outcome: Outcome): outcome is Permanent => {
  const { verdict: result } = outcome;
  return (result.kind === 'failed' || result.kind === 'later') && result.code !== null && result.code >= 500;
};

const replyOf = ({ verdict: { code, text }, marked: { email } }: Permanent): Reply => ({ code, text, email });

const signed = ({ verdict: { code, text }, marked: { email } }: Permanent): string => signatureOf(code, text, email);

type DecidedReplies = Awaited<ReturnType<typeof decidedReplies>>;

/** A reply that has turned out to be about us costs no recipient. One that a person has confirmed is about the recipient. */
function asDecided(outcome: Outcome, { ours, confirmed }: DecidedReplies): Outcome {
  if (!isPermanent(outcome) || ours.size + confirmed.size === 0) return outcome;
  const { verdict: result } = outcome;
  const { code, text } = result;
  const signature = signed(outcome);
  const isInDoubt = result.kind === 'failed' || result.isDoubtful === true;
  if (confirmed.has(signature) && result.kind === 'later') {
    const bounce = result.isDoubtful ? result.bounce : 'generic';
    return { ...outcome, verdict: { kind: 'failed', scope: 'recipient', bounce, suppress: false, code, text } };
  }
  if (!ours.has(signature) || !isInDoubt) return outcome;
  return { ...outcome, verdict: { kind: 'later', scope: 'relay', bounce: 'blocked', code, text } };
}

/** The recipients that were refused in doubtful words, and whose reply before was permanent too. */
async function refusedAgain(tx: Tx, chunk: Chunk, outcomes: readonly Outcome[]): Promise<Set<number>> {
  const seqs = outcomes
    .filter(({ verdict, marked }) => verdict.kind === 'later' && verdict.isDoubtful && marked.attempts > 1)
    .map(({ marked }) => marked.seq);
  if (seqs.length === 0) return new Set();
  const rows = await tx.rows<{ seq: number }>(sql`
    select seq
    from delivery
    where account_id = ${chunk.account}
      and campaign_id = ${chunk.campaign}
      and month = ${constantMonth(chunk)}
      and seq = any (${seqs}::int[])
      and reply_code >= 500`);
  return new Set(rows.map(({ seq }) => seq));
}

/**
 * How an outcome counts as a sign that we are refused. Recipients that were refused before are attempted together, and would
 * seem to be a run. What a person or an earlier run has decided is no new sign.
 */
function markOf(outcome: Outcome, decided: DecidedReplies | undefined, again: ReadonlySet<number>): Mark | undefined {
  const { verdict: result, marked } = outcome;
  if (result.kind === 'deferred' || again.has(marked.seq)) return undefined;
  if (isPermanent(outcome) && decided && decided.ours.size + decided.confirmed.size > 0) {
    const signature = signed(outcome);
    if (decided.confirmed.has(signature)) return 'other';
    if (decided.ours.has(signature)) return undefined;
  }
  return judgement(result);
}

function acceptedOf(outcomes: readonly Outcome[]): Accepted | undefined {
  const accepted = outcomes.filter(({ verdict: { kind } }) => kind === 'accepted');
  if (accepted.length === 0) return undefined;
  const now = performance.now();
  const last = (at: (outcome: Outcome) => number | undefined) =>
    now - Math.max(...accepted.map((outcome) => at(outcome) ?? now));
  return { endedMs: last(({ endedAt }) => endedAt), begunMs: last(({ begunAt, endedAt }) => begunAt ?? endedAt) };
}

/** The refusals after which no message that was accepted has begun. */
function toHold(
  outcomes: readonly Outcome[],
  bounces: readonly Bounce[],
  confirmed: ReadonlySet<string>,
  accepted: Accepted | undefined,
): Refused[] {
  const failed = new Map(bounces.map((bounce) => [bounce.seq, bounce]));
  const now = performance.now();
  return outcomes.flatMap((outcome) => {
    const bounce = failed.get(outcome.marked.seq);
    if (!bounce || !isRefusal(outcome)) return [];
    const ageMs = now - (outcome.endedAt ?? now);
    const signature = signatureOf(bounce.code!, bounce.reply, bounce.email);
    if (confirmed.has(signature) || (accepted && accepted.begunMs < ageMs)) return [];
    const reply = `${bounce.code} ${bounce.reply}`;
    return [{ seq: bounce.seq, signature, email: bounce.email, suppress: bounce.suppress, reply, ageMs }];
  });
}

/** The contacts with a soft bounce: their address may have bounced too often. */
export function softBouncers(outcomes: readonly Outcome[]): number[] {
  return outcomes
    .filter(({ verdict: result }) => result.kind === 'failed' && result.bounce === 'soft')
    .map(({ marked }) => marked.contact);
}

/** What replaces an unclear outcome when the real one arrives late. */
function lateUpdates(
  updates: readonly RecipientUpdate[],
  missing: ReadonlySet<number>,
  kind: Chunk['kind'],
  now: Date,
): RecipientUpdate[] {
  return updates.flatMap((update) => {
    // A copy that was not sent leaves its recipient unclear.
    if (!missing.has(update.seq) || update.state === 'unclear' || (update.untried && kind === 'resend')) return [];
    // The chunk may be done by now, so a recipient that was not started gets another one.
    if (update.state === 'queued') return [{ ...update, state: 'later', reply: '', nextAt: now }];
    return [{ ...update, reply: update.reply ?? '' }];
  });
}

function updateOf(
  { marked, verdict: result, copyAfterMs }: Outcome,
  now: Date,
  hold: boolean,
  { kind, no }: Pick<Chunk, 'kind' | 'no'>,
  wasRefused: boolean,
): RecipientUpdate {
  const base = { seq: marked.seq, firstAt: marked.firstAt, code: null, reply: null, reason: null, nextAt: null };
  switch (result.kind) {
    case 'accepted':
      return { ...base, state: 'accepted', code: result.code, reply: result.text };
    case 'notSent':
      // A copy that was not sent leaves its recipient unclear.
      return { ...base, state: kind === 'resend' ? 'unclear' : 'queued', untried: true };
    case 'deferred':
      return {
        ...base,
        state: kind === 'resend' ? 'unclear' : 'later',
        reason: result.why,
        nextAt: new Date(now.getTime() + result.ms),
        untried: true,
      };
    case 'unclear':
      return { ...base, ...copyAfter(marked, no, now, hold, copyAfterMs), reply: result.text };
    case 'failed':
      return { ...base, state: 'failed', code: result.code, reply: result.text, reason: result.bounce };
    case 'later': {
      const nextAt = retryAt(marked, no, now, result.isDoubtful === true && wasRefused);
      if (nextAt) return { ...base, state: 'later', code: result.code, reply: result.text, nextAt };
      const reason = result.isDoubtful ? result.bounce : 'temporary';
      return { ...base, state: 'failed', code: result.code, reply: result.text, reason };
    }
  }
}

/** The first copy is sent immediately (or after `firstAfterMs`), a further one when a retry would be; a server that never replies gets few. */
function copyAfter(
  marked: Outcome['marked'],
  chunkNo: number,
  now: Date,
  hold: boolean,
  firstAfterMs = 0,
): Pick<RecipientUpdate, 'state' | 'reason' | 'nextAt'> {
  if (hold || (marked.resent === 0 && firstAfterMs === 0)) return { state: 'unclear', reason: null, nextAt: null };
  if (marked.resent === 0) return { state: 'unclear', reason: null, nextAt: new Date(now.getTime() + firstAfterMs) };
  const nextAt = marked.resent < maxCopies ? retryAt(marked, chunkNo, now) : null;
  return nextAt ? { state: 'unclear', reason: null, nextAt } : { state: 'failed', reason: 'unclear', nextAt: null };
}

function retryAt(
  { attempts, firstAt }: Outcome['marked'],
  chunkNo: number,
  now: Date,
  isDoubtful = false,
): Date | null {
  // From 0 to 1, always the same for one chunk and attempt: recipients deferred together are attempted together.
  const spread = ((chunkNo * 7919 + attempts * 104_729) % 1_000) / 1_000;
  const at = nextAttemptAt({ attempts, firstAt, now, spread, isDoubtful });
  return at && roundedUp(at, now);
}

/** The longer the wait, the coarser its end, so that the retries of several groups share a chunk. */
function roundedUp(at: Date, now: Date): Date {
  const waitMinutes = (at.getTime() - now.getTime()) / 60_000;
  const stepMs = waitMinutes < 10 ? 10_000 : waitMinutes < 45 ? 60_000 : 300_000;
  return new Date(Math.ceil(at.getTime() / stepMs) * stepMs);
}
