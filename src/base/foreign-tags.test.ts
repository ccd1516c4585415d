import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foreignTags, replaceForeignTags } from './foreign-tags.ts';

const only = (text: string, fields?: string[]) => {
  const tags = foreignTags(text, fields);
  assert.equal(tags.length, 1, `${text}: ${JSON.stringify(tags)}`);
  return tags[0]!.replacement;
};

test('merge tags of other programs have the tags that mean the same', () => {
  for (const [tag, replacement] of [
    // Brevo, HubSpot, Klaviyo, Kit, listmonk, Keila.
    ['{{ contact.FIRSTNAME }}', '*|FNAME|*'],
    ['{{contact.firstname}}', '*|FNAME|*'],
    ["{{ first_name|default:'there' }}", '*|FNAME:there|*'],
    ['{{ person.first_name | default: "friend" }}', '*|FNAME:friend|*'],
    ["{{ personalization_token('contact.firstname', 'you') }}", '*|FNAME:you|*'],
    ['{{ subscriber.first_name }}', '*|FNAME|*'],
    ['{{ .Subscriber.LastName }}', '*|LNAME|*'],
    ['{{ .Subscriber.Email }}', '*|EMAIL|*'],
    ['{{ UnsubscribeURL }}', '*|UNSUB|*'],
    ['{{unsubscribe}}', '*|UNSUB|*'],
    ['{{unsubscribe_link}}', '*|UNSUB|*'],
    ['{% unsubscribe_link %}', '*|UNSUB|*'],
    ['{{{unsubscribe}}}', '*|UNSUB|*'],
    ['{{ organization.full_address }}', '*|LIST:ADDRESS|*'],
    // Marketo, Salesforce, ActiveCampaign, Mailgun, Mailtrain, Campaign Monitor, Template Toolkit, Smarty.
    ['{{lead.First Name}}', '*|FNAME|*'],
    ['%%First Name%%', '*|FNAME|*'],
    ['%FIRSTNAME%', '*|FNAME|*'],
    ['%UNSUBSCRIBELINK%', '*|UNSUB|*'],
    ['%recipient.name%', '*|FNAME|* *|LNAME|*'],
    ['[FIRST_NAME]', '*|FNAME|*'],
    ['[LINK_UNSUBSCRIBE]', '*|UNSUB|*'],
    ['[firstname,fallback=friend]', '*|FNAME:friend|*'],
    ['[[email]]', '*|EMAIL|*'],
    ['[% name %]', '*|FNAME|* *|LNAME|*'],
    ['{$name}', '*|FNAME|* *|LNAME|*'],
  ] as const)
    assert.equal(only(tag), replacement, tag);
});

test('a tag of a field that there is becomes that field; others are found without a replacement', () => {
  assert.equal(only('{{ contact.CITY }}', ['CITY']), '*|CITY|*');
  assert.equal(only('{{ contact.CITY }}'), undefined);
  assert.equal(only('{% if first_name %}'), undefined);
});

test('texts that are no tags, and our own tags, are not found', () => {
  for (const text of [
    'Dear *|FNAME:friend|*, *|IF:CITY=Rome|* *|END:IF|* #[FNAME]# *[LNAME]*',
    'https://example.com/caf%C3%A9%20and%2Fname%2F?x=%7B%22name%22%3A1%7D',
    '50 % off, 100%cotton 20%wool [1] [see below] [Name](https://example.com/) [link text][name]',
    '<style>a{color:red}p{margin:0}</style>',
    '<!--[if mso]><table><![endif]-->',
    'if (a[0]) { b = {}; }',
  ])
    assert.deepEqual(foreignTags(text), [], text);
});

test('all are replaced wherever they are, and each is named once', () => {
  const text =
    '<p>Hallo {{ contact.FIRSTNAME }}</p><a href="{{unsubscribe}}">x</a> {{ contact.FIRSTNAME }} {{ other }}';
  const tags = foreignTags(text);
  assert.deepEqual(
    tags.map(({ found }) => found),
    ['{{ contact.FIRSTNAME }}', '{{unsubscribe}}', '{{ other }}'],
  );
  assert.equal(replaceForeignTags(text, tags), '<p>Hallo *|FNAME|*</p><a href="*|UNSUB|*">x</a> *|FNAME|* {{ other }}');
});
