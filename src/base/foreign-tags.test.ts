import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foreignTags, isForeignElement, replaceForeignTags, withoutCode } from './foreign-tags.ts';

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
    ['{{contact.first_name|title}}', '*|FNAME|*'],
    ['{{ name | escape }}', '*|FNAME|* *|LNAME|*'],
    ['{first_name|there}', '*|FNAME:there|*'],
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
    // Odoo, CiviCRM, Mailster, AWeber, Salesforce, AcyMailing, MailPoet, Mailjet, Constant Contact, Zoho, Infusionsoft, Word.
    [`$\{object.firstname}`, '*|FNAME|*'],
    [`$\{ name }`, '*|FNAME|* *|LNAME|*'],
    ['{contact.first_name}', '*|FNAME|*'],
    ['{name}', '*|FNAME|* *|LNAME|*'],
    ['{ FIRSTNAME }', '*|FNAME|*'],
    ['{!firstname}', '*|FNAME|*'],
    ['{!Contact.FirstName}', '*|FNAME|*'],
    ['{subtag:email}', '*|EMAIL|*'],
    ['{{first_name}', '*|FNAME|*'],
    ['{first_name}}', '*|FNAME|*'],
    ['[subscriber:firstname | default:reader]', '*|FNAME:reader|*'],
    ['{{var:firstname:"friend"}}', '*|FNAME:friend|*'],
    ['[[data:firstname:"friend"]]', '*|FNAME:friend|*'],
    ['[[FIRSTNAME OR "friend"]]', '*|FNAME:friend|*'],
    ['[[firstname]]', '*|FNAME|*'],
    ['$[FNAME|Friend]$', '*|FNAME:Friend|*'],
    ['[%first_name | there%]', '*|FNAME:there|*'],
    ['~Contact.FirstName~', '*|FNAME|*'],
    ['«FirstName»', '*|FNAME|*'],
    ['<<First Name>>', '*|FNAME|*'],
    ['<%= first_name %>', '*|FNAME|*'],
    ['<%email%>', '*|EMAIL|*'],
    ['!*FIRSTNAME*!', '*|FNAME|*'],
    ['$FIRSTNAME$', '*|FNAME|*'],
    ['#firstname#', '*|FNAME|*'],
    ['##FIRSTNAME##', '*|FNAME|*'],
    ['@@firstname@@', '*|FNAME|*'],
    ['((firstname))', '*|FNAME|*'],
    ['__FIRST_NAME__', '*|FNAME|*'],
    ['-first_name-', '*|FNAME|*'],
    ['{#name#}', '*|FNAME|* *|LNAME|*'],
    ['<First Name>', '*|FNAME|*'],
    ['<?php echo $name; ?>', undefined],
    ['{!$User.FirstName}', '*|FNAME|*'],
    ['[link:subscription_unsubscribe_url]', '*|UNSUB|*'],
    ['[newsletter:subject]', undefined],
    ['%tag_unsubscribe%', '*|UNSUB|*'],
    ['<%asm_group_unsubscribe_raw_url%>', '*|UNSUB|*'],
    ['<forwardtoafriend>', undefined],
    ['<currentyear>', undefined],
    ['%%emailaddr%%', undefined],
    ['%%=v(@firstName)=%%', undefined],
    ['{Anrede}', undefined],
  ] as const)
    assert.equal(only(tag), replacement, tag);
});

