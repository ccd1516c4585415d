// Header fields that instruct a sending service: other recipients, another tenant, no tracking, a template. A relay belongs to
// the whole installation, so the messages of one account may not carry them: they would go past suppression, limits and the
// ledger. The program's own are added when it sends (src/delivery/message/notice-fields.ts).

/** By service, in lower case; `*` at the end stands for any further characters. Names that are common elsewhere are left out. */
export const controlHeaders: Readonly<Record<string, readonly string[]>> = {
  ses: ['x-ses-*'],
  postmark: ['x-pm-*'],
  mailgun: ['x-mailgun-*'],
  sendgrid: ['x-smtpapi', 'x-sg-*'],
  brevo: ['x-mailin-*', 'x-sib-*'],
  mailjet: ['x-mailjet-*', 'x-mj-*'],
  resend: ['resend-*', 'x-resend-*'],
  sparkpost: ['x-msys-*'],
  postrider: ['x-postrider-*'],
  mandrill: ['x-mc-*'],
  ahasend: ['ahasend-*'],
  'alibaba direct mail': ['x-alidm-*'],
  'azure communication services': ['x-ms-acsemail-*'],
  'campaign monitor': ['x-cmail-*'],
  'elastic email': ['x-elasticemail-*', 'postback', 'istransactional'],
  emailit: ['x-emailit-*'],
  exchange: ['x-ms-exchange-*'],
  greenarrow: ['x-greenarrow-*'],
  infobip: ['x-infobip-*'],
  kumomta: ['x-kumo*'],
  lettermint: ['x-lettermint-*', 'x-lm-*'],
  mailchannels: ['x-mailchannels-*', 'x-authuser'],
  maileroo: ['x-maileroo-*'],
  mailersend: ['x-mailersend-*'],
  mailpace: ['x-mailpace-*'],
  mailtrap: ['x-mt-*'],
  netcore: ['x-apiheader'],
  postal: ['x-postal-*'],
  powermta: ['x-virtual-mta', 'x-virtualmta'],
  sendmachine: ['x-sm-*'],
  sendpulse: ['x-sendpulse-*'],
  'smtp.com': ['x-smtpcom-*'],
  smtp2go: ['x-smtp2go-*'],
  socketlabs: ['x-xs*'],
  sweego: ['x-sweego-*'],
  unione: ['x-unione*', 'x-unisender*'],
  zeptomail: ['x-zepto*'],
};

const exact = new Set<string>();
const prefixes: string[] = [];
for (const name of Object.values(controlHeaders).flat())
  if (name.endsWith('*')) prefixes.push(name.slice(0, -1));
  else exact.add(name);

/** Whether a header field instructs a sending service, in any spelling. */
export function isControlHeader(given: string): boolean {
  const name = given.trim().toLowerCase();
  return exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
