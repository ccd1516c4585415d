// Test messages of a campaign: rendered as it is now, for a sample contact, to a few addresses. They are counted nowhere,
// and their subject starts with [Test].
import { randomBytes } from 'node:crypto';
import { accountById } from '../accounts/account.ts';
import { addressKey } from '../audience/address.ts';
import type { App } from '../base/context.ts';
import { renderMessage } from '../base/messages.ts';
import { senderOf } from '../base/relay/message-sender.ts';
import { compileCampaign } from '../campaigns/compile/compile-campaign.ts';
import type { Compiled, Recipient } from '../campaigns/compile/compiled.ts';
import { inlineImagesForTest } from '../campaigns/content/pictures/inline-images.ts';
import { sql } from '../db/connect.ts';
import { prepare } from '../delivery/message/render.ts';
import { envelopeSender } from '../delivery/message/return-path.ts';
import { signed, signingOf } from '../delivery/message/signing.ts';
import { enqueue } from '../jobs/queue.ts';
import type { Payload } from '../jobs/tasks.ts';
import { tokensOf } from '../tracking/token-secret.ts';
import { type MailContext, sendOverRelays } from './send-message.ts';

/** Sends test messages of a campaign. */
export async function sendTestMails(context: MailContext, given: Payload<'sendTestMails'>): Promise<void> {
  const { app, log } = context;
  const account = await accountById(app.db, given.account_id);
  const pictures = await inlineImagesForTest(app, log, given.account_id, given.campaign_id);
  const compiled = account && (await compileCampaign(app.db, app, account, given.campaign_id, pictures));
  if (!compiled) return;
  const message: Compiled = {
    ...compiled,
    subject: ['[Test] ', ...compiled.subject],
    ...(given.send_type === 'plain' && compiled.plain ? { html: null } : {}),
  };
  const signing = await signingOf(app, { account: given.account_id, campaign: given.campaign_id }, compiled.fromEmail);
  if (signing.kind === 'refused') {
    log.warn(
      { campaign: given.campaign_id, why: renderMessage(signing.why) },
      'test messages cannot be signed and are not sent',
    );
    return;
  }
  const left: string[] = [];
  const renderer = prepare(message, pictures);
  for (const email of given.emails) {
    const sample = await sampleContact(app, given, email);
    // The links of a test work but count nothing: there is no recipient number 0.
    const tokens = tokensOf(app).tokens({
      account: given.account_id,
      campaign: given.campaign_id,
      seq: 0,
      contact: 0,
      lists: [sample.list],
    });
    const host = compiled.fromEmail.slice(compiled.fromEmail.lastIndexOf('@') + 1);
    const mail = renderer.render({
      ...sample,
      email,
      emailType: given.send_type === 'plain' ? 'text' : 'html',
      tokens,
      messageId: `<test.${randomBytes(12).toString('hex')}@${host}>`,
      at: new Date(),
    });
    if ('refused' in mail) continue;
    const result = await sendOverRelays(context, {
      sender: senderOf(given.account_id, compiled.fromEmail),
      mailFrom: envelopeSender(app.config, compiled.fromEmail, tokens.bounce),
      rcptTo: email,
      message: await signed(signing, mail),
    });
    if (result.kind === 'later' || result.kind === 'notSent') left.push(email);
    else if (result.kind !== 'accepted')
      log.warn({ campaign: given.campaign_id, reply: result.text }, 'a test message was refused');
  }
  // A new job sends the rest, so that the messages already sent are not repeated.
  if (left.length > 0) {
    await enqueue(app.db, 'sendTestMails', { ...given, emails: left }, { runAt: new Date(Date.now() + 60_000) });
  }
}

/** The values a test shows: those of the contact with the address, else of the first subscribed one. */
async function sampleContact(
  app: App,
  of: { account_id: number; campaign_id: number },
  email: string,
): Promise<Recipient> {
  const row = await app.db.row<{ email: string; list: number; values: Record<string, string> }>(sql`
    select c.email, s.list_id as list, s.fields as values
    from campaign_list l
    join subscription s on s.account_id = l.account_id and s.list_id = l.list_id and s.status = 'subscribed'
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    where l.account_id = ${of.account_id}
      and l.campaign_id = ${of.campaign_id}
    order by (c.email_key = ${addressKey(email) ?? ''}) desc, l.position, s.signup_at, s.contact_id
    limit 1`);
  const list = await app.db.row<{ list: number }>(sql`
    select list_id as list from campaign_list where account_id = ${of.account_id} and campaign_id = ${of.campaign_id} order by position limit 1`);
  return { email, emailType: 'html', values: row?.values ?? {}, list: row?.list ?? list?.list ?? 0 };
}