test('an element in whose place another program puts a link becomes that link', () => {
  const html = '<p><unsubscribe>Leave</unsubscribe> or <webversion style="color:red">look</WEBVERSION></p>';
  assert.equal(
    replaceForeignTags(html, foreignTags(html)),
    '<p><a href="*|UNSUB|*">Leave</a> or <a href="*|ARCHIVE|*" style="color:red">look</a></p>',
  );
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
    'from $5 to $10, #news #email, a@name.example, @name, __bold__, -name- and (see (name)), <b>Name</b>, 2 < 3 > 1, [date: 3 May]',
    'p{color:red} .name{margin:0} @media print{a{color:#000}} a:hover{ color : blue }',
    '{"name": "Ann", "email": {"home": "a@example.com"}, "tags": [["a", "b"], [[1, 2]]]}',
    '{"a":{"b":{"c":1}}} [[1]] [[1,2],[3,4]] matrix[[0]]',
    'A set {a, b}, a range [0, 1], [sic], [...], {1}, {} and [[ ]]; $5 $ $ {x} 5 % of 10 % and 100%%',
    'Choose « Email », «Name», ~email~ or << Name >>; {user: email} [Note: name] %APPDATA% [email protected]',
    'They said «hello» and << back >> 1 << 2; ~5~ ~about~ [Read more] {see below} (name)',
    'https://example.com/?filter[name]=a&f[email]=b&q=%7Bname%7D#[top]',
    '[name]: https://example.com/ "a Markdown reference"',
    '<!DOCTYPE html><?xml version="1.0"?>',
  ])
    assert.deepEqual(foreignTags(text), [], text);
});

test('the tag of a field in capitals is a tag in the doubtful notations too, its name as a word is none', () => {
  for (const text of ['[CITY]', '%CITY%', '{CITY}']) assert.equal(only(text, ['CITY']), '*|CITY|*', text);
  for (const text of ['[city]', '[CITY]', '{city}']) assert.deepEqual(foreignTags(text, ['TOWN']), [], text);
});

test('styles, scripts and comments are no text', () => {
  const html = withoutCode(
    '<style type="a">.x{a:{$name}}</style><p>{{ a }}</p><!-- {{ b }} --><SCRIPT>{$name}</SCRIPT ><!--[if mso]>{{ c }}<![endif]-->',
  );
  assert.deepEqual(
    foreignTags(html).map(({ found }) => found),
    ['{{ a }}', '{{ c }}'],
  );
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

test('names of one kind mean one tag', () => {
  const names: Record<string, string> = {
    '*|FNAME|*': 'first_name fname given_name forename vorname prenom voornaam',
    '*|LNAME|*': 'last_name lname surname family_name nachname nom achternaam',
    '*|EMAIL|*': 'email mail email_address emailid',
    '*|UNSUB|*': 'unsubscribe unsubscribe_url optout_link one_click_unsubscribe unsub list_unsubscribe tag_unsubscribe',
    '*|ARCHIVE|*':
      'webversion web_view_url online_version browser_link view_in_browser view_in_your_browser mirror_page message_url',
    '*|UPDATE_PROFILE|*': 'update_profile manage_preferences edit_subscription preferences preferences_url manage_link',
    '*|LIST:COMPANY|*': 'company organization_name organisation company_name',
    '*|LIST:ADDRESS|*': 'address company_address postal_address organization_full_address street_address',
  };
  for (const [replacement, list] of Object.entries(names))
    for (const name of list.split(' ')) assert.equal(only(`{{ ${name} }}`), replacement, name);
});

test('elements of other programs are known by name, and some have a link or a tag', () => {
  for (const name of 'unsubscribe webversion preferences forwardtoafriend currentday currentdayname currentmonth currentmonthname currentyear'.split(
    ' ',
  ))
    assert.equal(isForeignElement(name.toUpperCase()), true, name);
  for (const name of ['a', 'unsub', '', 'current']) assert.equal(isForeignElement(name), false, name);
  for (const [name, tag] of Object.entries({
    unsubscribe: 'UNSUB',
    webversion: 'ARCHIVE',
    preferences: 'UPDATE_PROFILE',
  })) {
    const html = `<${name} style="x">here</${name}>`;
    assert.equal(replaceForeignTags(html, foreignTags(html)), `<a href="*|${tag}|*" style="x">here</a>`);
  }
});

test('a text without its styles, scripts and comments keeps the words apart', () => {
  assert.equal(withoutCode('a<style>b</style>c<script>d</script>e<!-- f -->g'), 'a c e g');
  assert.equal(withoutCode('a<!--[if mso]>b<![endif]-->c'), 'a<!--[if mso]>b<![endif]-->c');
});
