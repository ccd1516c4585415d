// Turns the outcomes of recipients into states of their rows, and writes the copies, bounces and refusals that follow from
// them, all in the caller's transaction. Used by the send loops and by the worker that takes over from a dead one.
import type { Message } from '../../base/messages.ts';
import { prepared, sql, type Tx } from '../../db/connect.ts';
import { isWanted } from '../../events/emit.ts';
import { attemptTypes } from '../../events/types.ts';
import { applyBounces, type Bounce } from '../bounces/effects.ts';
import { applyMessageBounces, endMessages } from '../bounces/single-messages.ts';
import type { Chunk } from '../ledger/chunk.ts';
import { type RecipientUpdate, writeGroup } from '../ledger/write-group.ts';
import { recordRefusals } from '../pace/refusals.ts';
import { type Accepted, holdRefused, type Refused } from '../pace/refused.ts';
import { decidedReplies } from '../pace/refused-replies.ts';
import { signatureOf } from '../pace/same-reply.ts';
import { emitAttempts } from './attempt-events.ts';
import type { Outcome } from './group-send.ts';
import { nextAttemptAt } from './retry.ts';

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
  const facts = await tx.row<{
    now: Date;
    hold: boolean | null;
    refused: boolean;
    held: boolean;
    messages: boolean;
    wanted: boolean;
  }>(
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
  const now = facts?.now ?? new Date();
  const messages = facts?.messages === true;
  // No person decides about a single message.
  const hold = facts?.hold === true && !messages;
  const decided = given.some(isRefusal) ? await decidedReplies(tx, chunk) : undefined;
  const outcomes = decided ? given.map((outcome) => withoutOurs(outcome, decided.ours)) : given;
  const updates = outcomes.map((outcome) => updateOf(outcome, now, hold, chunk));
  let missing = await writeGroup(tx, chunk, workerId, updates, !hold);
  if (missing.size > 0) {
    // The lease was lost, and the worker that took the chunk over may have found no trace of these outcomes.
    const late = lateUpdates(updates, missing, chunk.kind, now);
    const stillMissing = await writeGroup(tx, chunk, workerId, late, !hold, true);
    const written = new Set(late.map(({ seq }) => seq).filter((seq) => !stillMissing.has(seq)));
    missing = new Set([...missing].filter((seq) => !written.has(seq)));
  }
  const bounces: Bounce[] = [];
  for (const [i, { marked, verdict: result }] of outcomes.entries()) {
    if (updates[i]!.state !== 'failed' || result.kind === 'unclear' || missing.has(marked.seq)) continue;
    const failed =
      result.kind === 'failed'
        ? result
        : { bounce: 'temporary' as const, suppress: false, code: null, text: updates[i]!.reply ?? '' };
    bounces.push({
      seq: marked.seq,
      contact: marked.contact,
      list: marked.list,
      email: marked.email,
      bounce: failed.bounce,
      suppress: failed.suppress,
      code: failed.code,
      reply: failed.text,
    });
  }
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
    await applyBounces(tx, chunk.account, chunk.campaign, now, about);
  }
  const areOurs =
    refused.length > 0 || (facts?.held && accepted)
      ? await holdRefused(tx, chunk, { refused, accepted, messages })
      : false;
  const result = decided && { stopped: areOurs && !messages, confirmed: decided.confirmed };
  if (messages || areOurs) return result;
  const verdicts = outcomes.flatMap(({ verdict }) => (verdict.kind === 'deferred' ? [] : [verdict]));
  await recordRefusals(tx, chunk, verdicts, facts?.refused === true, tripped);
  return result;
}

/** A permanent reply that the rules take for one about the recipient. */
export const isRefusal = ({ verdict: result }: Pick<Outcome, 'verdict'>): boolean =>
  result.kind === 'failed' && result.code !== null;

/** A reply that has turned out to be about us costs no recipient. */
function withoutOurs(outcome: Outcome, ours: ReadonlySet<string>): Outcome {
  const { verdict: result, marked } = outcome;
  if (result.kind !== 'failed' || result.code === null) return outcome;
  if (!ours.has(signatureOf(result.code, result.text, marked.email))) return outcome;
  const { code, text } = result;
  return { ...outcome, verdict: { kind: 'later', scope: 'relay', bounce: 'blocked', code, text } };
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
      const nextAt = retryAt(marked, no, now);
      if (nextAt) return { ...base, state: 'later', code: result.code, reply: result.text, nextAt };
      return { ...base, state: 'failed', code: result.code, reply: result.text, reason: 'temporary' };
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

function retryAt({ attempts, firstAt }: Outcome['marked'], chunkNo: number, now: Date): Date | null {
  // From 0 to 1, always the same for one chunk and attempt: recipients deferred together are attempted together.
  const spread = ((chunkNo * 7919 + attempts * 104_729) % 1_000) / 1_000;
  const at = nextAttemptAt({ attempts, firstAt, now, spread });
  return at && roundedUp(at, now);
}

/** The longer the wait, the coarser its end, so that the retries of several groups share a chunk. */
function roundedUp(at: Date, now: Date): Date {
  const waitMinutes = (at.getTime() - now.getTime()) / 60_000;
  const stepMs = waitMinutes < 10 ? 10_000 : waitMinutes < 45 ? 60_000 : 300_000;
  return new Date(Math.ceil(at.getTime() / stepMs) * stepMs);
}
