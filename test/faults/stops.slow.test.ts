// Users who interfere during sending (faults F60–F64): the campaign is paused, deleted, changed; contacts unsubscribe,
// are edited and deleted. Real worker processes; what was sent when is read from the sink's log. PAUSES, DELETES and
// LEAVERS raise the numbers.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/db/connect.ts';
import { formatId } from '../../src/db/ids.ts';
import { checkInvariants } from '../support/database/invariants.ts';
import { Crew } from '../support/delivery/crew.ts';
import { people } from '../support/delivery/engine.ts';
import { diceOf } from '../support/judges/dice.ts';

const pauses = Number(process.env['PAUSES'] ?? 10);
const deletes = Number(process.env['DELETES'] ?? 5);
const leavers = Number(process.env['LEAVERS'] ?? 150);

const workers = 2;
const connections = 4;
/** Messages whose body may be on the wire: one a connection. */
const open = workers * connections;
const stopMs = 2_000;

/** Two workers that together send about this many messages a second. */
async function crewOf(perSecond: number, raw = false): Promise<Crew> {
  const crew = await Crew.start({ connections: open, perSecond, sink: { raw } });
  for (let i = 0; i < workers; i++) crew.worker();
  return crew;
}

const acceptedAfter = (crew: Crew, from: number, atMs: number) =>
  crew.sink.log.slice(from).filter((entry) => entry.event === 'accepted' && entry.atMs > atMs);

async function untilAccepted(crew: Crew, count: number): Promise<void> {
  const deadline = performance.now() + 40_000;
  while (crew.sink.counts.accepted < count) {
    assert.ok(performance.now() < deadline, `${crew.sink.counts.accepted} of ${count} were accepted`);
    await sleep(5);
  }
}

/** Calls, and returns how long the answer took and when it arrived. */
async function acknowledged(crew: Crew, method: string, cid: string): Promise<number> {
  const startedAt = performance.now();
  await crew.t.call(method, { cid });
  const ms = performance.now() - startedAt;
  assert.ok(ms < 1_000, `${method} took ${ms} ms`);
  return Date.now();
}

test(`F60 ${pauses} pauses at random: acknowledged within a second, only messages on the wire are sent, and the exact rest after resuming`, async () => {
  const crew = await crewOf(150);
  const dice = diceOf(60);
  try {
    const audience = people(60 * pauses + 300);
    const id = await crew.campaign(audience);
    const cid = formatId(id);
    const watch = crew.watch(id);
    const overhang: number[] = [];
    for (let round = 0; round < pauses; round++) {
      await untilAccepted(crew, crew.sink.counts.accepted + 20 + dice.below(40));
      const atMs = await acknowledged(crew, 'campaignPause', cid);
      const from = crew.sink.log.length;
      // Every fifth time long enough to see that the end is one.
      await sleep(round % 5 === 0 ? stopMs + 700 : 300);
      const late = acceptedAfter(crew, Math.max(0, from - 50), atMs);
      overhang.push(late.length);
      assert.ok(late.length <= open, `${late.length} were sent after the pause, with ${open} connections`);
      assert.deepEqual(
        late.filter((entry) => entry.atMs > atMs + stopMs),
        [],
      );
      await crew.t.call('campaignResume', { cid });
    }
    const end = await crew.ended(id, audience, { seconds: 90 });
    await watch.stop();
    assert.deepEqual([end.in('accepted').length, end.copies, end.resent], [audience.length, 0, 0]);
  } finally {
    await crew.close();
  }
});

