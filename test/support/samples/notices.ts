// Requests of sending services about one message, in the shape of their documentation: five each of eight services. Each
// names the message in one of the ways of its service. `sign` makes a request genuine, as the service does.
import { createHmac, type KeyObject, randomUUID, sign } from 'node:crypto';

/** What names the message. */
export type About = {
  email: string;
  /** X-Postrider-ID. */
  token: string;
  /** In angle brackets. */
  messageId: string;
  /** What the relay replied to the dot, for services that name a message by it. */
  serviceId: string;
};

export type Sample = {
  service: string;
  name: string;
  kind: 'bounce' | 'complaint' | 'unsubscribe' | 'nothing';
  /** Of a bounce. */
  class?: 'hard' | 'soft' | 'blocked' | 'temporary' | 'generic';
  body: (about: About) => unknown;
};

const at = '2026-11-20T08:15:30.000Z';
const epoch = Math.floor(Date.parse(at) / 1_000);

export const sesMail = (about: About, headers: boolean, tags = false) => ({
  timestamp: at,
  source: 'news@sender.example',
  sourceArn: 'arn:aws:ses:eu-west-1:123456789012:identity/sender.example',
  sendingAccountId: '123456789012',
  messageId: about.serviceId,
  destination: [about.email],
  ...(headers
    ? {
        headersTruncated: false,
        headers: [
          { name: 'From', value: 'News <news@sender.example>' },
          { name: 'Message-ID', value: about.messageId },
          { name: 'X-Postrider-ID', value: about.token },
        ],
        commonHeaders: { from: ['News <news@sender.example>'], to: [about.email], messageId: about.messageId },
      }
    : {}),
  ...(tags ? { tags: { 'ses:configuration-set': ['main'], postrider: [about.token] } } : {}),
});

export const sesBounce = (about: About, type: string, subType: string, status: string, diagnosticCode: string) => ({
  bounceType: type,
  bounceSubType: subType,
  bouncedRecipients: [{ emailAddress: about.email, action: 'failed', status, diagnosticCode }],
  timestamp: at,
  feedbackId: '0102018f-aaaa-bbbb-cccc-000000000001-000000',
  reportingMTA: 'dns; a7-12.smtp-out.eu-west-1.amazonses.com',
});

const ses: Sample[] = [
  {
    service: 'ses',
    name: 'notification of a permanent bounce without headers',
    kind: 'bounce',
    class: 'hard',
    body: (about) => ({
      notificationType: 'Bounce',
      bounce: sesBounce(about, 'Permanent', 'General', '5.1.1', 'smtp; 550 5.1.1 user unknown'),
      mail: sesMail(about, false),
    }),
  },
  {
    service: 'ses',
    name: 'event of a full mailbox, with headers',
    kind: 'bounce',
    class: 'soft',
    body: (about) => ({
      eventType: 'Bounce',
      bounce: sesBounce(about, 'Transient', 'MailboxFull', '5.2.2', 'smtp; 552 5.2.2 Mailbox full'),
      mail: sesMail(about, true),
    }),
  },
  {
    service: 'ses',
    name: 'event of a message that is too large, called permanent, with tags only',
    kind: 'bounce',
    class: 'soft',
    body: (about) => ({
      eventType: 'Bounce',
      bounce: sesBounce(
        about,
        'Permanent',
        'General',
        '5.3.4',
        'smtp; 552 5.3.4 Message size exceeds fixed maximum message size',
      ),
      mail: sesMail(about, false, true),
    }),
  },
  {
    service: 'ses',
    name: 'notification of a complaint',
    kind: 'complaint',
    body: (about) => ({
      notificationType: 'Complaint',
      complaint: {
        complaintSubType: null,
        complainedRecipients: [{ emailAddress: about.email }],
        timestamp: at,
        feedbackId: '0102018f-aaaa-bbbb-cccc-000000000002-000000',
        userAgent: 'Amazon SES Mailbox Simulator',
        complaintFeedbackType: 'abuse',
        arrivalDate: at,
      },
      mail: sesMail(about, false),
    }),
  },
  {
    service: 'ses',
    name: 'event of a delivery that is delayed',
    kind: 'nothing',
    body: (about) => ({
      eventType: 'DeliveryDelay',
      deliveryDelay: {
        timestamp: at,
        delayType: 'TransientCommunicationFailure',
        expirationTime: at,
        delayedRecipients: [
          { emailAddress: about.email, status: '4.4.1', diagnosticCode: 'smtp; 421 4.4.1 Unable to connect' },
        ],
      },
      mail: sesMail(about, true),
    }),
  },
];

