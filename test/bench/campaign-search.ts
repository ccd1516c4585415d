// How long campaignSearch takes in an account of many campaigns: `npm run bench -- campaign-search [campaigns]`.
// Whole names, rare and frequent parts, states, and pages far back. Prints one line of JSON.
import { sql } from '../../src/db/connect.ts';
import { testApp } from '../support/installation/app.ts';

const campaigns = Number(process.argv[2] ?? 100_000);
const rounds = 7;
const t = await testApp();
try {
  await t.app.db.run(sql`
    insert into campaign (account_id, type, status, title, subject, from_name, reply_to, html, created_at)
    select ${t.account.id}, 'html', (array['draft', 'sent', 'sent', 'sending'])[1 + n % 4],
      'Newsletter ' || n || ' of week ' || n % 53, 'What is new in town ' || n % 700 || ', for you', 'The editors',
      'editors@example.com', repeat('<p>Some text of a campaign</p>', 40), now() - make_interval(mins => n)
    from generate_series(1, ${campaigns}::int) as n`);
  await t.app.db.run(sql`analyze campaign`);
  const searches: Record<string, Record<string, unknown>> = {
    'everything, first page': {},
    'rare part of a name': { query: 'newsletter 54321' },
    'part of every subject': { query: 'WHAT is new' },
    'part of a subject, drafts': { query: 'town 77', state: 'draft' },
    nothing: { query: 'there is none' },
    'page 2,000': { query: 'newsletter', start: 2_000 },
  };
  const ms: Record<string, number> = {};
  for (const [name, params] of Object.entries(searches)) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const startedAt = performance.now();
      await t.call('campaignSearch', params);
      times.push(performance.now() - startedAt);
    }
    ms[name] = Math.round(times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)]!);
  }
  console.log(JSON.stringify({ campaigns, medianMs: ms }));
} finally {
  await t.close();
}
