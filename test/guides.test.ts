// The documents are true to the program: every merge tag in them compiles, tables lose no cell, and JSON is JSON.
// guide-programs.test.ts runs the programs of the guide.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { linkMinutes } from '../src/accounts/access/link-minutes.ts';
import { maxRequestsPerDay } from '../src/audience/confirmation/confirmation-limit.ts';
import { maxUploadBytes } from '../src/audience/import/file/upload.ts';
import { giveUpHours } from '../src/base/relay/give-up.ts';
import { compile } from '../src/campaigns/compile/compile.ts';
import { attachmentLimits } from '../src/campaigns/content/limits.ts';
import { findTags, unknownTags } from '../src/campaigns/markup/merge-tags.ts';
import { clickHoldMs } from '../src/events/click-hold.ts';
import { maxAttachmentBytes } from '../src/messages/params.ts';
import { type Filling, fillPlain } from '../src/recurring/issue/fill.ts';
import { content } from './support/builders/mail.ts';
import { blocks } from './support/samples/blocks.ts';

const root = join(import.meta.dirname, '..');
const documents = globSync(['README.md', 'docs/*.md', 'docs/guide/**/*.md'], { cwd: root })
  .sort()
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** The merge fields that the examples use. */
const fields = [
  ...['FNAME', 'LNAME', 'CITY', 'PLAN', 'AGE', 'ORDER', 'NAME', 'TAG', 'VIP', 'TOPICS'].map((tag) => ({
    tag,
    type: 'text',
    default: '',
  })),
  ...['EVENT', 'ITEMS', 'CUSTOMER'].map((tag) => ({ tag, type: 'data', default: '' })),
];
/** In a loop. */
const item = { tag: 'ITEM', type: 'data', default: '' };

const filling: Filling = {
  feed: { title: 'Feed', url: 'https://site.example/', description: 'Notes' },
  items: [],
  language: 'en',
  timeZone: 'UTC',
  now: new Date('2026-11-21T08:00:00Z'),
};

/** A row has a cell more than it has bars that no backslash precedes, less the outer two. */
const cells = (row: string) => row.split(/(?<!\\)\|/).length - 2;

test('no row of a table has more cells than its head, because pages leave the rest out', () => {
  let tables = 0;
  for (const { path, text } of documents) {
    let width = 0;
    for (const [index, line] of text
      .replace(/^ *```[\s\S]*?^ *```/gm, (block) => block.replace(/.+/g, ''))
      .split('\n')
      .entries()) {
      if (!/^ *\|/.test(line)) width = 0;
      else if (width === 0) {
        width = cells(line);
        tables++;
      } else assert.ok(cells(line) <= width, `${path}:${index + 1} ${line}`);
    }
  }
  assert.ok(tables > 20, String(tables));
});

test('every merge tag of the documents compiles, and no other text looks like half of one', () => {
  let tags = 0;
  for (const { path, text } of documents) {
    const commands = blocks(text).filter(({ language }) => ['', 'sh', 'ini', 'url'].includes(language));
    for (const [index, line] of text.replaceAll('\\|', '|').split('\n').entries()) {
      const place = `${path}:${index + 1} ${line}`;
      const found = findTags(line);
      tags += found.length;
      const campaign = fillPlain(line, filling);
      assert.deepEqual(unknownTags(campaign, [...fields, item]), [], place);
      const compiled = compile(content({ html: `<p>${campaign}</p>`, plain: campaign, fields }));
      assert.deepEqual(compiled.unknownTags, [], place);
      // Commands have signs of their own.
      if (commands.some((block) => index >= block.line && index < block.line + block.text.split('\n').length)) continue;
      const rest = found.reduceRight((left, tag) => left.slice(0, tag.start) + left.slice(tag.end), line);
      assert.doesNotMatch(rest, /[*_]\|\S|\S\|[*_]|`\* +\|/, place);
    }
  }
  assert.ok(tags > 60, String(tags));
});

test('the conditions of an example are complete', () => {
  let examples = 0;
  for (const { path, text } of documents)
    for (const block of blocks(text)) {
      if (!findTags(block.text).some(({ name }) => name === 'IF' || name === 'EACH')) continue;
      examples++;
      const compiled = compile(content({ plain: block.text, html: `<p>${block.text}</p>`, fields }));
      assert.deepEqual([compiled.badConditions, compiled.badLoops], [[], undefined], `${path}:${block.line}`);
    }
  assert.ok(examples >= 2, String(examples));
});

test('no example is Markdown by its fence, because the formatter would change its merge tags', () => {
  for (const { path, text } of documents)
    for (const { language, line } of blocks(text)) assert.doesNotMatch(language, /^(markdown|md)$/, `${path}:${line}`);
});

test('every JSON example parses', () => {
  let examples = 0;
  for (const { path, text } of documents)
    for (const block of blocks(text)) {
      if (block.language !== 'json') continue;
      examples++;
      assert.doesNotThrow(() => JSON.parse(block.text), `${path}:${block.line}`);
    }
  assert.ok(examples > 20, String(examples));
});

test('limits and times that documents name are those of the program', () => {
  const mib = (bytes: number) => `${bytes / 1024 / 1024}`;
  const places: [path: string, words: string][] = [
    ['docs/guide/first-campaign.md', `gets with the email, ${mib(attachmentLimits.bytes)} MB together`],
    ['docs/guide/first-campaign.md', `count as not delivered after ${giveUpHours} hours`],
    ['docs/guide/messages.md', `up to ${mib(maxAttachmentBytes)} MiB together`],
    ['docs/guide/messages.md', `attempted again for ${giveUpHours} hours`],
    ['docs/guide/automations.md', `for ${giveUpHours} hours at most`],
    ['docs/guide/webhook-events.md', `Sent after ${clickHoldMs / 1000} seconds`],
    ['docs/guide/install.md', `valid for ${linkMinutes['first run'] / 60} hours`],
    ['README.md', `valid for ${linkMinutes['first run'] / 60} hours`],
    ['docs/operations.md', `by email (valid for ${linkMinutes.reset} minutes)`],
    ['docs/operations.md', `Open it within ${linkMinutes['first run'] / 60} hours`],
    ['docs/operations.md', `once, within ${linkMinutes['sign in']} minutes`],
    ['docs/operations.md', `invitation is valid for ${linkMinutes.invite / 1440} days`],
    ['docs/guide/setup/reverse-proxy.md', `imports (${mib(maxUploadBytes)} MB in the examples)`],
    ['docs/flows.md', `a mailbox gets ${maxRequestsPerDay} emails a day`],
    ['docs/flows.md', `held for ${giveUpHours} hours`],
    ['docs/flows.md', `or ${giveUpHours} hours have passed`],
  ];
  for (const [path, words] of places)
    assert.ok(readFileSync(join(root, path), 'utf8').replace(/\s+/g, ' ').includes(words), `${path}: "${words}"`);
});