const sendGridEvent = (about: About, members: object) => [
  {
    email: about.email,
    timestamp: epoch,
    'smtp-id': about.messageId,
    category: ['newsletter'],
    sg_event_id: randomUUID(),
    sg_message_id: `${about.serviceId}.recvd-5f5d9c5b8d-abcde-1-65A1B2C3-1.0`,
    ...members,
  },
];

const sendgrid: Sample[] = [
  {
    service: 'sendgrid',
    name: 'bounce of an unknown user',
    kind: 'bounce',
    class: 'hard',
    body: (about) =>
      sendGridEvent(about, {
        event: 'bounce',
        type: 'bounce',
        bounce_classification: 'Invalid Address',
        reason: '550 5.1.1 The email account that you tried to reach does not exist.',
        status: '5.1.1',
        ip: '168.1.1.1',
        tls: 1,
      }),
  },
  {
    service: 'sendgrid',
    name: 'blocked for the reputation of an address',
    kind: 'bounce',
    class: 'blocked',
    body: (about) =>
      sendGridEvent(about, {
        event: 'bounce',
        type: 'blocked',
        bounce_classification: 'Reputation',
        reason: '550 5.7.1 Service unavailable; client host [168.1.1.1] blocked using Spamhaus',
        status: '5.7.1',
      }),
  },
  {
    service: 'sendgrid',
    name: 'dropped because the address bounced before, named by its unique argument',
    kind: 'bounce',
    class: 'hard',
    body: (about) =>
      sendGridEvent(
        { ...about, messageId: '' },
        { event: 'dropped', reason: 'Bounced Address', status: '5.0.0', postrider: about.token },
      ),
  },
  {
    service: 'sendgrid',
    name: 'spam report, among an open and a deferral',
    kind: 'complaint',
    body: (about) => [
      ...sendGridEvent(about, { event: 'open', useragent: 'Mozilla/5.0', ip: '255.255.255.255' }),
      ...sendGridEvent(about, { event: 'deferred', response: '450 4.2.0 try again later', attempt: '5' }),
      ...sendGridEvent(about, { event: 'spamreport' }),
    ],
  },
  {
    service: 'sendgrid',
    name: 'unsubscribe from a group',
    kind: 'unsubscribe',
    body: (about) => sendGridEvent(about, { event: 'group_unsubscribe', asm_group_id: 10, useragent: 'Mozilla/5.0' }),
  },
];

const postmarkBounce = (about: About, type: string, code: number, details: string, metadata = true) => ({
  RecordType: 'Bounce',
  MessageStream: 'broadcast',
  ID: 4323372036854,
  Type: type,
  TypeCode: code,
  Name: type.replace(/([a-z])([A-Z])/g, '$1 $2'),
  Tag: '',
  MessageID: about.serviceId,
  ...(metadata ? { Metadata: { postrider: about.token } } : { Metadata: {} }),
  ServerID: 23,
  Description: 'The server was unable to deliver your message.',
  Details: details,
  Email: about.email,
  From: 'news@sender.example',
  BouncedAt: at,
  DumpAvailable: true,
  Inactive: type === 'HardBounce',
  CanActivate: true,
  Subject: 'News',
});

const postmark: Sample[] = [
  {
    service: 'postmark',
    name: 'hard bounce',
    kind: 'bounce',
    class: 'hard',
    body: (about) => postmarkBounce(about, 'HardBounce', 1, "smtp;550 5.1.1 <reader> User doesn't exist"),
  },
  {
    service: 'postmark',
    name: 'soft bounce, named by the id of the reply',
    kind: 'bounce',
    class: 'soft',
    body: (about) => postmarkBounce(about, 'SoftBounce', 4096, 'smtp;552 5.2.2 mailbox is over quota', false),
  },
  {
    service: 'postmark',
    name: 'spam complaint',
    kind: 'complaint',
    body: (about) => ({ ...postmarkBounce(about, 'SpamComplaint', 100001, ''), RecordType: 'SpamComplaint' }),
  },
  {
    service: 'postmark',
    name: 'subscription change by the recipient',
    kind: 'unsubscribe',
    body: (about) => ({
      RecordType: 'SubscriptionChange',
      MessageID: about.serviceId,
      ServerID: 23,
      MessageStream: 'broadcast',
      ChangedAt: at,
      Recipient: about.email,
      Origin: 'Recipient',
      SuppressSending: true,
      SuppressionReason: 'ManualSuppression',
      Tag: '',
      Metadata: { postrider: about.token },
    }),
  },
  {
    service: 'postmark',
    name: 'transient failure, which is attempted again',
    kind: 'nothing',
    body: (about) => postmarkBounce(about, 'Transient', 2, 'smtp;451 4.7.1 Greylisted, try again later'),
  },
];

