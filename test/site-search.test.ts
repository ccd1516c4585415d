// The search of the documentation finds what newcomers type: each query below has its page first.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import MiniSearch from 'minisearch';
// @ts-expect-error: a script of the browser, without types
import * as ranking from '../site/client/ranking.js';
import { draw } from '../site/markdown.ts';
import { type SearchText, searchTexts } from '../site/search-texts.ts';
import { readSources } from '../site/sources.ts';

type Result = { id: number; terms: string[] };
const { makeIndex, search, wholeWords } = ranking as {
  makeIndex(library: typeof MiniSearch, texts: SearchText[]): Promise<MiniSearch>;
  search(index: MiniSearch, texts: SearchText[], query: string): Result[];
  wholeWords(words: string[]): RegExp;
};

const sources = readSources();
const byFile = new Map(sources.map((source) => [source.file, source]));
const texts = searchTexts(new Map(sources.map((source) => [source, draw(source, byFile)])));
const index = await makeIndex(MiniSearch, texts);
const found = (query: string): string[] => search(index, texts, query).map(({ id }) => texts[id]!.path);

const first: Record<string, string[]> = {
  'guide/install': ['install', 'installation', 'hardware requirements', 'quick start'],
  'guide/install#with-docker-compose': ['docker', 'docker compose'],
  'guide/first-campaign': ['first campaign', 'getting started'],
  'guide/calling': ['api key', 'api', 'json api', 'rate limit'],
  'guide/connect-a-program': ['xml-rpc'],
  'guide/first-campaign#check-test-and-send': ['schedule', 'schedule a campaign', 'test email', 'undo send'],
  'guide/first-campaign#where-did-it-go-the-built-in-inbox': ['inbox'],
  'guide/first-campaign#ab-test-which-subject-is-better': ['a/b test', 'ab test'],
  'guide/templates': ['template', 'templates'],
  'guide/privacy': ['gdpr', 'privacy', 'delete contact', 'open tracking', 'disable tracking'],
  'guide/forms': ['sign-up form', 'signup form', 'embed form'],
  'guide/forms#double-opt-in-confirming-the-address': ['double opt-in'],
  'guide/importing': ['import csv', 'export contacts'],
  'guide/migration': ['import mailchimp', 'mailchimp'],
  'guide/segments': ['segment', 'segments'],
  'guide/preferences': ['unsubscribe'],
  'guide/merge-tags': ['merge tag', 'merge tags', 'variables'],
  'guide/merge-tags#values': ['unsubscribe link'],
  'guide/recurring': ['rss'],
  'guide/autoresponders': ['birthday', 'welcome email'],
  'guide/automations': ['automation', 'automations'],
  'guide/deliverability#1-a-relay': ['relay'],
  'guide/deliverability#2-a-sender-domain': ['dkim', 'spf', 'dmarc'],
  'guide/deliverability#3-bounces-and-complaints': ['bounce', 'bounces', 'complaint'],
  'guide/messages': ['transactional'],
  'guide/testing': ['test account'],
  'guide/webhooks': ['webhook', 'webhooks', 'webhook signature', 'webhook retry'],
  'guide/teams': ['permissions', 'user roles', 'invite user'],
  'guide/setup/smtp-service': ['smtp'],
  'guide/setup/reverse-proxy': ['proxy nginx', 'nginx', 'https', 'letsencrypt'],
  'operations#settings': ['settings', 'environment variables', 'port'],
  'operations#backups': ['backup', 'backups', 'restore'],
  'operations#upgrades': ['upgrade', 'update'],
  'operations#when-something-is-wrong': ['troubleshooting', 'campaign stuck', 'emails not sent'],
  'operations#users': ['forgot password', '2fa'],
  'operations#the-log': ['logs'],
  'operations#health': ['monitoring', 'prometheus', 'metrics'],
  'operations#an-external-postgresql': ['postgres', 'database url'],
  'api/#faults': ['error codes', 'faults'],
  'api/campaignCreate': ['campaignCreate'],
  'sdk/php/': ['php'],
};

for (const [path, queries] of Object.entries(first))
  test(`${path} is found first`, () => {
    for (const query of queries)
      assert.equal(found(query)[0], path, `${query}:\n${found(query).slice(0, 5).join('\n')}`);
  });

test('what is inside the program, and records, come after what explains', () => {
  for (const query of ['double opt-in', 'webhook', 'backup', 'template', 'automation']) {
    const paths = found(query);
    const lastGuide = paths.findLastIndex((path) => path.startsWith('guide/'));
    const record = paths.findIndex((path) => /^(decisions\/|changelog|architecture#where)/.test(path));
    assert.ok(lastGuide >= 0 && (record < 0 || record > lastGuide), `${query}:\n${paths.join('\n')}`);
  }
});

test('where few pages have all words, guides that have some come before records', () => {
  const paths = found('segment any none');
  assert.equal(paths[0], 'guide/segments');
  assert.ok(
    paths.slice(0, 6).every((path) => !/^(decisions|flows|changelog)/.test(path)),
    paths.slice(0, 8).join('\n'),
  );
});

test('words that no passage has together are found apart, and nonsense is not found', () => {
  assert.ok(found('letsencrypt birthday').length > 1);
  assert.deepEqual(found('zzzyyyxxx'), []);
});

test('marks the plural of a word too, and no part of a longer one', () => {
  const marked = (text: string, word: string) => text.match(wholeWords([word]));
  assert.deepEqual(marked('Backups, a backup and a backupper', 'backup'), ['Backups', 'backup']);
});
