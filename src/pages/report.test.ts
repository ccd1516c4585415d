// Reports by link: what they show, that they end, and that no answer has an address, a name or an id of a person in it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { aCampaign, launchDraft, launchedTo, listOf } from '../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { runs } from '../../test/support/run/runs.ts';
import { hashToken } from '../accounts/access/token.ts';
import { raw, sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { type Hit, writeHits } from '../tracking/ingest.ts';
import { keepReport } from '../tracking/reports/kept.ts';
import { shownTarget, withoutAddresses } from '../tracking/reports/shared-report.ts';
import { PageRate } from './page/page-rate.ts';

let app: TestApp;
let base: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
});
after(() => app.close());

type Made = { id: string; url: string; expires_at: string };
const share = (params: Record<string, unknown> = {}) => app.call<Made>('reportLinkCreate', params);
const open = async (url: string) => {
  const response = await fetch(url);
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const statusOf = async (url: string) => (await open(url)).status;

const readers = (count: number, domain = 'reader.example') =>
  Array.from({ length: count }, (_, n) => `person.${n}@${domain}`);

/** A campaign that all its recipients got, of whom the first have opened it and followed the first link. */
async function delivered(
  list: string,
  { opened = 0, clicked = 0, ...options }: Record<string, unknown> & { opened?: number; clicked?: number },
) {
  const html =
    '<p>Hello <a href="https://shop.example/spring?reader=*|EMAIL|*&utm_source=x#top">Spring</a> <a href="https://shop.example/u/*|FNAME|*/x">Yours</a> <a href="*|UNSUB|*">Leave</a></p>';
  const campaign = await launchedTo(app, list, html, options);
  await app.app.db.run(sql`
    update delivery set state = 2, attempts = 1, done_at = now(), reply_code = 250 where campaign_id = ${campaign}`);
  await app.app.db.run(sql`
    update tally set queued = 0, accepted = recipients where campaign_id = ${campaign}`);
  await app.app.db.run(sql`
    update campaign set status = 'sent', finished_at = now() where id = ${campaign}`);
  const hit = (seq: number, kind: 'open' | 'click'): Hit => ({
    ...{ account: app.account.id, campaign, seq, kind, link: kind === 'click' ? 0 : null, url: '' },
    ...{ at: new Date(), ip: '203.0.113.77', userAgent: 'x', machine: null },
  });
  const seqs = await app.app.db.rows<{ seq: number }>(sql`
    select seq from delivery where campaign_id = ${campaign} order by seq`);
  await app.app.db.transaction((tx) =>
    writeHits(tx, [
      ...seqs.slice(0, opened).map(({ seq }) => hit(seq, 'open')),
      ...seqs.slice(0, clicked).map(({ seq }) => hit(seq, 'click')),
    ]),
  );
  return formatId(campaign);
}

test('a link shows the figures of a campaign in the language of the account, and is stored as a hash', async () => {
  const list = await listOf(app, readers(40), 'Letters');
  const cid = await delivered(list, { subject: 'Spring is here', opened: 10, clicked: 6 });
  const { id, url, expires_at } = await share({ cid, name: 'Acme', days: 14 });
  assert.match(url, new RegExp(`^${base}/report/[\\w-]{43}$`));
  const { status, headers, text } = await open(url);
  assert.equal(status, 200);
  for (const part of [
    'Spring is here',
    '<dd>40 ',
    '25%',
    '<dd>6 ',
    '15%',
    'shop.example/spring</th><td>6</td>',
    'shop.example/u/…/x',
  ])
    assert.ok(text.includes(part), `${part} in ${text}`);
  assert.doesNotMatch(text, /reader=|utm_source|Acme|203\.0\.113/);
  assert.match(text, /<meta name="robots" content="noindex">/);
  assert.equal(headers.get('x-robots-tag'), 'noindex, nofollow');
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.match(headers.get('content-security-policy')!, /default-src 'none'/);
  const [link] = await app.call<{ id: string; name: string; expires_at: string; cid: string }[]>('reportLinks', {
    cid,
  });
  assert.deepEqual(
    { ...link, created_at: '', created_by: '' },
    { id, cid, list: '', name: 'Acme', created_by: '', created_at: '', expires_at },
  );
  const token = url.split('/').at(-1)!;
  const stored = await app.app.db.row<{ row: string }>(
    sql`select report_link::text as row from report_link where id = ${parseId(id)}`,
  );
  assert.ok(!stored!.row.includes(token));
  await app.call('accountUpdate', { name: 'language', value: 'de' });
  assert.match((await open(url)).text, /<html lang="de">[\s\S]*Zugestellt/);
  await app.call('accountUpdate', { name: 'language', value: 'en' });
});

test('few people are not counted out: groups below five, and campaigns below twenty messages', async () => {
  const small = await delivered(await listOf(app, readers(19, 'small.example')), { opened: 7, clicked: 7 });
  const { text } = await open((await share({ cid: small })).url);
  assert.match(text, /<dd>19 /);
  assert.doesNotMatch(text, /Opened<\/dt>|shop\.example/);
  const few = await delivered(await listOf(app, readers(20, 'few.example')), { opened: 9, clicked: 4 });
  const shown = (await open((await share({ cid: few })).url)).text;
  assert.match(shown, /shop\.example\/spring<\/th><td>fewer than 5<\/td>/);
  assert.match(shown, /shop\.example\/u\/…\/x<\/th><td>0<\/td>/);
});

test('a link ends when it expires or is withdrawn, with its campaign, and while the account is off', async () => {
  const list = await listOf(app, readers(20, 'ends.example'));
  const cid = await delivered(list, {});
  const links = await Promise.all([share({ cid }), share({ cid }), share({ list }), share()]);
  const [expiring, withdrawn, ofList, ofAll] = links as [Made, Made, Made, Made];
  for (const { url } of links) assert.equal(await statusOf(url), 200);
  for (const { url } of [ofList, ofAll]) assert.equal(await statusOf(`${url}/${cid}`), 200);
  await app.app.db.run(sql`
    update report_link set expires_at = now() - interval '1 second' where id = ${parseId(expiring.id)}`);
  assert.equal(await statusOf(expiring.url), 404);
  await app.call('reportLinkDelete', { id: withdrawn.id });
  assert.equal(await statusOf(withdrawn.url), 404);
  await assert.rejects(app.call('reportLinkDelete', { id: withdrawn.id }), /there is no link to a report/);
  await app.app.db.run(sql`update account set active = false where id = ${app.account.id}`);
  assert.equal(await statusOf(ofAll.url), 404);
  await app.app.db.run(sql`update account set active = true where id = ${app.account.id}`);
  assert.equal(await statusOf(ofAll.url), 200);
  const again = await share({ cid });
  await app.call('campaignDelete', { cid });
  for (const url of [again.url, `${ofList.url}/${cid}`, `${ofAll.url}/${cid}`])
    assert.equal(await statusOf(url), 404, url);
  assert.equal(await statusOf(ofList.url), 200);
  await app.call('listDelete', { id: list });
  assert.equal(await statusOf(ofList.url), 404);
  assert.equal(await statusOf(ofAll.url), 200);
});

test('a link to a list shows the campaigns that went to it alone, and to nothing of others', async () => {
  const mine = await listOf(app, readers(20, 'mine.example'), 'Mine');
  const theirs = await listOf(app, readers(20, 'theirs.example'), 'Theirs');
  const own = await delivered(mine, { subject: 'For mine' });
  const both = await delivered(mine, { subject: 'For both', list_id: [mine, theirs] });
  const foreign = await delivered(theirs, { subject: 'For theirs' });
  const draft = await aCampaign(app, { to: mine, subject: 'A draft' });
  const { url } = await share({ list: mine });
  const { text } = await open(url);
  assert.match(text, /For mine/);
  assert.doesNotMatch(text, /For both|For theirs|A draft/);
  assert.equal(await statusOf(`${url}/${own}`), 200);
  for (const cid of [both, foreign, draft, 'f0000000', '..', '%00', 'x'.repeat(300)])
    assert.equal(await statusOf(`${url}/${cid}`), 404, cid);
  const other = await app.anotherAccount();
  await assert.rejects(other.call('reportLinkCreate', { cid: own }), /CAMPAIGN|campaign/i);
  await assert.rejects(other.call('reportLinkCreate', { list: mine }), /list/i);
  assert.deepEqual(await other.call('reportLinks'), []);
  await assert.rejects(
    app.call('reportLinkCreate', { cid: own, list: mine }),
    /list must not be given together with cid/,
  );
  const ofCampaign = await share({ cid: own });
  assert.equal(await statusOf(`${ofCampaign.url}/${foreign}`), 404);
  await assert.rejects(other.call('reportLinkDelete', { id: ofCampaign.id }), /no link/);
});

test('who may change campaigns makes and withdraws links; they stay when that person is gone', async () => {
  const cid = await delivered(await listOf(app, readers(20, 'rights.example')), {});
  const as = async (key: string, method: string, params: Record<string, unknown>) => {
    const response = await fetch(`${base}/api/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    return { status: response.status, answer: (await response.json()) as Made };
  };
  const reader = await app.anotherKey('read');
  const writer = await app.anotherKey('write');
  assert.equal((await as(reader, 'reportLinkCreate', { cid })).status, 403);
  const { status, answer } = await as(writer, 'reportLinkCreate', { cid });
  assert.equal(status, 200);
  assert.equal((await as(reader, 'reportLinks', { cid })).status, 200);
  assert.equal((await as(reader, 'reportLinkDelete', { id: answer.id })).status, 403);
  await app.app.db.run(sql`delete from api_key where label = 'write'`);
  assert.equal(await statusOf(answer.url), 200);
  assert.deepEqual(
    (await app.call<{ created_by: string }[]>('reportLinks', { cid })).map(({ created_by }) => created_by),
    [''],
  );
});

test('a draft is not shown, and a report without recipients its kept sums', async () => {
  const list = await listOf(app, readers(30, 'kept.example'));
  const draft = await aCampaign(app, { to: list, subject: 'Secret plans' });
  const { url } = await share({ cid: draft });
  const { status, text } = await open(url);
  assert.equal(status, 200);
  assert.match(text, /Nothing has been sent yet/);
  assert.doesNotMatch(text, /Secret plans/);
  await launchDraft(app, parseId(draft));
  const cid = await delivered(list, { opened: 12, clicked: 8 });
  const campaign = parseId(cid);
  await app.app.db.transaction(async (tx) => {
    const row = await tx.row<{ month: string }>(sql`select month::text as month from campaign where id = ${campaign}`);
    await keepReport(tx, { account: app.account.id, campaign, cid, month: row!.month });
    for (const table of ['delivery', 'engagement', 'link_engagement', 'hit'])
      await tx.run(sql`delete from ${raw(table)} where campaign_id = ${campaign}`);
  });
  const kept = (await open((await share({ cid })).url)).text;
  assert.match(kept, /<dd>12 [\s\S]*<td>8<\/td>/);
});

test('hostile tokens open nothing, and none is a bug', async () => {
  const { url } = await share();
  const token = url.split('/').at(-1)!;
  const hostile = [
    ...[token.slice(0, -1), `${token}A`, token.toLowerCase() === token ? token.toUpperCase() : token.toLowerCase(), ''],
    ...[
      '%00',
      '..%2F..%2Fetc%2Fpasswd',
      "'%20or%20'1'%3D'1",
      'x'.repeat(43),
      'é'.repeat(43),
      '%ff',
      '%E0%A4%A',
      'a'.repeat(5_000),
    ],
    hashToken(token).toString('base64url'),
    hashToken(token).toString('hex'),
  ];
  for (const one of hostile) {
    const status = await statusOf(`${base}/report/${one}`);
    assert.ok([400, 404, 414].includes(status), `${status} for ${one.slice(0, 60)}`);
  }
  await fc.assert(
    fc.asyncProperty(fc.string({ maxLength: 60, unit: 'binary' }), async (text) => {
      const status = await statusOf(`${base}/report/${encodeURIComponent(text.toWellFormed())}`);
      assert.ok([400, 404].includes(status), String(status));
    }),
    { numRuns: runs(100, 10) },
  );
  assert.equal((await fetch(url, { method: 'POST' })).status, 404);
  assert.equal(await statusOf(url), 200);
});

/** Names, addresses and values that want to be on the page. */
const hostileReaders = [
  { EMAIL: '"<script>alert(1)</script>"@evil.example', FNAME: '<img src=x onerror=alert(1)>', LNAME: 'O’Hara' },
  { EMAIL: "o'brien+tag@evil.example", FNAME: '*|EMAIL|*', LNAME: '"><b>' },
  { EMAIL: 'jane.doe@jane-doe.example', FNAME: 'Jane', LNAME: 'Doe-Unmistakable' },
  { EMAIL: 'ünïcode@exämple.example', FNAME: '李雷', LNAME: '\u202eevil' },
];

test('no answer to anyone with a link has an address, a name or an id of a person, whatever is in the campaign', async () => {
  const plain = readers(30, 'plain.example');
  const list = await listOf(app, plain, 'Hostile');
  await app.call('listBatchSubscribe', { id: list, batch: hostileReaders, double_optin: false, update_existing: true });
  const addresses = (
    await app.app.db.rows<{ email: string }>(sql`
      select c.email from contact c join subscription s on s.contact_id = c.id where s.list_id = ${parseId(list)}`)
  ).map(({ email }) => email);
  assert.ok(addresses.length >= plain.length + 2);
  const contacts = await app.app.db.rows<{ id: number }>(sql`
    select contact_id as id from subscription where list_id = ${parseId(list)}`);
  const subjects = [
    'For *|EMAIL|*',
    '*|FNAME|* *|LNAME|*, look',
    `Write to ${plain[0]} or <${plain[1]}>`,
    '*|FNAME:friend|* (*|EMAIL|*)',
  ];
  const pages: string[] = [];
  for (const subject of subjects) {
    const cid = await delivered(list, { subject, title: `Internal ${plain[2]}`, opened: 12, clicked: 12 });
    await app.app.db.run(sql`
      insert into link (account_id, campaign_id, no, target)
      select ${app.account.id}, ${parseId(cid)}, 10 + n, target
      from unnest(${[
        `https://shop.example/${plain[3]}/offer`,
        `https://${plain[4]}@shop.example/x?who=${plain[5]}`,
        `https://shop.example/?u=${encodeURIComponent(plain[6]!)}#${plain[7]}`,
        `https://shop.example/${encodeURIComponent(plain[8]!)}`,
        `mailto:${plain[9]}`,
        'https://shop.example/*|EMAIL|*',
      ]}::text[]) with ordinality as t(target, n)`);
    pages.push((await open((await share({ cid, name: plain[10]! })).url)).text);
  }
  for (const { url } of [await share({ list }), await share()]) pages.push((await open(url)).text);
  pages.push((await open(`${base}/report/${'x'.repeat(43)}`)).text);
  // Without the style sheet, which has rules with an @.
  const shown = pages
    .join('\n')
    .replace(/<style>.*?<\/style>/gs, '')
    .toLowerCase();
  for (const email of addresses) {
    assert.ok(!shown.includes(email.toLowerCase()), email);
    assert.ok(!shown.includes(encodeURIComponent(email).toLowerCase()), email);
  }
  assert.doesNotMatch(shown, /@|%40|unmistakable|onerror|<script|203\.0\.113|jane-doe\.example|plain\.example/);
  for (const { id } of contacts) assert.ok(!shown.includes(formatId(id)), formatId(id));
});

test('property: what is shown of a text or target has no address in it', () => {
  fc.assert(
    fc.property(
      fc.emailAddress(),
      fc.string(),
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      (email, text, url) => {
        assert.ok(!withoutAddresses(`${text} ${email} ${text}`).includes(email));
        for (const target of [
          `${url}/${email}`,
          `${url}?e=${email}`,
          `https://${email}/x`,
          `${url}#${email}`,
          email,
          `mailto:${email}`,
        ])
          assert.ok(!shownTarget(target).includes('@'), target);
      },
    ),
    { numRuns: runs(1_000) },
  );
});

test('one network opens a page 120 times a minute, others as before', () => {
  const rate = new PageRate();
  for (let i = 0; i < 120; i++) assert.equal(rate.take('2001:db8:1:2::7', 0), 0);
  assert.equal(rate.take('2001:db8:1:2::8', 0), 1, 'the same /64');
  assert.equal(rate.take('2001:db8:1:3::7', 0), 0);
  assert.equal(rate.take('2001:db8:1:2::7', 500), 0, 'one more every half second');
  assert.ok(rate.take('2001:db8:1:2::7', 500) > 0);
});