const mailgunEvent = (about: About, event: object) => ({
  'event-data': {
    id: 'G9Bn5sl1TC6nu79C8C0bwg',
    timestamp: epoch + 0.5,
    'log-level': 'error',
    recipient: about.email,
    'recipient-domain': about.email.split('@')[1],
    tags: [],
    campaigns: [],
    'user-variables': {},
    flags: { 'is-routed': false, 'is-authenticated': true, 'is-system-test': false, 'is-test-mode': false },
    message: {
      headers: {
        to: about.email,
        'message-id': about.messageId.replace(/[<>]/g, ''),
        from: 'News <news@sender.example>',
        subject: 'News',
      },
      attachments: [],
      size: 4_711,
    },
    ...event,
  },
});

const mailgun: Sample[] = [
  {
    service: 'mailgun',
    name: 'permanent failure of an unknown user',
    kind: 'bounce',
    class: 'hard',
    body: (about) =>
      mailgunEvent(about, {
        event: 'failed',
        severity: 'permanent',
        reason: 'bounce',
        'delivery-status': {
          'attempt-no': 1,
          message:
            "5.1.1 The email account that you tried to reach does not exist. Please try double-checking the recipient's address",
          code: 550,
          'enhanced-code': '5.1.1',
          description: '',
          'session-seconds': 0.43,
          'bounce-type': 'hard',
        },
      }),
  },
  {
    service: 'mailgun',
    name: 'failure after hours of attempts',
    kind: 'bounce',
    class: 'temporary',
    body: (about) =>
      mailgunEvent(about, {
        event: 'failed',
        severity: 'permanent',
        reason: 'old',
        'delivery-status': { 'attempt-no': 9, message: '', code: 602, description: 'Too old', 'session-seconds': 0 },
      }),
  },
  {
    service: 'mailgun',
    name: 'suppressed because of an earlier bounce',
    kind: 'bounce',
    class: 'hard',
    body: (about) =>
      mailgunEvent(about, {
        event: 'failed',
        severity: 'permanent',
        reason: 'suppress-bounce',
        'delivery-status': {
          'attempt-no': 1,
          message: '',
          code: 605,
          description: 'Not delivering to previously bounced address',
        },
      }),
  },
  {
    service: 'mailgun',
    name: 'complaint',
    kind: 'complaint',
    body: (about) => mailgunEvent(about, { event: 'complained', 'log-level': 'warn' }),
  },
  {
    service: 'mailgun',
    name: 'temporary failure',
    kind: 'nothing',
    body: (about) =>
      mailgunEvent(about, {
        event: 'failed',
        severity: 'temporary',
        reason: 'generic',
        'delivery-status': { 'attempt-no': 1, message: '4.2.2 mailbox full', code: 452, 'retry-seconds': 600 },
      }),
  },
];

const brevoEvent = (about: About, event: string, members: object = {}) => ({
  event,
  email: about.email,
  id: 26224,
  date: '2026-11-20 09:15:30',
  ts: epoch,
  'message-id': about.messageId,
  ts_event: epoch,
  subject: 'News',
  sending_ip: '185.41.28.109',
  ts_epoch: epoch * 1_000,
  tags: ['newsletter'],
  ...members,
});

const brevo: Sample[] = [
  {
    service: 'brevo',
    name: 'hard bounce',
    kind: 'bounce',
    class: 'hard',
    body: (about) => brevoEvent(about, 'hard_bounce', { reason: '550 5.1.1 unknown user' }),
  },
  {
    service: 'brevo',
    name: 'soft bounce, named by X-Mailin-custom',
    kind: 'bounce',
    class: 'soft',
    body: (about) =>
      brevoEvent({ ...about, messageId: '<202611200915.12345678901@smtp-relay.mailin.fr>' }, 'soft_bounce', {
        reason: '452 4.2.2 The email account that you tried to reach is over quota',
        'X-Mailin-custom': about.token,
      }),
  },
  {
    service: 'brevo',
    name: 'invalid address',
    kind: 'bounce',
    class: 'hard',
    body: (about) => brevoEvent(about, 'invalid_email', { reason: '' }),
  },
  { service: 'brevo', name: 'complaint', kind: 'complaint', body: (about) => brevoEvent(about, 'spam') },
  { service: 'brevo', name: 'unsubscribe', kind: 'unsubscribe', body: (about) => brevoEvent(about, 'unsubscribed') },
];

