// Mailgun: signed webhooks of permanent failures, complaints and unsubscribes. It keeps the Message-ID.
// https://documentation.mailgun.com/docs/mailgun/user-manual/events/events
import type { BounceClass } from '../../../relays/verdict/rules.ts';
import { classOf, noticeOf, objectOf, type Service, type ServiceNotice, textAt } from '../../parse/notice.ts';
import { mailgunProblem } from '../signatures.ts';

export const mailgun: Service = {
  signs: true,
  read(_app, { body, key }) {
    const request = objectOf(body);
    if (!request.ok) return request;
    const problem = mailgunProblem(
      {
        timestamp: textAt(request.value, 'signature', 'timestamp'),
        token: textAt(request.value, 'signature', 'token'),
        signature: textAt(request.value, 'signature', 'signature'),
        body,
        key,
      },
      new Date(),
    );
    if (problem !== null) return { ok: false, why: problem };
    return { ok: true, notices: noticesOf(request.value['event-data']) };
  },
};

function noticesOf(event: unknown): ServiceNotice[] {
  const about = {
    email: textAt(event, 'recipient'),
    token: textAt(event, 'user-variables', 'postrider'),
    messageId: textAt(event, 'message', 'headers', 'message-id'),
  };
  switch (textAt(event, 'event')) {
    case 'failed':
      // A temporary failure is attempted again.
      return textAt(event, 'severity') === 'permanent' ? failed(event, about) : [];
    case 'complained':
      return [noticeOf({ ...about, kind: 'complaint', class: 'abuse' })];
    case 'unsubscribed':
      return [noticeOf({ ...about, kind: 'unsubscribe' })];
    default:
      return [];
  }
}

function failed(event: unknown, about: { email: string; token: string; messageId: string }): ServiceNotice[] {
  const reason = textAt(event, 'reason');
  if (reason === 'suppress-unsubscribe') return [noticeOf({ ...about, kind: 'unsubscribe' })];
  if (reason === 'suppress-complaint') return [noticeOf({ ...about, kind: 'complaint', class: 'abuse' })];
  const words = textAt(event, 'delivery-status', 'message') || textAt(event, 'delivery-status', 'description');
  const code = Number(textAt(event, 'delivery-status', 'code'));
  const reply = code >= 400 && code < 600 && !/^\s*[45]\d\d/.test(words) ? `${code} ${words}` : words;
  const status = textAt(event, 'delivery-status', 'enhanced-code');
  const found =
    reason === 'suppress-bounce'
      ? 'hard'
      : classOf(hintOf(reason, textAt(event, 'delivery-status', 'bounce-type')), reply, status);
  return [noticeOf({ ...about, kind: 'bounce', class: found, reply })];
}

function hintOf(reason: string, type: string): BounceClass {
  // Attempted for hours without success.
  if (reason === 'old') return 'temporary';
  if (reason === 'espblock') return 'blocked';
  if (type === 'soft') return 'soft';
  return reason === 'bounce' || type === 'hard' ? 'hard' : 'generic';
}
