// Test messages of a campaign: rendered as it is now, for a sample contact, to a few addresses. They are counted nowhere,
// and their subject starts with [Test], that of a rehearsal of an automation with [Test run]. They are queued here and sent like single messages.
import { isAscii } from 'node:buffer';
import { accountById } from '../accounts/account/account.ts';
import { onBehalf } from '../accounts/account/system-context.ts';
import { addressKey } from '../audience/address.ts';
import { latestEvent } from '../audience/events/read.ts';
import { renderMessage } from '../base/messages.ts';
import { compileCampaign } from '../campaigns/compile/compile-campaign.ts';
import { withExample } from '../campaigns/compile/example.ts';
import { line } from '../campaigns/compile/fill.ts';
import { readAttachments } from '../campaigns/content/attachments.ts';
import { inlineImagesForTest } from '../campaigns/content/pictures/inline-images.ts';
import type { Compiled, Recipient } from '../campaigns/markup/compiled.ts';
import { eventTag, type Json } from '../campaigns/markup/data.ts';
import { type Queries, sql } from '../db/connect.ts';
import { prepare } from '../delivery/message/render.ts';
import { signingOf } from '../delivery/message/signing.ts';
import type { Payload, TaskContext } from '../jobs/tasks.ts';
import { messageIdFrom, queueWhole } from '../messages/program-message.ts';
import { tokensOf } from '../tracking/token-secret.ts';

/** Queues test messages of a campaign. */
export async function sendTestMails({ app, log, job }: TaskContext, given: Payload<'sendTestMails'>): Promise<void> {
  const account = await accountById(app.db, given.account_id);
  const pictures = await inlineImagesForTest(app, log, { account: given.account_id, campaign: given.campaign_id });
  const variant = { no: given.variant };
  const compiled = account && (await compileCampaign(app.db, app, account, given.campaign_id, pictures, variant));
  if (!compiled) return;
  const message: Compiled = {
    ...compiled,
    subject: [given.reader ? '[Test run] ' : '[Test] ', ...compiled.subject],
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
  const attachments = await readAttachments(app.db, { account: given.account_id, campaign: given.campaign_id });
  const renderer = prepare(message, { images: pictures, attachments });
  await onBehalf(app, given.account_id, '', async (context) => {
    for (const [n, email] of given.emails.entries()) {
      const sample = given.reader
        ? await valuesOf(context.tx, given.account_id, given.reader)
        : await sampleContact(context.tx, given, email);
      const recipient: Recipient = { ...sample, email, emailType: given.send_type === 'plain' ? 'text' : 'html' };
      const messageId = messageIdFrom(compiled.fromEmail);
      // The links of a test work but count nothing: there is no recipient number 0.
      const tokens = tokensOf(app).tokens({
        account: given.account_id,
        campaign: given.campaign_id,
        seq: 0,
        contact: 0,
        lists: [sample.list],
      });
      const at = context.now;
      // The log has no values of a contact, who may ask to be erased.
      const logged = (pieces: Compiled['subject']) => line(message, pieces, { recipient: null, at });
      const mail = renderer.render({
        ...(recipient.data ? recipient : withExample(recipient, message)),
        tokens,
        messageId,
        at,
        utf8: !isAscii(Buffer.from(email)),
      });
      if ('refused' in mail) continue;
      await queueWhole(
        context,
        {
          purpose: 'test',
          job: job === undefined ? undefined : `${job} ${n}`,
          from: { name: logged(message.fromName), email: compiled.fromEmail },
          to: email,
        },
        { whole: mail.whole, messageId, subject: logged(message.subject) },
      );
    }
  });
}

/** Its values and its latest event of a name. Of a contact that is gone meanwhile there are none. */
async function valuesOf(
  db: Queries,
  account: number,
  { contact, list, event }: { contact: number; list: number; event: string },
): Promise<Pick<Recipient, 'values' | 'list' | 'data'>> {
  const row = await db.row<{ values: Record<string, string> }>(sql`
    select fields as values
    from subscription
    where account_id = ${account}
      and list_id = ${list}
      and contact_id = ${contact}`);
  const latest = event === '' ? undefined : await latestEvent(db, { account, contact, name: event });
  return { values: row?.values ?? {}, list, ...(latest && { data: { [eventTag]: latest.data as Json } }) };
}

/** The values a test shows: those of the contact with the address, else of the first subscribed one. */
async function sampleContact(
  db: Queries,
  of: { account_id: number; campaign_id: number; plain_values?: boolean | undefined },
  email: string,
): Promise<Recipient> {
  const row = await db.row<{ email: string; list: number; values: Record<string, string> }>(sql`
    select c.email, s.list_id as list, s.fields as values
    from campaign_list l
    join subscription s on s.account_id = l.account_id and s.list_id = l.list_id and s.status = 'subscribed'
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    where l.account_id = ${of.account_id}
      and l.campaign_id = ${of.campaign_id}
    order by (c.email_key = ${addressKey(email) ?? ''}) desc, l.position, s.signup_at, s.contact_id
    limit 1`);
  const list = await db.row<{ list: number }>(sql`
    select list_id as list from campaign_list where account_id = ${of.account_id} and campaign_id = ${of.campaign_id} order by position limit 1`);
  const values = of.plain_values ? {} : row?.values;
  return { email, emailType: 'html', values: values ?? {}, list: row?.list ?? list?.list ?? 0 };
}