const mailjetEvent = (about: About, event: string, members: object = {}) => ({
  event,
  time: epoch,
  MessageID: 19421777835146490,
  Message_GUID: about.serviceId,
  email: about.email,
  mj_campaign_id: 7257,
  mj_contact_id: 4,
  customcampaign: '',
  CustomID: about.token,
  Payload: '',
  ...members,
});

const mailjet: Sample[] = [
  {
    service: 'mailjet',
    name: 'hard bounce in a group with an open',
    kind: 'bounce',
    class: 'hard',
    body: (about) => [
      mailjetEvent(about, 'open', { ip: '127.0.0.1', geo: 'EU', agent: 'Mozilla/5.0' }),
      mailjetEvent(about, 'bounce', {
        blocked: false,
        hard_bounce: true,
        error_related_to: 'recipient',
        error: 'user unknown',
        comment:
          'Host or domain name not found. Name service error for name=lbjsnrftlsiuvbsren.com type=A: Host not found',
      }),
    ],
  },
  {
    service: 'mailjet',
    name: 'full mailbox, named by the id of the reply',
    kind: 'bounce',
    class: 'soft',
    body: (about) =>
      mailjetEvent({ ...about, token: '' }, 'bounce', {
        blocked: false,
        hard_bounce: false,
        error_related_to: 'recipient',
        error: 'quota exceeded',
        comment: '',
      }),
  },
  {
    service: 'mailjet',
    name: 'not sent, because the address is on a list of Mailjet',
    kind: 'bounce',
    class: 'blocked',
    body: (about) => mailjetEvent(about, 'blocked', { error_related_to: 'mailjet', error: 'preblocked' }),
  },
  {
    service: 'mailjet',
    name: 'complaint',
    kind: 'complaint',
    body: (about) => mailjetEvent(about, 'spam', { source: 'JMRPP' }),
  },
  {
    service: 'mailjet',
    name: 'unsubscribe',
    kind: 'unsubscribe',
    body: (about) => mailjetEvent(about, 'unsub', { mj_list_id: 1, ip: '127.0.0.1', geo: 'FR', agent: 'Mozilla/5.0' }),
  },
];

const resendEvent = (about: About, type: string, members: object = {}, headers = false) => ({
  type,
  created_at: at,
  data: {
    created_at: at,
    email_id: about.serviceId,
    from: 'News <news@sender.example>',
    to: [about.email],
    subject: 'News',
    ...(headers ? { headers: [{ name: 'X-Postrider-ID', value: about.token }] } : {}),
    ...members,
  },
});

const resend: Sample[] = [
  {
    service: 'resend',
    name: 'permanent bounce, named by the id of the reply',
    kind: 'bounce',
    class: 'hard',
    body: (about) =>
      resendEvent(about, 'email.bounced', {
        bounce: {
          message:
            "The recipient's email address is on the suppression list because it has a recent history of producing hard bounces.",
          subType: 'Suppressed',
          type: 'Permanent',
        },
      }),
  },
  {
    service: 'resend',
    name: 'full mailbox, with headers',
    kind: 'bounce',
    class: 'soft',
    body: (about) =>
      resendEvent(
        about,
        'email.bounced',
        { bounce: { message: "The recipient's inbox is full.", subType: 'MailboxFull', type: 'Transient' } },
        true,
      ),
  },
  {
    service: 'resend',
    name: 'content rejected, named by the Message-ID',
    kind: 'bounce',
    class: 'blocked',
    body: (about) =>
      resendEvent(about, 'email.bounced', {
        message_id: about.messageId,
        bounce: {
          message: 'The recipient rejected the content of the message.',
          subType: 'ContentRejected',
          type: 'Transient',
        },
      }),
  },
  { service: 'resend', name: 'complaint', kind: 'complaint', body: (about) => resendEvent(about, 'email.complained') },
  {
    service: 'resend',
    name: 'delayed delivery',
    kind: 'nothing',
    body: (about) => resendEvent(about, 'email.delivery_delayed'),
  },
];

const sparkPostEvent = (about: About, family: string, members: object) => [
  {
    msys: {
      [family]: {
        event_id: '92356927693813856',
        message_id: about.serviceId,
        transmission_id: '65832150921904138',
        rcpt_to: about.email,
        raw_rcpt_to: about.email,
        rcpt_meta: { postrider: about.token },
        friendly_from: 'news@sender.example',
        subject: 'News',
        timestamp: String(epoch),
        ...members,
      },
    },
  },
];

