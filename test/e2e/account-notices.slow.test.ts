// Every kind of email that the program sends to the people of an account, in each language of the application: caused by a real
// use of the program, sent over SMTP, and read as the owner gets it. A new kind must be added to the table.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { makeLinkToken } from '../../src/accounts/access/sign-in-link.ts';
import { type Invitation, joinAccount } from '../../src/accounts/people/invitation.ts';
import { addMember, createUser } from '../../src/accounts/people/user.ts';
import { codeOf, stepAt } from '../../src/accounts/sign-in/totp.ts';
import { openedToken } from '../../src/audience/signup/form.ts';
import { formLimits } from '../../src/audience/signup/sign-up.ts';
import { pauseUnfit } from '../../src/automations/run/pause-unfit.ts';
import { message } from '../../src/base/messages.ts';
import { sql } from '../../src/db/connect.ts';
import { formatId, parseId } from '../../src/db/ids.ts';
import { states } from '../../src/db/states.ts';
import { decideHeldRecipients } from '../../src/delivery/control/held-recipients.ts';
import { launch } from '../../src/delivery/launch/launch.ts';
import { askAboutRun } from '../../src/delivery/outcomes/refused.ts';
import { emit } from '../../src/events/emit.ts';
import { languages } from '../../src/locales/languages.ts';
import { messages } from '../../src/locales/messages/index.ts';
import { sendUnsubscribeNotice } from '../../src/mail/list-mail.ts';
import { sendAccountNotice } from '../../src/mail/send-account-notice.ts';
import { sendInvitation, sendSignInLink } from '../../src/mail/sign-in-mail.ts';
import { runDue } from '../../src/recurring/issue/due.ts';
import { passOn } from '../../src/returned/record/operator-mail.ts';
import { checkSenderDomains } from '../../src/senders/domains/watch.ts';
import { type Dispatcher, startDispatcher } from '../../src/webhooks/dispatch.ts';
import { Browser } from '../support/browser/session.ts';
import { Authenticator } from '../support/builders/authenticator.ts';
import { aCampaign, listOf } from '../support/builders/campaigns.ts';
import { madeUpEvent } from '../support/builders/events.ts';
import { type SendingApp, sendingApp } from '../support/installation/sending-app.ts';
import { type DnsStub, startDnsStub } from '../support/network/dns-stub.ts';
import {
  clientSecret,
  type IdentityProvider,
  signInAt,
  startIdentityProvider,
} from '../support/network/identity-provider.ts';
import { until } from '../support/run/until.ts';
import { item, rss } from '../support/samples/feeds/sample.ts';

const password = 'correct horse battery';
let t: SendingApp;
let dns: DnsStub;
let provider: IdentityProvider;
let site: Server;
let siteUrl: string;
let dispatcher: Dispatcher;
let owner: Browser;
/** What the site of the feeds and webhooks answers. */
let answer: { status: number; body: string } = { status: 200, body: '' };

