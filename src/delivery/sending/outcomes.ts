// What becomes of recipients: outcomes of the wire as states of their rows, with the copies, bounces and refusals that
// follow from them, all in one transaction of the caller's. Used by the delivery and by whoever takes over from it.
import { sql, type Tx } from '../../db/connect.ts';
import { applyBounces, type Bounce } from '../bounces/effects.ts';
import { recordRefusals } from '../pace/refusals.ts';
import { type Chunk, type RecipientUpdate, writeGroup } from './chunk.ts';
import type { Outcome } from './group-send.ts';
import { nextAttemptAt } from './retry.ts';

/** Copies of a mail sent because outcome after outcome was unclear. */
const maxCopies = 3;

/** Writes the outcomes of a group and all that follows from them, in the caller's transaction. */
export async function writeOutcomes(
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
  const settled = outcomes.map((one) => updateOf(one, now, facts?.hold === true, chunk.kind));
  const written = new Set(await writeGroup(tx, chunk, workerId, settled, facts?.hold !== true));
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
  const judged = outcomes.flatMap((one) => (one.verdict.kind === 'deferred' ? [] : [one.verdict]));
  await recordRefusals(tx, chunk, judged, facts?.refused === true, tripped);
}

/** The contacts among them whose address may have bounced too often by now. */
export function softBouncers(outcomes: readonly Outcome[]): number[] {
  return outcomes
    .filter(({ verdict: result }) => result.kind === 'failed' && result.bounce === 'soft')
    .map(({ marked }) => marked.contact);
}

function updateOf(
  { marked, verdict: result }: Outcome,
  now: Date,
  hold: boolean,
  kind: Chunk['kind'],
): RecipientUpdate {
  const base = { seq: marked.seq, code: null, reply: null, reason: null, nextAt: null };
  switch (result.kind) {
    case 'accepted':
      return { ...base, state: 'accepted', code: result.code, reply: result.text };
    case 'withheld':
      // A copy that did not go leaves its recipient as unclear as he was.
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
function copyAfter(
  marked: Outcome['marked'],
  now: Date,
  hold: boolean,
): Pick<RecipientUpdate, 'state' | 'reason' | 'nextAt'> {
  if (hold || marked.resent === 0) return { state: 'unclear', reason: null, nextAt: null };
  const nextAt = marked.resent < maxCopies ? nextTryAt(marked, now) : null;
  return nextAt ? { state: 'unclear', reason: null, nextAt } : { state: 'failed', reason: 'unclear', nextAt: null };
}

function nextTryAt({ seq, attempts, firstAt }: Outcome['marked'], now: Date): Date | null {
  // From 0 to 1, the same for the same recipient and attempt.
  const spread = ((seq * 7919 + attempts * 104_729) % 1_000) / 1_000;
  return nextAttemptAt({ attempts, firstAt, now, spread });
}
