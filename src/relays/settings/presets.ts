// The settings of well-known services, for relays that are set up in the application: host, port, TLS and an initial rate.
// Text in {braces} in a host or user name is for the customer to fill in. Rates are those of a new customer; services raise
// them, so they can be changed. Services change their hosts and limits: their documentation decides.
import type { TlsPolicy } from '../../base/relay/relay.ts';

export type Preset = {
  name: string;
  title: string;
  host: string;
  port: number;
  tls: TlsPolicy;
  /** Messages a second; 0 without a limit of its own. */
  rate: number;
  connections: number;
  /** The user name that all customers have, or what it looks like. */
  username: string;
  /** Whether the service refuses mail from clients that have not signed in. */
  needsPassword: boolean;
  /** Where the user name and password come from, by key in src/locales/messages. */
  hint: `relay.hint_${string}`;
};

const submission = { port: 587, tls: 'require', rate: 0, connections: 10, needsPassword: true } as const;

export const presets = [
  {
    ...submission,
    name: 'ses',
    title: 'Amazon SES',
    host: 'email-smtp.{region}.amazonaws.com',
    rate: 14,
    username: '',
    hint: 'relay.hint_ses',
  },
  {
    ...submission,
    name: 'postmark',
    title: 'Postmark',
    host: 'smtp-broadcasts.postmarkapp.com',
    username: '',
    hint: 'relay.hint_postmark',
  },
  {
    ...submission,
    name: 'mailgun',
    title: 'Mailgun',
    host: 'smtp.mailgun.org',
    username: 'postmaster@{domain}',
    hint: 'relay.hint_mailgun',
  },
  {
    ...submission,
    name: 'sendgrid',
    title: 'SendGrid',
    host: 'smtp.sendgrid.net',
    username: 'apikey',
    hint: 'relay.hint_sendgrid',
  },
  {
    ...submission,
    name: 'brevo',
    title: 'Brevo',
    host: 'smtp-relay.brevo.com',
    username: '',
    hint: 'relay.hint_brevo',
  },
  {
    ...submission,
    name: 'mailjet',
    title: 'Mailjet',
    host: 'in-v3.mailjet.com',
    username: '',
    hint: 'relay.hint_mailjet',
  },
  {
    ...submission,
    name: 'resend',
    title: 'Resend',
    host: 'smtp.resend.com',
    rate: 2,
    connections: 2,
    username: 'resend',
    hint: 'relay.hint_resend',
  },
  {
    ...submission,
    name: 'sparkpost',
    title: 'SparkPost',
    host: 'smtp.sparkpostmail.com',
    username: 'SMTP_Injection',
    hint: 'relay.hint_sparkpost',
  },
  {
    name: 'postfix',
    title: 'Postfix',
    host: '{host}',
    port: 25,
    tls: 'opportunistic',
    rate: 0,
    connections: 20,
    username: '',
    needsPassword: false,
    hint: 'relay.hint_postfix',
  },
] as const satisfies Preset[];

export const presetNames = presets.map(({ name }) => name);

export const presetOf = (name: string): Preset | undefined => presets.find((preset) => preset.name === name);

/** Whether a place in it is still to be filled in. */
export const hasPlaceholder = (text: string): boolean => /\{\w*\}/.test(text);
