// That the list of event types is consistent: each example is an event as its schema describes it, and the guide shows it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventPatterns, eventSources, eventTypeNames, eventTypes, exampleData, subscriptionsTo } from './types.ts';

const guide = readFileSync(join(import.meta.dirname, '../../docs/guide/webhook-events.md'), 'utf8');

for (const type of eventTypeNames)
  test(`the example of ${type} fits its schema`, () => {
    const { data, example } = eventTypes[type];
    assert.deepEqual(data.parse(example), example);
  });

test('docs/guide/webhook-events.md shows every event type with its example', () => {
  const sections = eventTypeNames.map((type) => {
    const json = JSON.stringify(exampleData(type), null, 2);
    return `## ${type}\n\n${eventTypes[type].when}\n\n\`\`\`json\n${json}\n\`\`\`\n`;
  });
  assert.equal(guide.slice(guide.indexOf('\n## ') + 1), sections.join('\n'));
});

test('docs/guide/webhook-events.md lists the values of sources, formats and bounce classes', () => {
  const listed = (member: string) => new RegExp(`^- \`${member}\`: (.*)\\.$`, 'm').exec(guide)?.[1];
  const words = (values: readonly string[]) => values.map((value) => `\`${value}\``).join(', ');
  assert.equal(listed('source'), words(eventSources));
  assert.equal(listed('email_type'), words(eventTypes['contact.subscribe'].data.shape.email_type.options));
  assert.equal(listed('class'), words(eventTypes['email.bounce'].data.shape.class.options));
});

test('an example has the id that the caller gives', () => {
  assert.equal(exampleData('campaign.sent', 'evt_1').id, 'evt_1');
});

test('a webhook gets an event by its type, by the types that begin with the same word, and by all', () => {
  assert.deepEqual(subscriptionsTo('campaign.sent'), ['campaign.sent', 'campaign.*', '*']);
  for (const type of eventTypeNames)
    for (const pattern of subscriptionsTo(type).slice(1)) assert.ok(eventPatterns.includes(pattern), pattern);
});
