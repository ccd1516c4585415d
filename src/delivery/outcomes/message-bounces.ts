// What follows from what comes back for a single message, in the caller's transaction: events, and the suppression of its address. A
// bounce of a message of a list also ends subscriptions. Messages to users (notices, links to set a password) suppress nothing and
// cause no event.
import type { Tx } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { cut } from '../../db/jsonb.ts';
import { emit } from '../../events/emit.ts';
import { formatDate } from '../../method/date.ts';
import { type Of, type SingleMessage, singleMessages } from '../ledger/end-messages.ts';
import { applyDead, type Bounce } from './bounce-effects.ts';

/** The members of an event that name a message. */
function ofMessage({ id, member }: SingleMessage) {
  return {
    campaign: '',
    list: member ? formatId(member.list) : '',
    contact: member ? formatId(member.contact) : '',
    message: id,
  };
}

const ofList = ({ member }: SingleMessage) => (member ? { listId: member.list } : {});

/** A dead address is suppressed, webhooks are notified. */
export async function applyMessageBounces(tx: Tx, of: Of, now: Date, bounces: readonly Bounce[]): Promise<void> {
  if (bounces.length === 0) return;
  const messages = await singleMessages(
    tx,
    of,
    bounces.map(({ seq }) => seq),
  );
  const reported = bounces.flatMap((bounce) => {
    const message = messages.get(bounce.seq);
    return message && !message.isToUser ? [{ bounce, message }] : [];
  });
  await applyDead(
    tx,
    of.account,
    now,
    reported.flatMap(({ bounce }) => (bounce.suppress ? [bounce] : [])),
  );
  await emit(
    tx,
    of.account,
    reported.map(({ bounce, message }) => ({
      type: 'email.bounce' as const,
      source: 'subscriber' as const,
      ...ofList(message),
      data: {
        ...ofMessage(message),
        email: bounce.email,
        class: bounce.bounce,
        code: bounce.code ?? 0,
        reply: cut(bounce.reply, 500),
        ts: formatDate(now),
      },
    })),
  );
}

/** Notifies webhooks of a complaint about a message. */
export async function emitMessageComplaint(tx: Tx, of: Of, now: Date, about: { message: SingleMessage; type: string }) {
  const { message, type } = about;
  const data = { ...ofMessage(message), email: message.email, feedback_type: type, ts: formatDate(now) };
  await emit(tx, of.account, [{ type: 'email.complaint', source: 'subscriber', ...ofList(message), data }]);
}