before(async () => {
  dns = await startDnsStub();
  provider = await startIdentityProvider();
  site = createServer((request, response) => {
    request.resume();
    response.writeHead(answer.status, { 'content-type': 'application/rss+xml' }).end(answer.body);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  t = await sendingApp({
    settings: {
      OUTBOUND_ALLOW: '127.0.0.0/8',
      DNS_SERVERS: dns.server,
      BOUNCE_DOMAIN: 'back.example',
      SEAL_KEY: 'a secret of this test alone',
      OIDC_PROVIDERS: JSON.stringify([
        { id: 'company', label: 'Acme', issuer: provider.issuer, client_id: 'postrider', client_secret: clientSecret },
      ]),
    },
    handlers: { sendAccountNotice, sendSignInLink, sendInvitation },
  });
  const base = (await t.listen()).replace('127.0.0.1', 'localhost');
  t.app.baseUrl = base;
  provider.open(base);
  dispatcher = startDispatcher(t.app, { gatherMs: 5, pollMs: 50 });
  owner = new Browser(base);
  const { id } = await createUser(t.app.db, { email: 'people@example.net', password });
  await addMember(t.app.db, t.account.id, id, 'owner');
  assert.equal((await owner.signIn('people@example.net', password)).status, 200);
});
after(async () => {
  await dispatcher?.stop();
  t.app.outbound.close();
  await t.close();
  site.closeAllConnections();
  site.close();
  await provider.close();
  await dns.close();
});

const account = () => t.account.id;
let count = 0;
/** A name that is no word of any language. */
const aName = () => `Zq${++count}x`;
const person = async <T = unknown>(method: string, params: Record<string, unknown> = {}): Promise<T> => {
  const { status, body } = await owner.call<T>(method, params);
  assert.equal(status, 200, `${method}: ${JSON.stringify(body)}`);
  return body;
};

async function aCampaignOf(title: string, status: string): Promise<number> {
  const cid = parseId(await aCampaign(t, { to: [`${title}@reader.example`], title }));
  await t.app.db.run(sql`update campaign set status = ${status}, send_at = now() where id = ${cid}`);
  return cid;
}

async function aRecurring(title: string, more: Record<string, unknown> = {}): Promise<number> {
  const list = await listOf(t, [`${title}@reader.example`]);
  const id = await t.call<string>('recurringCreate', {
    title,
    list,
    schedule: { type: 'daily', time: '09:00' },
    time_zone: 'UTC',
    source_url: `${siteUrl}/${title}`,
    ...more,
  });
  await t.call('recurringResume', { id });
  await t.app.db.run(sql`
    update recurring
    set next_at = '2027-03-01T09:00:00Z'::timestamptz, try_at = '2027-03-01T09:00:00Z'::timestamptz
    where id = ${parseId(id)}`);
  return parseId(id);
}
const runIssue = (recurring: number, clock: string) =>
  runDue(t.app, { account: account(), recurring }, new Date(clock));
const feedWith = (...titles: string[]) =>
  rss(titles.map((title) => item(`<title>${title}</title><link>https://site.example/${title}</link>`)).join(''));

/** A domain whose DKIM records are published, and which is active. */
async function activeDomain(domain: string) {
  const { records } = await t.call<{ records: { purpose: string; name: string; value: string }[] }>(
    'senderDomainCreate',
    {
      domain,
    },
  );
  const dkim = records.filter(({ purpose }) => purpose === 'dkim');
  for (const { name, value } of dkim) dns.set(name, { TXT: [value] });
  const { status } = await t.call<{ status: string }>('senderDomainCheck', { domain });
  assert.equal(status, 'active');
  return dkim;
}
async function watch(domain: string): Promise<void> {
  await t.app.db.run(sql`
    update sender_domain
    set checked_at = case when domain = ${domain} then now() - interval '1 day' else now() end`);
  await checkSenderDomains(t.context);
}

async function webhookOff(title: string, status: number): Promise<void> {
  answer = { status, body: '' };
  const wid = await t.call<string>('webhookCreate', { title, options: { url: `${siteUrl}/${title}` } });
  await t.app.db.run(sql`update webhook set failing_since = now() - interval '121 hours' where id = ${parseId(wid)}`);
  await t.app.db.transaction((tx) => emit(tx, account(), [madeUpEvent('contact.subscribe', {})]));
  await until('the webhook is off', async () => {
    const hooks = await t.call<{ id: string; status: string }[]>('webhooks');
    return hooks.find(({ id }) => id === wid)?.status === 'off';
  });
  await t.call('webhookDelete', { wid });
}

async function aMember(role: 'owner' | 'editor' | 'viewer'): Promise<{ id: string; email: string }> {
  const email = `${aName()}@users.example`;
  const { id } = await createUser(t.app.db, { email, password });
  await addMember(t.app.db, account(), id, role);
  const users = await t.call<{ id: string; email: string }[]>('users');
  return users.find((user) => user.email === email)!;
}

/** @returns the path of the form of a list */
async function formOf(title: string): Promise<string> {
  const id = await t.call<string>('listCreate', { title });
  return new URL((await t.call<{ url: string }>('listForm', { id })).url).pathname;
}

const own = 'people@example.net';
/** What one kind leaves to the next. */
let recovery = '';
const passkey = { id: '', name: '' };
const codeNow = (secret: string) => {
  let bits = 0n;
  for (const sign of secret) bits = bits * 32n + BigInt('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(sign));
  return codeOf(Buffer.from(bits.toString(16).padStart(40, '0'), 'hex'), stepAt(Date.now()));
};

type Kind = {
  /** The key of the message that is its subject, or of the change it is about. */
  key: string;
  /** Causes it. @returns the values of its subject */
  cause(language: string): Promise<Record<string, string>>;
  subject: { en: string; de: string };
  /** Further words of its text. */
  says?: { en: RegExp; de: RegExp };
};
const ofAccount = (en: string, de: string) => ({ en: `Test organisation: ${en}`, de: `Test organisation: ${de}` });

const kinds: Kind[] = [
  {
    key: 'account_notice.campaign_paused',
    async cause() {
      const title = aName();
      const campaign = await aCampaignOf(title, 'launching');
      await t.app.db.run(sql`update campaign set html = '' where id = ${campaign}`);
      await launch(t.app, { account: account(), campaign });
      return { title };
    },
    subject: { en: 'The campaign "{title}" was paused', de: 'Die Kampagne „{title}“ wurde angehalten' },
    says: { en: /could not be sent/, de: /ließ sich nicht senden/ },
  },
  {
    key: 'account_notice.held',
    async cause() {
      const title = aName();
      const campaign = await aCampaignOf(title, 'launching');
      await launch(t.app, { account: account(), campaign });
      await until('it is sent', async () => {
        const row = await t.app.db.row<{ status: string }>(sql`select status from campaign where id = ${campaign}`);
        return row!.status === 'sent';
      });
      // As if its relay had not answered.
      await t.app.db.run(sql`update delivery set state = ${states.unclear} where campaign_id = ${campaign}`);
      await t.app.db.run(sql`
        update tally set unclear = accepted, accepted = 0 where campaign_id = ${campaign}`);
      await t.app.db.run(sql`update campaign set status = 'paused', paused_from = 'sending' where id = ${campaign}`);
      await decideHeldRecipients(t.app.db);
      await t.app.db.run(sql`update held_recipient set since = since - interval '2 hours'`);
      await decideHeldRecipients(t.app.db);
      await t.app.db.run(sql`delete from held_recipient`);
      await t.call('campaignDelete', { cid: formatId(campaign) });
      return { title };
    },
    subject: {
      en: 'The campaign "{title}" waits for your decision',
      de: 'Die Kampagne „{title}“ wartet auf Ihre Entscheidung',
    },
  },
  {
    key: 'account_notice.refused',
    async cause() {
      const of = { account: account(), campaign: 1 };
      const run = { reason: message('pause.late'), reply: '550 zq', messages: true };
      await t.app.db.transaction((tx) => askAboutRun(tx, of, [], run));
      return {};
    },
    subject: { en: 'The relay refuses your single messages', de: 'Das Relay lehnt Ihre einzelnen Nachrichten ab' },
  },
  {
    key: 'account_notice.issue_waits',
    async cause() {
      const title = aName();
      const recurring = await aRecurring(title, { approve: true });
      answer = { status: 200, body: feedWith(aName()) };
      await runIssue(recurring, '2027-03-01T09:00:30Z');
      return { title };
    },
    subject: { en: '"{title}" waits for your approval', de: '„{title}“ wartet auf Ihre Freigabe' },
  },
  {
    key: 'account_notice.issue_waits',
    async cause() {
      const title = aName();
      const recurring = await aRecurring(title);
      answer = { status: 200, body: feedWith(aName()) };
      await runIssue(recurring, '2027-03-02T08:00:00Z');
      return { title };
    },
    subject: { en: '"{title}" waits for your approval', de: '„{title}“ wartet auf Ihre Freigabe' },
    says: { en: /Why it was not sent: .*23 hours/, de: /Warum sie nicht gesendet wurde: .*23 Stunden/ },
  },
  {
    // The feed has stopped to answer.
    key: 'account_notice.issue_failed',
    async cause() {
      const title = aName();
      const recurring = await aRecurring(title);
      answer = { status: 503, body: '' };
      for (let hour = 9; hour < 23; hour++) {
        await runIssue(recurring, `2027-03-01T${String(hour).padStart(2, '0')}:00:30Z`);
        await t.app.db.run(sql`update recurring set try_at = next_at where id = ${recurring}`);
      }
      return { title };
    },
    subject: {
      en: 'An issue of "{title}" could not be sent',
      de: 'Eine Ausgabe von „{title}“ konnte nicht gesendet werden',
    },
    says: { en: /503/, de: /503/ },
  },
  {
    key: 'account_notice.issue_failed',
    async cause() {
      const title = aName();
      const recurring = await aRecurring(title);
      await t.app.db.run(sql`update recurring set original_id = null where id = ${recurring}`);
      answer = { status: 200, body: feedWith(aName()) };
      await runIssue(recurring, '2027-03-01T09:00:30Z');
      return { title };
    },
    subject: {
      en: 'An issue of "{title}" could not be sent',
      de: 'Eine Ausgabe von „{title}“ konnte nicht gesendet werden',
    },
    says: { en: /Choose another campaign as the original/, de: /Wählen Sie eine andere Kampagne als Vorlage/ },
  },
  {
    key: 'account_notice.dkim_lost',
    async cause(language) {
      const domain = `dkim-${language}.example`;
      for (const { name } of await activeDomain(domain)) dns.set(name, { TXT: ['v=DKIM1; k=rsa; p='] });
      await watch(domain);
      return { domain };
    },
    subject: { en: '{domain} is no longer signed', de: '{domain} signiert keine E-Mails mehr' },
    says: { en: /expected: v=DKIM1/, de: /erwartet: v=DKIM1/ },
  },
  {
    key: 'account_notice.tracking_lost',
    async cause(language) {
      const domain = `links-${language}.example`;
      await activeDomain(domain);
      await t.call('senderDomainTrackingUpdate', { domain, host: `click.${domain}` });
      await t.app.db.run(sql`update sender_domain set tracking_ready = true where domain = ${domain}`);
      dns.set(`click.${domain}`, { CNAME: 'elsewhere.example' });
      await watch(domain);
      return { domain };
    },
    subject: {
      en: 'The links of {domain} no longer work',
      de: 'Die Links von {domain} führen nicht mehr hierher',
    },
  },
  {
    key: 'account_notice.automation_paused',
    async cause() {
      const title = aName();
      const row = await t.app.db.row<{ id: number }>(sql`
        insert into automation (account_id, title, list_id, status, definition, version)
        values (${account()}, ${title}, ${parseId(await listOf(t, []))}, 'active', '{}', 1)
        returning id`);
      const of = { account: account(), automation: row!.id };
      await t.app.db.transaction((tx) => pauseUnfit(tx, of, message('pause.segment_gone', { title })));
      return { title };
    },
    subject: { en: 'The automation "{title}" was paused', de: 'Die Automation „{title}“ wurde angehalten' },
  },
  {
    key: 'operator_mail.subject',
    async cause() {
      const subject = aName();
      await passOn(t.app, 'postmaster', Buffer.from(`From: zq@example.net\r\nSubject: ${subject}\r\n\r\nzq\r\n`));
      return { subject };
    },
    subject: { en: 'To postmaster@back.example: {subject}', de: 'An postmaster@back.example: {subject}' },
  },
  {
    key: 'form.cap_reached',
    async cause() {
      const list = aName();
      const path = await formOf(list);
      const usual = formLimits.askedPerHour;
      formLimits.askedPerHour = 1;
      try {
        const look = openedToken(t.app, path.split('/').at(-1)!, Date.now() - 5_000);
        const body = new URLSearchParams({ EMAIL: `${list}@reader.example`, CONSENT: '1', LOOK: look });
        const response = await fetch(`${t.app.baseUrl}${path}`, { method: 'POST', body });
        assert.equal(response.status, 200, await response.text());
      } finally {
        formLimits.askedPerHour = usual;
      }
      return { list };
    },
    subject: {
      en: 'Too many sign-ups through the form of {list}',
      de: 'Zu viele Anmeldungen über das Formular von {list}',
    },
  },
  ...([410, 503] as const).map((status) => ({
    key: 'webhook.notice.subject',
    async cause() {
      const title = aName();
      await webhookOff(title, status);
      return { title };
    },
    subject: { en: 'The webhook "{title}" was switched off', de: 'Der Webhook „{title}“ wurde ausgeschaltet' },
    says: status === 410 ? { en: /410/, de: /410/ } : { en: /The last failure: /, de: /Der letzte Fehler: / },
  })),
  {
    key: 'notice.password',
    async cause() {
      const { id, email } = await aMember('viewer');
      const token = await t.app.db.transaction((tx) => makeLinkToken(tx, 'reset', parseId(id)));
      const { status, body } = await new Browser(t.app.baseUrl).ask('POST', '/session/reset', {
        token,
        password: 'a long new sentence',
      });
      assert.equal(status, 200, JSON.stringify(body));
      return { to: email };
    },
    subject: ofAccount('Your password was changed.', 'Ihr Passwort wurde geändert.'),
    says: { en: /The change was made from 127/, de: /Die Änderung kam von 127/ },
  },
  {
    key: 'notice.factor_set',
    async cause() {
      const { secret } = await person<{ secret: string }>('totpBegin', { password });
      [recovery = ''] = await person<string[]>('totpConfirm', { code: codeNow(secret) });
      return { to: own };
    },
    subject: ofAccount(
      'A second factor was set up for your sign-in.',
      'Für Ihre Anmeldung wurde ein zweiter Faktor eingerichtet.',
    ),
  },
  {
    key: 'notice.factor_removed',
    async cause() {
      await person('totpDelete', { password, code: recovery });
      return { to: own };
    },
    subject: ofAccount(
      'The second factor of your sign-in was removed.',
      'Der zweite Faktor Ihrer Anmeldung wurde entfernt.',
    ),
  },
  {
    key: 'notice.passkey',
    async cause() {
      passkey.name = aName();
      const device = new Authenticator(t.app.baseUrl);
      const response = device.register(await person<string>('passkeyBegin'));
      passkey.id = await person<string>('passkeyCreate', { name: passkey.name, response });
      return { to: own, name: passkey.name };
    },
    subject: ofAccount(
      'The passkey "{name}" was added to your sign-in.',
      'Zu Ihrer Anmeldung wurde der Passkey „{name}“ hinzugefügt.',
    ),
  },
  {
    key: 'notice.passkey_removed',
    async cause() {
      await person('passkeyDelete', { id: passkey.id });
      return { to: own, name: passkey.name };
    },
    subject: ofAccount(
      'The passkey "{name}" was removed from your sign-in.',
      'Der Passkey „{name}“ wurde von Ihrer Anmeldung entfernt.',
    ),
  },
  {
    key: 'notice.identity',
    async cause() {
      const sub = aName();
      provider.people.set(sub, { sub, email: own, email_verified: true });
      const begun = await owner.ask<{ url: string }>('POST', '/session/provider', {
        provider: 'company',
        purpose: 'connect',
        to: '/',
      });
      const search = await signInAt(begun.body.url, sub);
      const ended = await owner.ask('POST', '/session/provider/end', { provider: 'company', search });
      assert.equal(ended.status, 200, JSON.stringify(ended.body));
      return { to: own };
    },
    subject: ofAccount('Your sign-in was connected to Acme.', 'Ihre Anmeldung wurde mit Acme verbunden.'),
  },
  {
    key: 'notice.identity_removed',
    async cause() {
      await person('identityDelete', { issuer: provider.issuer });
      return { to: own };
    },
    subject: ofAccount(
      'Your sign-in was disconnected from Acme.',
      'Die Verbindung Ihrer Anmeldung mit Acme wurde getrennt.',
    ),
  },
  {
    key: 'notice.key',
    async cause() {
      const label = aName();
      await person('apikeyAdd', { label, scope: 'write' });
      return { label };
    },
    subject: ofAccount(
      'The API key "{label}" (write and send) was created.',
      'Der API-Schlüssel „{label}“ (Schreiben und senden) wurde angelegt.',
    ),
  },
  {
    key: 'notice.key',
    async cause() {
      const label = aName();
      await person('apikeyAdd', { label, permissions: ['contacts:read', 'messages:send'] });
      return { label };
    },
    subject: ofAccount(
      'The API key "{label}" (contacts:read, messages:send) was created.',
      'Der API-Schlüssel „{label}“ (contacts:read, messages:send) wurde angelegt.',
    ),
  },
  {
    key: 'notice.key_changed',
    async cause() {
      const label = aName();
      const key = await person<string>('apikeyAdd', { label, scope: 'read' });
      await person('apikeyUpdate', { key, scope: 'full' });
      return { label };
    },
    subject: ofAccount(
      'The API key "{label}" was changed; it may do: full access.',
      'Der API-Schlüssel „{label}“ wurde geändert; er darf: Vollzugriff.',
    ),
  },
  ...(
    [
      ['owner', 'owner', 'Inhaber'],
      ['editor', 'editor', 'Bearbeiter'],
      ['viewer', 'viewer', 'Betrachter'],
    ] as const
  ).map(([role, en, de]) => ({
    key: 'notice.invitation',
    async cause() {
      const email = `${aName()}@users.example`;
      await person('userInvite', { email, role });
      return { email };
    },
    subject: ofAccount(`{email} was invited as ${en}.`, `{email} wurde als ${de} eingeladen.`),
  })),
  {
    key: 'notice.user',
    async cause() {
      const email = `${aName()}@users.example`;
      const someone = await createUser(t.app.db, { email, password });
      await t.app.db.transaction((tx) =>
        joinAccount(tx, { accountId: account(), email, role: 'viewer' } as Invitation, { userId: someone.id, ip: '' }),
      );
      return { email };
    },
    subject: ofAccount('{email} joined as viewer.', '{email} ist als Betrachter beigetreten.'),
  },
  {
    key: 'notice.role',
    async cause() {
      const { id, email } = await aMember('viewer');
      await person('userUpdate', { id, role: 'editor' });
      return { email };
    },
    subject: ofAccount('{email} is now editor.', '{email} hat jetzt die Rolle Bearbeiter.'),
  },
  {
    key: 'notice.owner',
    async cause() {
      const { id, email } = await aMember('viewer');
      await person('userUpdate', { id, role: 'owner' });
      return { email };
    },
    subject: ofAccount('{email} was made an owner.', '{email} gehört jetzt zu den Inhabern.'),
  },
  {
    key: 'notice.user_removed',
    async cause() {
      const { id, email } = await aMember('viewer');
      await person('userDelete', { id });
      return { email };
    },
    subject: ofAccount('{email} was removed from the account.', '{email} gehört nicht mehr zum Konto.'),
  },
  {
    key: 'notice.email',
    async cause() {
      const email = `${aName()}@owners.example`;
      const row = await t.app.db.row<{ email: string }>(sql`select email from account where id = ${account()}`);
      await person('accountUpdate', { name: 'email', value: email });
      return { email, to: row!.email };
    },
    subject: ofAccount('The main address is now {email}.', 'Die Hauptadresse ist jetzt {email}.'),
  },
];

const fill = (text: string, values: Record<string, string>) =>
  text.replace(/\{(\w+)\}/g, (_all, name: string) => values[name]!);

/** The next message that has the subject; fails with the subjects that came instead. */
async function received(subject: string): Promise<{ to: string; subject: string; text: string }> {
  const seen: string[] = [];
  let read = 0;
  const deadline = performance.now() + 6_000;
  while (performance.now() < deadline) {
    for (const { to, raw } of t.sink.accepted().slice(read)) {
      read += 1;
      const mail = await PostalMime.parse(raw!);
      if (mail.subject === subject) return { to: to!, subject, text: mail.text!.trim() };
      seen.push(mail.subject!);
    }
    await sleep(20);
  }
  return assert.fail(`No message "${subject}", but ${JSON.stringify(seen.slice(-5))}`);
}

/** Words that the other language does not have, also as a part of what one of our messages says. */
const foreign = {
  de: /\b(the|is|are|were|not|reason|your|it|this|and|of|to|has|waits|owner|editor|viewer|full|write|last)\b/i,
  en: /\b(der|die|das|und|nicht|wurde|ist|ihre?|sie|von|mit|grund|eine?)\b/i,
};
const keyShape = /\b(?:account_notice|notice|pause|hold|recurring|webhook|domain|feed|form)\.[a-z_.]+\b(?<!\.example)/;

for (const language of ['en', 'de'] as const)
  for (const [no, { key, cause, subject, says }] of kinds.entries())
    test(`${language}: ${key} (${no + 1})`, async () => {
      await t.app.db.run(sql`
        update account set language = ${language}, time_zone = 'Asia/Tokyo' where id = ${account()}`);
      const values = await cause(language);
      const mail = await received(fill(subject[language], values));
      if (values['to']) assert.equal(mail.to, values['to']);
      assert.ok(mail.text.length > 10);
      if (says) assert.match(mail.text, says[language]);
      for (const part of [mail.subject, mail.text]) {
        const words = part.replaceAll('Test organisation', '').replace(/https?:\/\/\S+|\S+@\S+/g, '');
        assert.doesNotMatch(words, foreign[language]);
        assert.doesNotMatch(words, keyShape);
        assert.doesNotMatch(words, /\{\w+\}|undefined|\[object|\bUTC\b|\d{4}-\d\d-\d\d/);
      }
    });

test('every kind of notice is in the table, and no other code writes one', () => {
  const known = new Set(kinds.map(({ key }) => key));
  const root = join(import.meta.dirname, '../../src');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => ({ file, code: readFileSync(join(root, file), 'utf8') }));
  const writing = files.filter(({ code }) =>
    /sendAccountNotice'|noticeToAccount\(|noticeOfChange\(|noticeToPerson\(/.test(code),
  );
  const subjects = writing.flatMap(({ code }) => [
    ...[...code.matchAll(/subject: (?:renderMessage\()?message\('([\w.]+)'/g)].map(([, key]) => key!),
    ...[...code.matchAll(/message\('(notice\.[\w.]+)'/g)].map(([, key]) => key!),
  ]);
  const parts = ['notice.origin', 'notice.advice'];
  const all = new Set(subjects.filter((key) => !parts.includes(key)));
  assert.deepEqual([...known].sort(), [...all].sort());
  for (const key of Object.keys(messages).filter((name) => /^notice\./.test(name) && !parts.includes(name)))
    assert.ok(known.has(key), key);
  assert.deepEqual(
    files
      .filter(({ code }) => /enqueue\(\s*[\w.]+,\s*'sendAccountNotice'/.test(code))
      .map(({ file }) => file)
      .sort(),
    // The last one: what a person has written into a step of an automation.
    ['accounts/notices/account-notice.ts', 'accounts/notices/security-notice.ts', 'automations/steps/notify.ts'],
  );
});

test('who has left a list, a link for a new password and an invitation come in each of the languages', async () => {
  const list = await listOf(t, []);
  await t.app.db.run(sql`update list set name = 'Zq9 list' where id = ${parseId(list)}`);
  const bodies = new Set<string>();
  for (const language of languages) {
    await t.app.db.run(sql`
      update account
      set language = ${language}, time_zone = 'Asia/Tokyo', email = ${`owner-${language}@owners.example`}
      where id = ${account()}`);
    const email = `leaver-${language}@reader.example`;
    await t.call('listSubscribe', { id: list, email_address: email, double_optin: false });
    await t.call('listUnsubscribe', { id: list, email_address: email, send_goodbye: false, send_notify: false });
    const row = await t.app.db.row<{ contact: number }>(sql`
      update subscription
      set status_at = '2026-11-28T22:15:00Z'::timestamptz
      where contact_id = (select id from contact where email = ${email})
      returning contact_id as contact`);
    await sendUnsubscribeNotice(t.context, {
      account_id: account(),
      list_id: parseId(list),
      contact_id: row!.contact,
    });
    const user = `reader-${language}@users.example`;
    const { id } = await createUser(t.app.db, { email: user, password });
    await addMember(t.app.db, account(), id, 'viewer');
    await t.app.db.run(sql`update app_user set language = ${language} where id = ${id}`);
    await sendSignInLink(t.context, { email: user });
    await t.call('userInvite', { email: `invited-${language}@users.example`, role: 'editor' });
    const wanted = [`owner-${language}@owners.example`, user, `invited-${language}@users.example`];
    await until(`the messages in ${language} have come`, () =>
      wanted.every((to) => t.sink.accepted().some((entry) => entry.to === to)),
    );
    for (const to of wanted) {
      const all = t.sink.accepted().filter((entry) => entry.to === to);
      const mail = await PostalMime.parse(all.find(({ raw }) => !/API/.test(raw!))!.raw!);
      assert.doesNotMatch(
        `${mail.subject}${mail.text}`,
        /\{\w+\}|undefined|GMT(?! ?[+-])|\d{4}-\d\d-\d\d \d\d:/,
        language,
      );
      const plain = mail.text!.replaceAll(language, '').replace(/https?:\S+|\S+@\S+/g, '');
      assert.ok(!bodies.has(plain), `${language}: the text of another language`);
      bodies.add(plain);
      // 22:15 GMT is 7:15 on the next day in Tokyo.
      if (to.startsWith('owner-')) assert.match(mail.text!, /29[\s\S]*0?7[.:]15/, language);
    }
  }
});
