// What each screen of the web application waits for, in an account of 100,000 campaigns and 1,000,000 contacts:
// `npm run bench -- screens [contacts] [campaigns] [--keep=folder] [--only=words] [--rounds=n]`. Calls every method that a
// screen loads by the JSON door of the whole program with its own PostgreSQL, 15 times each, and prints a table of medians;
// those over 300 ms bear a mark. The last line is JSON, with the yardstick of the same run: count(*) of the list.
// `--keep` leaves the account in that folder and finds it there again; `--only=home,segment` measures what is named so.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { readEmbeddedUrl } from '../../src/db/embedded/embedded.ts';
import { Installation } from '../support/installation/installation.ts';
import { buildAccount, type LargeAccount } from './screens-account.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: 'string' }, only: { type: 'string' }, rounds: { type: 'string', default: '15' } },
});
const contacts = Number(positionals[0] ?? 1_000_000);
const campaigns = Number(positionals[1] ?? 100_000);
const rounds = Number(options.rounds);
const only = (options.only ?? '').split(',');
const kept = options.keep === undefined ? undefined : resolve(options.keep);
if (kept) mkdirSync(kept, { recursive: true });
const goalMs = 300;
/** The door takes 300 calls a minute of one key. */
const betweenMs = 205;

const installation = new Installation({ WORKERS: '1', CHROMIUM_PATH: 'none' }, kept);
try {
  await installation.start();
  const client = new pg.Client({ connectionString: readEmbeddedUrl(installation.dataDir) });
  await client.connect();
  const ids = await account(client);
  const { list, draft, cid, email } = ids;
  const segments = await installation.call<{ id: string }[]>('listSegments', { id: list });
  const segment = segments[0]!.id;

  const page = await installation.call<{ data: { id: string }[] }>('campaignSearch', { state: 'sent' });
  const newest = page.data.map(({ id }) => id);
  const town = [{ field: 'CITY', condition: 'is', value: 'Town 7' }];
  const nowhere = [{ field: 'CITY', condition: 'is', value: 'Nowhere' }];
  const opened = [{ field: 'opened', condition: 'is', value: 'last 5' }];
  type Case = [screen: string, method: string, params: Record<string, unknown>];
  const cases: Case[] = [
    ['home', 'homeSummary', {}],
    ['home', 'campaigns', { filters: { status: 'sending' }, limit: 20 }],
    ['home', 'campaigns', { filters: { status: 'paused' }, limit: 10 }],
    ['campaigns', 'campaignSearch', {}],
    ['campaigns, a state', 'campaignSearch', { state: 'draft' }],
    ['campaigns, a word', 'campaignSearch', { query: 'town 77' }],
    ['campaigns, page 1,000', 'campaignSearch', { start: 1_000 }],
    ['campaigns by name', 'campaignSearch', { sort: 'name' }],
    ['campaigns by emails', 'campaignSearch', { sort: '-emails_sent' }],
    ['campaigns by date', 'campaignSearch', { sort: '-date' }],
    ['campaigns of a list', 'campaignSearch', { list_id: list }],
    ['campaigns, opened and clicked', 'campaignReactions', { cids: newest }],
    ['composer', 'campaignGet', { cid: draft }],
    ['composer', 'campaignContent', { cid: draft }],
    ['composer', 'campaignAudience', { cid: draft }],
    ['composer', 'campaignCheck', { cid: draft }],
    ['composer', 'campaignPreview', { cid: draft }],
    ['composer', 'campaignVersions', { cid: draft }],
    ['composer', 'campaignTemplates', {}],
    ['composer', 'assets', { limit: 50 }],
    ['report', 'campaigns', { filters: { campaign_id: cid } }],
    ['report', 'campaignStats', { cid }],
    ['report', 'campaignTimeline', { cid, hours: 48 }],
    ['report', 'campaignEmailDomainPerformance', { cid }],
    ['report', 'campaignClickStats', { cid }],
    ['report', 'campaignProgress', { cid }],
    ['report', 'campaignAudience', { cid }],
    ['report', 'campaignSlowDomains', { cid }],
    ['report, recipients', 'campaignRecipients', { cid, filter: 'all', limit: 25 }],
    ['report, recipients refused', 'campaignRecipients', { cid, filter: 'failed', limit: 25 }],
    ['report, who opened', 'campaignOpened', { cid, limit: 25 }],
    ['report, who did not', 'campaignNotOpened', { cid, limit: 25 }],
    ['report, who left', 'campaignUnsubscribes', { cid, limit: 25 }],
    ['report, bounces', 'campaignBounceMessages', { cid, limit: 25 }],
    ['report, a link', 'campaignClickStatsDetails', { cid, link_id: '1', limit: 25 }],
    ['report, one address', 'campaignExplain', { cid, email }],
    ['lists', 'lists', { limit: 1_000 }],
    ['list', 'listGet', { id: list }],
    ['list, fields', 'listMergeVars', { id: list }],
    ['list, members', 'memberSearch', { list, limit: 25 }],
    ['list, members of a state', 'memberSearch', { list, status: 'unsubscribed', limit: 25 }],
    ['list, members, page 1,000', 'memberSearch', { list, start: 1_000, limit: 25 }],
    ['list, members, an address', 'memberSearch', { list, query: 'reader54321@', limit: 25 }],
    ['list, members, a value', 'memberSearch', { list, query: 'ada 123', limit: 25 }],
    ['list, members of a segment', 'memberSearch', { list, segment, limit: 25 }],
    ['list, segments (3)', 'listSegments', { id: list }],
    ['list, export', 'listExport', { id: list }],
    ['list, growth', 'listGrowthHistory', { id: list }],
    ['list, imports', 'imports', { id: list }],
    ['segment', 'segmentPreview', { list, filter: [{ field: 'CITY', condition: 'is', value: 'Town 7' }] }],
    ['segment', 'campaignSearch', { limit: 200 }],
    ['contacts', 'contacts', { limit: 50 }],
    ['contacts', 'contactCount', {}],
    ['contacts', 'contactFields', {}],
    ['contacts by address', 'contacts', { sort: 'email', limit: 50 }],
    ['contacts, an address', 'contacts', { query: 'reader54321@', limit: 50 }],
    ['contacts, an address', 'contactCount', { query: 'reader54321@' }],
    ['contacts of a state', 'contacts', { status: 'unsubscribed', limit: 50 }],
    ['contacts of a state', 'contactCount', { status: 'unsubscribed' }],
    ['contacts, a value', 'contacts', { filter: town, limit: 50 }],
    ['contacts, a value', 'contactCount', { filter: town }],
    ['contacts, no match', 'contacts', { filter: nowhere, limit: 50 }],
    ['contacts, no match', 'contactCount', { filter: nowhere }],
    ['contacts, opened', 'contacts', { filter: opened, limit: 50 }],
    ['contacts, opened', 'contactCount', { filter: opened }],
    ['segments', 'segments', {}],
    ['forms', 'listForms', {}],
    ['contact', 'contactGet', { email }],
    ['contact', 'contactTimeline', { email, limit: 100 }],
    ['search', 'contactSearch', { query: 'reader4711' }],
    ['search, a frequent name', 'contactSearch', { query: 'ada' }],
    ['search, two frequent words', 'contactSearch', { query: 'ada löwe' }],
    ['search, a rare word', 'contactSearch', { query: 'nothing löwe' }],
    ['list, members, a frequent name', 'memberSearch', { list, query: 'ada', limit: 25 }],
    ['list, members, no match', 'memberSearch', { list, query: 'nothing', limit: 25 }],
    ['suppression', 'suppressedListMembers', { limit: 50 }],
    ['suppression, a part', 'suppressedListMembers', { contains: 'gone77', limit: 50 }],
    ['audit', 'auditLog', { limit: 50 }],
    ['webhooks', 'webhooks', {}],
    ['inbox', 'inboxMessages', { limit: 50 }],
    ['keys', 'apikeys', {}],
    ['people', 'users', {}],
    ['domains', 'senderDomains', {}],
    ['relays', 'relays', {}],
  ];
  const listMs = await median(rounds, 0, () =>
    client.query(`select count(*) from subscription where account_id = $1 and list_id = $2 and status = 'subscribed'`, [
      ids.accountId,
      ids.listId,
    ]),
  );
  const measured: { screen: string; method: string; ms: number }[] = [];
  const wanted = cases.filter(([screen, method]) => only.some((word) => `${screen} ${method}`.includes(word)));
  for (const [screen, method, params] of wanted) {
    const ms = await median(rounds, betweenMs, () => installation.call(method, params));
    measured.push({ screen, method, ms });
    console.log(
      `${ms > goalMs ? '!' : ' '} ${screen.padEnd(30)} ${method.padEnd(32)} ${String(ms).padStart(6)} ms  ${(ms / listMs).toFixed(2)} × count(*)`,
    );
  }
  console.log(
    JSON.stringify({
      contacts,
      campaigns,
      listMs,
      over: measured.filter(({ ms }) => ms > goalMs).map(({ screen, method, ms }) => `${screen}: ${method} ${ms}`),
    }),
  );
  await client.end();
} finally {
  await (kept ? installation.stop() : installation.remove());
}

/** The account is made once for a folder that is kept. */
async function account(client: pg.Client): Promise<LargeAccount> {
  const note = kept && join(kept, 'bench-screens.json');
  if (note && existsSync(note)) return JSON.parse(readFileSync(note, 'utf8'));
  const made = await buildAccount(client, (method, params) => installation.call(method, params), contacts, campaigns);
  if (note) writeFileSync(note, JSON.stringify(made));
  return made;
}

async function median(count: number, pauseMs: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < count; round++) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
    if (pauseMs > 0) await sleep(pauseMs);
  }
  return Math.round(times.toSorted((a, b) => a - b)[Math.floor(count / 2)]!);
}
