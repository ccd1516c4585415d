// How the program fares after years: `npm run bench -- years [recipients]`, by default 30,000,000 recipients over 24 months, a
// third of whom opened. Each call is measured in the empty database, then among the recipients of years, on the same
// campaigns and contacts, and fails above 1.3 times with `--check`. At last a campaign an hour: how many dead rows several
// launches with all their updates leave, and how long autovacuum takes to remove them. About 0.5 GB per million.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAccount } from '../../src/accounts/account/account.ts';
import { createLog } from '../../src/base/log.ts';
import { sql } from '../../src/db/connect.ts';
import { startEmbedded } from '../../src/db/embedded/embedded.ts';
import { formatId, parseId } from '../../src/db/ids.ts';
import { migrate } from '../../src/db/migrate/migrate.ts';
import { analysePartitioned, makePartitions, partitionedTables } from '../../src/db/partitions.ts';
import { launch } from '../../src/delivery/launch/launch.ts';
import { call as callMethod } from '../../src/doors/call.ts';
import { migrateQueue } from '../../src/jobs/queue-schema.ts';
import { writeHits } from '../../src/tracking/ingest.ts';
import { appOn } from '../support/installation/app.ts';

const recipients = Number(process.argv.find((word) => /^\d+$/.test(word)) ?? 30_000_000);
const months = 24;
/** Recipients of each campaign of the years, and of those measured. */
const size = 100_000;
const rounds = { launches: 3, reports: 9, lookups: 50 };
const goal = 1.3;

