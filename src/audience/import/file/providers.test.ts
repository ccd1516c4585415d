// The program that exported a file is recognised by its headings, and no other file is taken for one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { providerExports } from '../../../../test/support/samples/provider-exports.ts';
import { providerOf } from './providers.ts';

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
  ];
  for (const [provider, text] of exports) {
    const headings = text.split(',');
    assert.equal(providerOf(headings), provider, text);
    for (const missing of headings)
      assert.equal(providerOf(headings.filter((heading) => heading !== missing)), '', `${text} without ${missing}`);
  }
});
