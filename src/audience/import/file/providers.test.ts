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