const sparkpost: Sample[] = [
  {
    service: 'sparkpost',
    name: 'bounce of an invalid recipient, in a batch with an injection and a ping',
    kind: 'bounce',
    class: 'hard',
    body: (about) => [
      { msys: {} },
      ...sparkPostEvent(about, 'message_event', { type: 'injection', msg_size: '1337' }),
      ...sparkPostEvent(about, 'message_event', {
        type: 'bounce',
        bounce_class: '10',
        error_code: '550',
        raw_reason: '550 5.1.1 unknown or illegal alias',
        reason: '550 5.1.1 ...',
      }),
    ],
  },
  {
    service: 'sparkpost',
    name: 'bounce out of band of a full mailbox, named by the id of the reply',
    kind: 'bounce',
    class: 'soft',
    body: (about) =>
      sparkPostEvent(about, 'message_event', {
        type: 'out_of_band',
        bounce_class: '22',
        error_code: '552',
        raw_reason: '552 5.2.2 mailbox is full',
        rcpt_meta: {},
      }),
  },
  {
    service: 'sparkpost',
    name: 'rejection by policy',
    kind: 'bounce',
    class: 'blocked',
    body: (about) =>
      sparkPostEvent(about, 'message_event', {
        type: 'policy_rejection',
        bounce_class: '25',
        error_code: '550',
        raw_reason: '550 - [internal] recipient address suppressed due to customer policy',
      }),
  },
  {
    service: 'sparkpost',
    name: 'spam complaint',
    kind: 'complaint',
    body: (about) =>
      sparkPostEvent(about, 'message_event', {
        type: 'spam_complaint',
        fbtype: 'abuse',
        report_by: 'server.email.example',
      }),
  },
  {
    service: 'sparkpost',
    name: 'unsubscribe by the header of the message',
    kind: 'unsubscribe',
    body: (about) =>
      sparkPostEvent(about, 'unsubscribe_event', { type: 'list_unsubscribe', mailfrom: 'news@sender.example' }),
  },
];

export const serviceSamples: readonly Sample[] = [
  ...ses,
  ...sendgrid,
  ...postmark,
  ...mailgun,
  ...brevo,
  ...mailjet,
  ...resend,
  ...sparkpost,
];

export type Posted = { headers: Record<string, string>; body: string };

const json = (body: unknown): Posted => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

export function signedBySendGrid(body: unknown, key: KeyObject): Posted {
  const posted = json(body);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = sign('sha256', Buffer.from(timestamp + posted.body), key).toString('base64');
  posted.headers['x-twilio-email-event-webhook-timestamp'] = timestamp;
  posted.headers['x-twilio-email-event-webhook-signature'] = signature;
  return posted;
}

export function signedByMailgun(body: object, key: string): Posted {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const token = randomUUID().replaceAll('-', '');
  const signature = createHmac('sha256', key)
    .update(timestamp + token)
    .digest('hex');
  return json({ signature: { timestamp, token, signature }, ...body });
}

export function signedByResend(body: unknown, secret: string, now = Date.now()): Posted {
  const posted = json(body);
  const id = `msg_${randomUUID()}`;
  const timestamp = String(Math.floor(now / 1_000));
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${posted.body}`).digest('base64');
  Object.assign(posted.headers, { 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': `v1,${signature}` });
  return posted;
}

/** A message of SNS, signed with the key of a certificate. */
export function signedBySns(
  given: { type?: string; message: string; topic: string; certUrl: string; subscribeUrl?: string },
  key: KeyObject,
): Posted {
  const type = given.type ?? 'Notification';
  const fields: Record<string, string> = {
    Type: type,
    MessageId: randomUUID(),
    TopicArn: given.topic,
    Message: given.message,
    Timestamp: new Date().toISOString(),
    ...(given.subscribeUrl ? { Token: 'a'.repeat(64), SubscribeURL: given.subscribeUrl } : {}),
  };
  const text = Object.keys(fields)
    .sort()
    .map((name) => `${name}\n${fields[name]}\n`)
    .join('');
  const signature = sign('sha256', Buffer.from(text), key).toString('base64');
  return {
    headers: { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': type },
    body: JSON.stringify({ ...fields, SignatureVersion: '2', Signature: signature, SigningCertURL: given.certUrl }),
  };
}

export const unsigned = json;