const dataDir = mkdtempSync(join(tmpdir(), 'postrider-years-'));
const server = await startEmbedded({ dataDir, log: createLog('silent', 'bench') });
try {
  await migrate(server.url);
  await migrateQueue(server.url, createLog('silent', 'bench'));
  await measure();
} finally {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  // A statement that fills a table takes minutes.
  const app = await appOn(server.url, { LOG_LEVEL: 'silent' });
  const { db } = app;
  const { id: account } = await createAccount(db, { name: 'Years', email: 'owner@example.com' });
  const call = async <T>(method: string, params: Record<string, unknown>) =>
    (await callMethod(app, method, params, { kind: 'system', accountId: account }, 'json')) as T;
  await makePartitions(db, { behind: months });
  const list = await call<string>('listCreate', { title: 'Measured' });
  const crowd = await call<string>('listCreate', { title: 'Crowd' });
  await addMembers(list, 'measured', size);
  const campaigns = await sent(list, [months, 20, 2, 1, 0.5, 0.1]);
  await tidy();
  const empty = await figures();
  await addMembers(crowd, 'crowd', Math.max(size, Math.min(1_000_000, recipients / months)));
  const startedAt = performance.now();
  const count = Math.ceil(recipients / size);
  for (let no = 0; no < count; no++) {
    await sent(crowd, [(months * (no + 0.5)) / count], no);
    if (process.stderr.isTTY) console.error(`${no + 1} of ${count} campaigns`);
  }
  const fillSeconds = Math.round((performance.now() - startedAt) / 1_000);
  await tidy();
  const full = await figures();
  const vacuum = await campaignsAnHour();
  const stored = await db.row<{ recipients: number; bytes: number }>(sql`
    select (select count(*) from delivery) as recipients, pg_database_size(current_database()) as bytes`);
  const ratios = Object.fromEntries(
    Object.keys(full).map((name) => [name, Number((full[name]! / empty[name]!).toFixed(2))]),
  );
  const gigabytes = Number((stored!.bytes / 1e9).toFixed(1));
  console.log(
    JSON.stringify({ recipients: stored!.recipients, gigabytes, fillSeconds, empty, full, ratios, vacuum }, null, 2),
  );
  await db.close();
  const worst = Math.max(...Object.values(ratios));
  if (process.argv.includes('--check') && worst > goal) throw new Error(`${worst} times, more than ${goal}`);
  if (process.argv.includes('--check') && !vacuum.keepsUp) throw new Error('autovacuum does not keep up');

  async function figures(): Promise<Record<string, number>> {
    const old = campaigns[0]!;
    const contact = (n: number) => `measured.${1 + ((n * 7_919) % size)}@mailbox.example`;
    // The campaigns of the last 30 days, without those launched here.
    const of = {
      list,
      match: 'any',
      filter: campaigns.slice(-3).map((id) => ({ field: 'opened', condition: 'is', value: formatId(id) })),
    };
    let n = 0;
    const drafts: number[] = [];
    for (let no = 0; no <= rounds.launches; no++) drafts.push(await draft());
    return {
      launchMs: await median(rounds.launches, () => launch(app, { account, campaign: drafts.pop()! })),
      campaignStatsMs: await median(rounds.reports, () => call('campaignStats', { cid: formatId(old) })),
      timelineMs: await median(rounds.lookups, () =>
        call('contactTimeline', { email: contact(n++), start: 0, limit: 100 }),
      ),
      segmentMs: await median(rounds.reports, () => call('segmentPreview', of)),
      clickMs: await median(rounds.lookups, () =>
        db.transaction((tx) =>
          writeHits(tx, [
            {
              ...{
                account,
                campaign: old,
                seq: 1 + ((n++ * 7_919) % size),
                kind: 'click',
                link: 0,
                url: 'https://example.com/',
              },
              ...{ at: new Date(), ip: '192.0.2.1', userAgent: 'Mozilla/5.0', machine: null },
            },
          ]),
        ),
      ),
    };
  }

  /** A campaign to the measured list that is about to be launched. */
  async function draft(): Promise<number> {
    const cid = await call<string>('campaignCreate', {
      type: 'plain',
      options: { list_id: list, subject: 's', from_email: 'us@example.com', from_name: 'Us' },
      content: { plain: 'Hello *|UNSUB|*' },
    });
    await call('campaignSendNow', { cid });
    return parseId(cid);
  }

  /** Launches several campaigns and writes to their rows what sending does; then waits until autovacuum has been there. */
  async function campaignsAnHour() {
    const dead = async () =>
      (await db.row<{ dead: number; live: number }>(sql`
        select coalesce(sum(n_dead_tup), 0)::bigint as dead, coalesce(sum(n_live_tup), 0)::bigint as live
        from pg_stat_user_tables
        where relname ~ '^(delivery|chunk|tally)'`))!;
    const before = await dead();
    for (let no = 0; no < 4; no++) {
      const id = await draft();
      await launch(app, { account, campaign: id });
      for (let seq = 0; seq < size; seq += 500) {
        const group = sql`account_id = ${account} and campaign_id = ${id} and seq > ${seq} and seq <= ${seq + 500}`;
        await db.run(sql`update delivery set state = 1, attempts = 1, first_at = now() where ${group}`);
        await db.run(
          sql`update delivery set state = 2, done_at = now(), reply = '2.0.0 Ok: queued as 4XyZ' where ${group}`,
        );
      }
    }
    const after = await dead();
    const startedAt = performance.now();
    let settled = after;
    // An hour apart, campaigns would leave it fifteen minutes each here.
    const maxSeconds = 900;
    const seconds = () => Math.round((performance.now() - startedAt) / 1_000);
    const isDone = () => settled.dead <= Math.max(0.05 * settled.live, before.dead + size);
    while (!isDone() && seconds() < maxSeconds) {
      await sleep(5_000);
      settled = await dead();
    }
    return { before: before.dead, after: after.dead, settled: settled.dead, seconds: seconds(), keepsUp: isDone() };
  }

  async function addMembers(toList: string, name: string, count: number): Promise<void> {
    await slowly(sql`
      with made as (
        insert into contact (account_id, email, email_key, domain)
        select ${account}::int, address, address, 'mailbox.example'
        from generate_series(1, ${count}::int) n
        cross join lateral (select format('%s.%s@mailbox.example', ${name}::text, n)) a(address)
        returning account_id, id
      )
      insert into subscription (account_id, list_id, contact_id, status, fields, optin_at)
      select account_id, ${parseId(toList)}::int, id, 'subscribed', '{}', now()
      from made`);
  }

  /** Campaigns sent so many months ago to `size` members of a list, a third of whom opened and a thirtieth clicked. */
  async function sent(toList: string, ages: readonly number[], no = 0): Promise<number[]> {
    const ids: number[] = [];
    for (const age of ages) {
      const at = sql`(now() - make_interval(secs => ${age * 30.4 * 86_400}::float8))`;
      const made = await db.row<{ id: number }>(sql`
        insert into campaign (account_id, type, status, title, subject, from_name, reply_to, created_at, send_at, finished_at)
        values (${account}, 'html', 'sent', 'News', 'News', 'Us', 'us@example.com', ${at}, ${at}, ${at})
        returning id`);
      const id = made!.id;
      ids.push(id);
      const month = sql`(select month from campaign where account_id = ${account} and id = ${id})`;
      const of = sql`account_id = ${account} and campaign_id = ${id} and month = ${month}`;
      await db.run(sql`
        insert into campaign_list (account_id, campaign_id, list_id) values (${account}, ${id}, ${parseId(toList)})`);
      await db.run(sql`
        insert into link (account_id, campaign_id, no, target) values (${account}, ${id}, 0, 'https://example.com/')`);
      await slowly(sql`
        insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, email, domain, state, attempts, due_at, first_at,
          done_at, reply_code, reply)
        select s.account_id, ${id}::int, row_number() over (), ${month}, s.contact_id, s.list_id, c.email, c.domain, 2, 1, ${at}, ${at}, ${at}, 250,
          '2.0.0 Ok: queued as 4XyZ'
        from (
          select *
          from subscription
          where account_id = ${account}
            and list_id = ${parseId(toList)}
          order by hashint4(contact_id + ${no}::int)
          limit ${size}
        ) s
        join contact c on c.account_id = s.account_id and c.id = s.contact_id`);
      await db.run(sql`
        insert into tally (account_id, campaign_id, shard, recipients, accepted)
        select ${account}::int, ${id}::int, 0, count(*), count(*) from delivery where ${of}`);
      await slowly(sql`
        insert into hit (account_id, campaign_id, seq, kind, link_no, at, ip, user_agent)
        select account_id, campaign_id, seq, kind, case when kind = 'click' then 0 end, due_at + interval '1 hour', '192.0.2.1', 'Mozilla/5.0'
        from delivery
        join (values ('open', 3), ('click', 30)) as k (kind, each) on seq % each = 0
        where ${of}`);
      await slowly(sql`
        insert into engagement (account_id, campaign_id, seq, month, contact_id, opens, clicks, last_open_at, first_hit_at, last_hit_at)
        select account_id, campaign_id, seq, ${month}, contact_id, 1, (seq % 30 = 0)::int, due_at + interval '1 hour',
          due_at + interval '1 hour', due_at + interval '1 hour'
        from delivery
        where ${of}
          and seq % 3 = 0`);
      await slowly(sql`
        insert into link_engagement (account_id, campaign_id, link_no, seq, month, contact_id, clicks)
        select account_id, campaign_id, 0, seq, ${month}, contact_id, 1
        from delivery
        where ${of}
          and seq % 30 = 0`);
    }
    return ids;
  }

  /** What autovacuum and the task have done after years. */
  async function tidy(): Promise<void> {
    for (const table of ['contact', 'subscription', 'campaign', ...Object.keys(partitionedTables)])
      await app.db.pool.query({ text: `vacuum (analyze) ${table}` });
    await analysePartitioned(db);
  }

  /** A statement that may take minutes. */
  async function slowly(statement: ReturnType<typeof sql>): Promise<void> {
    await db.transaction(async (tx) => {
      await tx.run(sql`select set_config('statement_timeout', '3600000', true)`);
      // The list and the contacts are made right here.
      await tx.run(sql`select set_config('postrider.parents_held', 'yes', true)`);
      await tx.run(statement);
    }, 3_700_000);
  }
}

async function median(count: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round <= count; round++) {
    const startedAt = performance.now();
    await work();
    // The first one warms up.
    if (round > 0) times.push(performance.now() - startedAt);
  }
  return Number(times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!.toFixed(2));
}
