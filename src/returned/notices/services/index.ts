// How the requests of each service are verified and read.
import type { ServiceName } from '../../../delivery/message/notice-fields.ts';
import type { Service } from '../../parse/notice.ts';
import { brevo } from './brevo.ts';
import { generic } from './generic.ts';
import { mailgun } from './mailgun.ts';
import { mailjet } from './mailjet.ts';
import { postmark } from './postmark.ts';
import { resend } from './resend.ts';
import { sendgrid } from './sendgrid.ts';
import { ses } from './ses.ts';
import { sparkpost } from './sparkpost.ts';

export const services = {
  ses,
  sendgrid,
  postmark,
  mailgun,
  brevo,
  mailjet,
  resend,
  sparkpost,
  generic,
} satisfies Record<ServiceName, Service>;