test(`F61 ${deletes} deletions at random: sending stops at once, no rows are left, and links and one-click of delivered messages work`, async () => {
  const crew = await crewOf(150, true);
  const dice = diceOf(61);
  const base = await crew.t.listen();
  try {
    const ids: number[] = [];
    for (let round = 0; round < deletes; round++) {
      const before = crew.sink.counts.accepted;
      const id = await crew.campaign(
        people(200, 'good.example', `r${round}`),
        '<p><a href="https://example.com/news">News</a> <a href="*|UNSUB|*">Leave</a></p>',
      );
      ids.push(id);
      await untilAccepted(crew, before + 10 + dice.below(60));
      const atMs = await acknowledged(crew, 'campaignDelete', formatId(id));
      const from = crew.sink.log.length;
      await sleep(round === 0 ? stopMs + 700 : 400);
      const late = acceptedAfter(crew, Math.max(0, from - 50), atMs);
      assert.ok(late.length <= open, `${late.length} were sent after the deletion, with ${open} connections`);
      assert.deepEqual(
        late.filter((entry) => entry.atMs > atMs + stopMs),
        [],
      );
      assert.ok(crew.sink.counts.accepted - before < 200, 'the campaign was not finished');
    }
    const left = sql`
      select (select count(*) from delivery where campaign_id = any (${ids}::int[]))
        + (select count(*) from chunk where campaign_id = any (${ids}::int[]))
        + (select count(*) from tally where campaign_id = any (${ids}::int[])) as rows`;
    const deadline = performance.now() + 30_000;
    for (;;) {
      const { rows } = (await crew.t.app.db.row<{ rows: number }>(left))!;
      if (rows === 0) break;
      assert.ok(performance.now() < deadline, `${rows} rows are left`);
      await sleep(200);
    }
    for (let round = 0; round < deletes; round++) {
      const mail = crew.sink.accepted().find((entry) => entry.to!.startsWith(`r${round}.`))!;
      const { oneClick, links } = addressesOf(mail.raw!);
      const click = await fetch(base + links.find((path) => path.startsWith('/c/'))!, { redirect: 'manual' });
      assert.deepEqual([click.status, click.headers.get('location')], [302, 'https://example.com/news']);
      const answer = await fetch(base + oneClick, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'List-Unsubscribe=One-Click',
      });
      assert.equal(answer.status, 200);
      const row = await crew.t.app.db.row<{ status: string }>(sql`
        select s.status
        from subscription s
        join contact c on c.account_id = s.account_id and c.id = s.contact_id
        where c.email = ${mail.to!}`);
      assert.equal(row!.status, 'unsubscribed');
    }
    const hits = await crew.t.app.db.row<{ count: number }>(
      sql`select count(*) as count from hit where campaign_id = any (${ids}::int[])`,
    );
    assert.equal(hits!.count, 0, 'nothing is counted for what is deleted');
  } finally {
    await crew.close();
  }
});

test(`F62 ${leavers} contacts unsubscribe during sending: none gets a message more than a second later`, async () => {
  const crew = await crewOf(60);
  const dice = diceOf(62);
  try {
    const audience = people(leavers * 3);
    const id = await crew.campaign(audience);
    const list = await crew.t.app.db.row<{ id: number }>(
      sql`select list_id as id from campaign_list where campaign_id = ${id}`,
    );
    await untilAccepted(crew, 20);
    const leftAt = new Map<string, number>();
    const waiting = [...audience].sort(() => dice.below(3) - 1).slice(0, leavers);
    // As many at once as a web process lets in.
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        for (let email = waiting.pop(); email; email = waiting.pop()) {
          await crew.t.call('listUnsubscribe', { id: formatId(list!.id), email_address: email });
          leftAt.set(email, Date.now());
        }
      }),
    );
    assert.equal(leftAt.size, leavers);
    const end = await crew.ended(id, audience, { seconds: 90 });
    const late = crew
      .acceptedOf(id)
      .flatMap((entry) => (leftAt.has(entry.to!) ? [entry.atMs - leftAt.get(entry.to!)!] : []))
      .filter((ms) => ms > 1_000);
    assert.deepEqual(late, [], 'milliseconds after having left');
    const skipped = end.in('skipped');
    assert.ok(skipped.length > leavers / 3, `${skipped.length} of ${leavers} were spared`);
    assert.ok(skipped.every((recipient) => leftAt.has(recipient.email) && !end.accepted.has(recipient.email)));
  } finally {
    await crew.close();
  }
});

