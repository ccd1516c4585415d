// The program that exported a file is recognised by its headings, and no other file is taken for one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { providerExports } from '../../../../test/support/samples/provider-exports.ts';
import { codesOf, providerOf } from './providers.ts';

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
