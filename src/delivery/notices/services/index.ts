// THE list of services whose notices are understood.
import type { Service } from '../notice.ts';
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
} satisfies Record<string, Service>;

export type ServiceName = keyof typeof services;
export const serviceNames = Object.keys(services) as ServiceName[];