test('F63 after the start the address stays the same, values are read when sending, and deleted or unsubscribed contacts are skipped', async () => {
  const crew = await Crew.start({ sink: { raw: true } });
  try {
    const audience = ['edited', 'moved', 'deleted', 'left', 'joined-late', 'as-ever'].map(
      (name) => `${name}@good.example`,
    );
    const [edited, moved, deleted, left, late] = audience as [string, string, string, string, string];
    const early = audience.filter((email) => email !== late);
    const id = await crew.campaign(early, '<p>Dear *|FNAME:reader|*</p><p><a href="*|UNSUB|*">Leave</a></p>');
    const row = await crew.t.app.db.row<{ id: number }>(
      sql`select list_id as id from campaign_list where campaign_id = ${id}`,
    );
    const list = formatId(row!.id);
    await crew.t.call('listUpdateMember', { id: list, email_address: edited, merge_vars: { FNAME: 'Newname' } });
    await crew.t.call('listUpdateMember', {
      id: list,
      email_address: moved,
      merge_vars: { EMAIL: 'elsewhere@good.example' },
    });
    await crew.t.call('listUnsubscribe', { id: list, email_address: deleted, delete_member: true });
    await crew.t.call('listUnsubscribe', { id: list, email_address: left });
    await crew.t.call('listSubscribe', { id: list, email_address: late, double_optin: false });
    crew.worker();
    const end = await crew.ended(id, early);
    assert.deepEqual(new Set(end.accepted.keys()), new Set([edited, moved, 'as-ever@good.example']));
    assert.match(decoded(end.accepted.get(edited)![0]!.raw!), /Dear Newname/);
    assert.match(decoded(end.accepted.get('as-ever@good.example')![0]!.raw!), /Dear reader/);
    const reasons = await crew.t.app.db.rows<{ email: string; reason: string }>(
      sql`select email, reason from delivery where campaign_id = ${id} and state = 5 order by email`,
    );
    assert.deepEqual(reasons, [
      { email: deleted, reason: 'deleted' },
      { email: left, reason: 'unsubscribed' },
    ]);
  } finally {
    await crew.close();
  }
});

test('F64 a campaign cannot be changed during sending, and every delivered body is the compiled one', async () => {
  const crew = await crewOf(100, true);
  try {
    const audience = people(240);
    const id = await crew.campaign(audience);
    const cid = formatId(id);
    const frozen = () =>
      crew.t.app.db.row<{ hash: string; again: string }>(sql`
        select content_hash as hash, md5(compiled::text) as again
        from frozen_content
        where campaign_id = ${id}`);
    const before = await frozen();
    const changes = [
      { name: 'subject', value: 'Other news' },
      { name: 'from_email', value: 'others@example.com' },
      { name: 'content', value: { html: '<p>Other news <a href="*|UNSUB|*">Leave</a></p>' } },
    ];
    for (let round = 0; round < 4; round++) {
      await untilAccepted(crew, round * 50);
      for (const change of changes)
        await assert.rejects(
          crew.t.call('campaignUpdate', { cid, ...change }),
          (error: { code?: number }) => error.code === 313,
        );
      if (round === 2) {
        await crew.t.call('campaignPause', { cid });
        // A text could be corrected now; nothing else.
        await assert.rejects(
          crew.t.call('campaignUpdate', { cid, name: 'tracking', value: { opens: false } }),
          (error: { code?: number }) => error.code === 313,
        );
        await crew.t.call('campaignResume', { cid });
      }
    }
    await crew.ended(id, audience);
    assert.deepEqual(await frozen(), before);
    const bodies = crew.acceptedOf(id).map((entry) => hashOf(decoded(entry.raw!)));
    assert.deepEqual([bodies.length, new Set(bodies).size], [audience.length, 1]);
    await checkInvariants(crew.t.app.db, crew.sink.log, { campaign: id, audience });
  } finally {
    await crew.close();
  }
});

/** The text of a message, its quoted-printable undone as far as ASCII goes. */
function decoded(raw: string): string {
  return raw
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Our URLs in a message, as paths. */
function addressesOf(raw: string): { oneClick: string; links: string[] } {
  const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replace(/\r\n[ \t]/g, ' ');
  const oneClick = /^List-Unsubscribe:.*<(https?:[^>]+)>/im.exec(head)![1]!;
  const links = [...decoded(raw).matchAll(/href="(https?:[^"]+)"/g)].map((found) => new URL(found[1]!).pathname);
  return { oneClick: new URL(oneClick).pathname, links };
}

/** Of the body without what belongs to the recipient: tokens, and boundaries made from the Message-ID. */
function hashOf(text: string): string {
  const body = text
    .slice(text.indexOf('\r\n\r\n'))
    .replace(/(\/[a-z]\/)[\w/-]{16,}/g, '$1TOKEN')
    .replace(/[\w.+'-]+@good\.example/g, 'ADDRESS');
  const boundary = /boundary="?([^"\s;]+)/i.exec(text)?.[1];
  return createHash('sha256')
    .update(boundary ? body.replaceAll(boundary, 'BOUNDARY') : body)
    .digest('hex');
}
