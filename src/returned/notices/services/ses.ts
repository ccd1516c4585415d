// Amazon SES by HTTPS: verifies that SNS signed a request and that it comes from the topic of the source. SES replaces the
// Message-ID, so a notice is matched by our header where headers are included, else by the id in the reply to the dot.
// Reading and classifying reports is left to bounces/ses.ts, which reads those that arrive as mail, too.
import type { App } from '../../../base/context.ts';
import {
  type Arrived,
  noticeOf,
  objectOf,
  type Reading,
  type Service,
  type ServiceNotice,
  textAt,
} from '../../parse/notice.ts';
import { readSesReport } from '../../parse/ses.ts';
import { confirmSubscription, snsProblem } from '../sns.ts';

export const ses: Service = {
  signs: false,
  read,
};

async function read(app: App, { body, topic }: Arrived): Promise<Reading> {
  const parsed = objectOf(body);
  if (!parsed.ok) return parsed;
  const message = parsed.value;
  const problem = await snsProblem(app, message);
  if (problem !== null) return { ok: false, why: problem };
  const named = textAt(message, 'TopicArn');
  if (topic !== '' && named !== topic) return { ok: false, why: 'it comes from another topic than the first message' };
  if (textAt(message, 'Type') === 'SubscriptionConfirmation') {
    const failed = await confirmSubscription(app, message);
    return failed === null ? { ok: true, notices: [], topic: named } : { ok: false, why: failed };
  }
  if (textAt(message, 'Type') !== 'Notification')
    return { ok: true, notices: [], problem: 'the subscription was ended' };
  // A text such as "Successfully validated SNS topic for Amazon SES event publishing."
  const event = objectOf(Buffer.from(textAt(message, 'Message')));
  return { ok: true, notices: event.ok ? noticesOf(event.value) : [], topic: named };
}

function noticesOf(event: unknown): ServiceNotice[] {
  const report = readSesReport(event);
  if (!report) return [];
  const { token, messageId, serviceId } = report;
  const about = { token, messageId, serviceId };
  if (report.kind === 'bounce') {
    return report.recipients.map((recipient) =>
      noticeOf({
        ...about,
        kind: 'bounce',
        email: recipient.finalRecipient,
        class: recipient.class ?? 'generic',
        reply: recipient.diagnostic,
      }),
    );
  }
  const feedbackType = report.kind === 'complaint' ? report.feedbackType : '';
  return report.recipients.map((email) => noticeOf({ ...about, kind: report.kind, email, class: feedbackType }));
}
