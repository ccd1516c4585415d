// The program that exported a file is recognised by its headings, and no other file is taken for one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { providerExports } from '../../../../test/support/samples/provider-exports.ts';
import { codesOf, neutralHeadings, providerOf } from './providers.ts';

const headingsOf = (content: string) =>
  content
    .split('\r\n')[0]!
    .split(/[,;\t]/)
    .map((heading) => heading.replaceAll('"', ''));

test('exports of known programs are named', () => {
  const named = Object.fromEntries(providerExports.map(({ name, content }) => [name, providerOf(headingsOf(content))]));
  assert.deepEqual(
    Object.entries(named).filter(
      ([name, provider]) => provider !== '' && !name.replace('ConvertKit', 'Kit').startsWith(provider),
    ),
    [],
  );
  for (const name of ['Mailchimp, subscribed', 'Mailchimp, unsubscribed', 'HubSpot', 'Klaviyo', 'Brevo', 'listmonk'])
    assert.notEqual(named[name], '', name);
});

test('codes of a program are only read in its own exports, and only when all of them are known', () => {
  const plugin = ['Email', 'Surname', 'Gender', 'Status', 'Token'];
  assert.equal(codesOf(plugin, 'Status', ['C', 'u'])?.['u'], 'unsubscribed');
  assert.equal(codesOf(plugin, 'Status', ['C', 'X']), undefined);
  assert.equal(codesOf(plugin, 'Gender', ['C']), undefined);
  assert.equal(codesOf(['Email', 'Status'], 'Status', ['C', 'U']), undefined);
});

test('a plain file is no export', () => {
  assert.equal(providerOf(['Email', 'First Name', 'City']), '');
  assert.equal(providerOf([]), '');
});

test('every heading of an export is needed to name its program', () => {
  const exports: [provider: string, headings: string][] = [
    ['Mailchimp', 'LEID,EUID'],
    ['Mailchimp', 'MEMBER_RATING,OPTIN_TIME'],
    ['HubSpot', 'Record ID,Lifecycle Stage'],
    ['HubSpot', 'Record ID,Unsubscribed from all email'],
    ['Klaviyo', 'Klaviyo ID'],
    ['Klaviyo', 'Email Marketing Consent,Email Suppressions'],
    ['Brevo', 'CONTACT ID,BLACKLISTED'],
    ['Brevo', 'CONTACT ID,ADDED_TIME,MODIFIED_TIME'],
    ['CleverReach', 'registriert,aktiviert,deaktiviert'],
    ['Mautic', 'isPublished,doNotContact'],
    ['phpList', 'uniqid,blacklisted,htmlemail'],
    ['listmonk', 'uuid,attributes,status'],
    ['Sendy', 'Joined,Status,Name,Email'],
    ['Kit', 'first_name,state,created_at,tags'],
    ['Ghost', 'subscribed_to_emails,complimentary_plan'],
    ['Ghost', 'labels,tiers,created_at,email'],
    ['Substack', 'active_subscription,plan,email'],
    ['MailPoet', 'global status,list status,email'],
    ['Buttondown', 'email_address,type,unsubscription_date'],
    ['Buttondown', 'email_address,type,creation_date'],
    ['Constant Contact', 'email address,email permission status'],
    ['Postrider', 'OPTINTIME,SIGNUP_TIME,STATUS,EMAIL'],
    ['Brevo', 'EMAIL_BLACKLISTED,SMS_BLACKLISTED'],
    ['Mailman', 'email address,nomail,not metoo,nodupes'],
    ['The Newsletter Plugin', 'email,surname,gender,status,token'],
    ['AcyMailing', 'name,email,active,confirmed,creation_date'],
    ['CiviCRM', 'contact id,do not email,on hold'],
  ];
  for (const [provider, text] of exports) {
    const headings = text.split(',');
    assert.equal(providerOf(headings), provider, text);
    for (const missing of headings)
      assert.equal(providerOf(headings.filter((heading) => heading !== missing)), '', `${text} without ${missing}`);
  }
});

test('columns that say nothing about email need no decision where another column of the export does', () => {
  const neutral = (headings: string) => [...neutralHeadings(headings.split(','))].sort().join();
  assert.equal(neutral('Email,LEID,EUID'), 'confirm_time,optin_time');
  assert.equal(neutral('Email,MEMBER_RATING,OPTIN_TIME'), '', 'without the column that it needs');
  assert.equal(neutral('email,active_subscription,plan,email_disabled'), 'active_subscription,digest_enabled');
  assert.equal(neutral('email,uniqid,blacklisted,htmlemail'), 'optedin');
  assert.equal(neutral('contact id,blacklisted'), 'double_opt-in,opt_in');
  assert.equal(neutral('email_blacklisted,sms_blacklisted'), 'double_opt-in,opt_in');
  assert.equal(neutral('email address,nomail,not metoo,nodupes'), 'ack,digest,hide,mod,nodupes,not metoo,plain');
  assert.equal(neutral('record id,unsubscribed from all email'), 'marketing contact status');
  assert.equal(neutral('email,newsletter'), '');
});

test('the codes of an export mean a status', () => {
  const codes = (headings: string, heading: string) => codesOf(headings.split(','), heading, []);
  assert.deepEqual(codes('email address,nomail,not metoo,nodupes', 'Nomail'), {
    ...{ off: 'subscribed', '[u]': 'unsubscribed', '[a]': 'unsubscribed', '[?]': 'unsubscribed', '[b]': 'bounced' },
  });
  assert.deepEqual(codes('email,surname,gender,status,token', 'Status'), {
    ...{ c: 'subscribed', s: 'pending', u: 'unsubscribed', b: 'bounced', p: 'unsubscribed' },
  });
  const acy = 'name,email,active,confirmed,creation_date';
  assert.deepEqual(codes(acy, 'confirmed'), { 1: 'subscribed', 0: 'pending' });
  assert.deepEqual(codes(acy, 'active'), { 1: 'subscribed', 0: 'unsubscribed' });
  assert.deepEqual(codes('contact id,do not email,on hold', 'On hold'), {
    ...{ no: 'subscribed', 'on hold bounce': 'bounced', 'on hold opt out': 'unsubscribed' },
  });
});
