// The demo's webhook: paused, since nothing listens at its address, with a log of what it has sent. Events, requests and their
// signatures are made by the code that makes real ones, so that the log shows what a receiver would get; only the
// answers are made up.
import { randomBytes } from 'node:crypto';
import { contactData } from '../audience/model/contact-data.ts';
import type { App } from '../base/context.ts';
import { sql, type Tx } from '../db/connect.ts';
import { emitSent } from '../delivery/outcomes/finish.ts';
import { emitSet } from '../events/emit.ts';
import { beginAttempt, type Endpoint, endAttempt, newMessageId, reasonOf } from '../webhooks/attempt.ts';
import type { Waiting } from '../webhooks/batch.ts';
import { removeEvents } from '../webhooks/outcome.ts';
import { sealSecret } from '../webhooks/signature.ts';

/** Attempts are kept for 30 days. */
const logged = sql`interval '29 days'`;
/** Of the sign-ups so many, the newest. */
const signUps = 12;
/** The receiver is down during this one of the events, counting from the oldest. */
const unlucky = 5;

type Happened = Waiting & { at: Date };

export async function addDemoWebhook(app: App, tx: Tx, accountId: number): Promise<void> {
  const url = 'https://crm.example.com/hooks/letters';
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const { id: webhookId } = (await tx.row<{ id: number }>(sql`
    insert into webhook (account_id, title, url, secret, events, status, created_at)
    values (${accountId}, 'Customer database', ${url}, ${sealSecret(app, accountId, secret)}, ${['contact.subscribe', 'campaign.sent']}::text[], 'paused',
      now() - ${logged})
    returning id`))!;
  await emitAgain(tx, accountId);
  const events = await tx.rows<Happened>(sql`
    select id, event_id as "eventId", type, failures, payload::text as payload,
      coalesce(payload->>'ts', payload->>'subscribe_ts')::timestamp at time zone 'UTC' as at
    from webhook_event
    where account_id = ${accountId}
      and webhook_id = ${webhookId}
    order by at`);
  const to: Endpoint = {
    accountId,
    webhookId,
    url,
    secret,
    oldSecret: '',
    algorithm: 'sha256',
    format: 'standard',
    signatureHeader: '',
  };
  const requests = events.flatMap((event, i) => (i === unlucky ? threeAttempts(event) : oneAttempt(event, i)));
  for (const { event, messageId, attemptNo, at, status, text, ms } of requests.sort((a, b) => +a.at - +b.at)) {
    const attempt = await beginAttempt(tx, to, [event], { messageId, kind: 'delivery', attemptNo, now: at });
    const finding = { answer: { status }, status, text, ms, reason: reasonOf(status) };
    await endAttempt(tx, attempt, finding, status === 200 ? 'delivered' : 'failed');
  }
  await tx.run(sql`
    update webhook_event
    set at = ${events.at(-1)?.at ?? null}
    where account_id = ${accountId}
      and webhook_id = ${webhookId}`);
  await removeEvents(tx, accountId, webhookId, sql`true`);
}

/** Emits the events of campaigns and contacts in the time of the log. */
async function emitAgain(tx: Tx, accountId: number): Promise<void> {
  const sent = await tx.rows<{ id: number; title: string; at: Date }>(sql`
    select id, title, finished_at as at
    from campaign
    where account_id = ${accountId}
      and finished_at > now() - ${logged}`);
  for (const { id, title, at } of sent) await emitSent(tx, { account: accountId, campaign: id }, title, at);
  await emitSet(
    tx,
    accountId,
    ['contact.subscribe'],
    sql`
      select 'contact.subscribe' as type, 'api' as source, b.list_id, ${contactData('api')} as data
      from (
        select *
        from subscription
        where account_id = ${accountId}
          and status = 'subscribed'
          and signup_at > now() - ${logged}
        order by signup_at desc
        limit ${signUps}
      ) as b
      join contact c on c.account_id = b.account_id and c.id = b.contact_id`,
  );
}

function oneAttempt(event: Happened, i: number) {
  const answer = { status: 200, text: 'thank you', ms: 60 + ((i * 37) % 90) };
  return [{ event, messageId: newMessageId(), attemptNo: 1, at: event.at, ...answer }];
}

/** Two that fail and one that is taken, at the usual distances. */
function threeAttempts(event: Happened) {
  const messageId = newMessageId();
  const down = { status: 503, text: 'down for maintenance', ms: 41 };
  const after = (ms: number) => new Date(event.at.getTime() + ms);
  return [
    { event, messageId, attemptNo: 1, at: event.at, ...down },
    { event, messageId, attemptNo: 2, at: after(5_300), ...down },
    { event, messageId, attemptNo: 3, at: after(301_000), status: 200, text: 'thank you', ms: 88 },
  ];
}
