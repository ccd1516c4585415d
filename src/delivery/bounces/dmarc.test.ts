// DMARC aggregate reports over a real SMTP connection, as providers send them and as attackers might: what is counted for which
// domain, what is refused, and the limits.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createTransport } from 'nodemailer';
import { zipOf } from '../../../test/support/builders/archives.ts';
import { activeDomain } from '../../../test/support/builders/sender-domain.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { type BounceListener, startBounceListener } from './listener.ts';

let app: TestApp;
let other: Awaited<ReturnType<TestApp['anotherAccount']>>;
let listener: BounceListener;

before(async () => {
  app = await testApp({ BOUNCE_DOMAIN: 'back.example', SENDING_ADDRESSES: '192.0.2.7' });
  other = await app.anotherAccount();
  await activeDomain(app.app, app.account.id, 'news.example');
  await activeDomain(app.app, app.account.id, 'shop.news.example');
  await activeDomain(app.app, other.account.id, 'other.example');
  await app.call('senderDomainAdd', { domain: 'pending.example' });
  listener = await startBounceListener(app.app, 0);
});
after(async () => {
  await listener.close();
  await app.close();
});

const day = 86_400;
const today = Math.floor(Date.now() / 1_000 / day) * day;
const record = (source: string, count: number | string, dkim: string, spf: string, from = 'news.example') =>
  `<record><row><source_ip>${source}</source_ip><count>${count}</count><policy_evaluated><disposition>none</disposition><dkim>${dkim}</dkim><spf>${spf}</spf></policy_evaluated></row>
  <identifiers><envelope_from>x.example</envelope_from><header_from>${from}</header_from></identifiers>
  <auth_results><dkim><domain>${from}</domain><result>${dkim}</result></dkim><spf><domain>x.example</domain><result>${spf}</result></spf></auth_results></record>`;

let ids = 0;
function report(
  records: string,
  {
    id = `id-${++ids}`,
    reporter = 'google.com',
    begin = today as number | string,
    policy = 'news.example',
    open = '<feedback>',
  } = {},
): string {
  return `<?xml version="1.0" encoding="UTF-8" ?>\n${open}
  <report_metadata><org_name>${reporter}</org_name><email>noreply@${reporter}</email><report_id>${id}</report_id><date_range><begin>${begin}</begin><end>${today + day}</end></date_range></report_metadata>
  <policy_published><domain>${policy}</domain><adkim>r</adkim><p>none</p><pct>100</pct></policy_published>${records}</feedback>`;
}

type Attachment = { filename: string; content: Buffer | string; contentType: string };
const gzip = (xml: string): Attachment => ({
  filename: 'google.com!news.example!1!2.xml.gz',
  content: gzipSync(xml),
  contentType: 'application/gzip',
});

/** Posts a report; returns the reply code. */
async function post(attachment: Attachment, whole = false): Promise<number> {
  const transport = createTransport({ host: '127.0.0.1', port: listener.port, ignoreTLS: true });
  const part = whole
    ? { raw: wholeMessage(attachment) }
    : { text: 'This is an aggregate report.', attachments: [attachment] };
  try {
    const sent = await transport.sendMail({
      envelope: { from: 'noreply@google.com', to: 'DMARC@back.example' },
      ...part,
    });
    return Number(String(sent.response).slice(0, 3));
  } catch (error) {
    return (error as { responseCode?: number }).responseCode ?? 0;
  } finally {
    transport.close();
  }
}

/** The report is the body, as some providers send it. */
const wholeMessage = ({ content, contentType }: Attachment) =>
  `Subject: Report domain: news.example\r\nContent-Type: ${contentType}\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(content).toString('base64')}\r\n`;

type Reports = {
  address: string;
  reports: number;
  messages: number;
  passed: number;
  failed: number;
  sources: {
    source: string;
    messages: number;
    passed: number;
    failed: number;
    dkim: number;
    spf: number;
    last_day: string;
    reporters: string[];
    own: boolean;
  }[];
};
const reportsOf = (domain: string, call = app.call) => call<Reports>('senderDomainReports', { domain });

test('reports as gzip, zip and plain XML are counted by source, each once', async () => {
  const first = report(record('192.0.2.7', 120, 'pass', 'fail') + record('198.51.100.9', 3, 'fail', 'fail'));
  assert.equal(await post(gzip(first)), 250);
  const second = report(record('2001:db8::7', 5, 'fail', 'pass') + record('198.51.100.9', 4, 'fail', 'fail'), {
    reporter: 'Yahoo',
    begin: today - day,
    open: '<feedback xmlns="urn:ietf:params:xml:ns:dmarc-2.0">',
  });
  const zip = { filename: 'r.zip', content: zipOf([{ name: 'r.xml', body: second }]), contentType: 'application/zip' };
  assert.equal(await post(zip, true), 250);
  const third = report(record('192.0.2.7', 10, 'pass', 'pass'), { reporter: 'Yahoo' });
  assert.equal(await post({ filename: 'r.xml', content: third, contentType: 'text/xml' }), 250);
  // Accepted, so that the provider does not repeat it, and not counted.
  assert.equal(await post(gzip(first)), 250);

  const found = await reportsOf('news.example');
  assert.deepEqual(
    [found.address, found.reports, found.messages, found.passed, found.failed],
    ['dmarc@back.example', 3, 142, 135, 7],
  );
  const lastDay = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(0, 10);
  assert.deepEqual(found.sources, [
    {
      ...{ source: '192.0.2.7', own: true, messages: 130, passed: 130, failed: 0, dkim: 130, spf: 10 },
      ...{ last_day: lastDay(today), reporters: ['Yahoo', 'google.com'] },
    },
    {
      ...{ source: '198.51.100.9', own: false, messages: 7, passed: 0, failed: 7, dkim: 0, spf: 0 },
      ...{ last_day: lastDay(today), reporters: ['Yahoo', 'google.com'] },
    },
    {
      ...{ source: '2001:db8::7', own: false, messages: 5, passed: 5, failed: 0, dkim: 0, spf: 5 },
      ...{ last_day: lastDay(today - day), reporters: ['Yahoo'] },
    },
  ]);
  const sinceToday = await app.call<Reports>('senderDomainReports', { domain: 'news.example', days: 1 });
  assert.deepEqual([sinceToday.reports, sinceToday.messages], [2, 133]);
});

test('a record counts for the sender domain that its From domain is in, and for no other account', async () => {
  const mixed = report(
    record('203.0.113.1', 1, 'pass', 'pass', 'shop.news.example') +
      record('203.0.113.1', 2, 'pass', 'pass', 'Deep.Shop.News.Example') +
      record('203.0.113.2', 4, 'fail', 'fail', 'spoofed.news.example') +
      record('203.0.113.3', 8, 'fail', 'fail', 'other.example'),
  );
  const before = await reportsOf('news.example');
  assert.equal(await post(gzip(mixed)), 250);
  assert.equal((await reportsOf('shop.news.example')).messages, 3);
  assert.equal((await reportsOf('news.example')).messages, before.messages + 4);
  // The policy of news.example says nothing about other.example.
  assert.equal((await reportsOf('other.example', other.call)).messages, 0);
  await assert.rejects(reportsOf('news.example', other.call), { fault: 'DOMAIN_UNKNOWN' });
});

test('what is not a report about a proven domain is refused and leaves nothing behind', async () => {
  const rows = async () =>
    (await app.app.db.row<{ count: number }>(sql`select count(*)::int as count from dmarc_source`))!.count;
  const before = await rows();
  const good = record('192.0.2.1', 1, 'pass', 'pass');
  const xml = (content: string | Buffer) => ({ filename: 'r.xml', content, contentType: 'text/xml' });
  const bomb = gzipSync(Buffer.concat([Buffer.from('<feedback>'), Buffer.alloc(32 * 1024 * 1024, 0x20)]));
  const cases: Record<string, Attachment> = {
    'another domain': gzip(
      report(record('192.0.2.1', 1, 'pass', 'pass', 'unknown.example'), { policy: 'unknown.example' }),
    ),
    'a domain that is not proven': gzip(
      report(record('192.0.2.1', 1, 'pass', 'pass', 'pending.example'), { policy: 'pending.example' }),
    ),
    'no attachment of that kind': {
      filename: 'a.bin',
      content: Buffer.from([1, 2, 3]),
      contentType: 'application/octet-stream',
    },
    'another document': xml('<?xml version="1.0"?><rss></rss>'),
    'a bomb': { filename: 'b.xml.gz', content: bomb, contentType: 'application/gzip' },
    'a cut file': { ...gzip(report(good)), content: gzipSync(report(good)).subarray(0, 200) },
    'a cut archive': {
      filename: 'c.zip',
      content: zipOf([{ name: 'r.xml', body: report(good) }]).subarray(0, 100),
      contentType: 'application/zip',
    },
    'a DOCTYPE': xml(report(good).replace('<feedback>', '<!DOCTYPE f [<!ENTITY a "aaaa">]><feedback>')),
    'an address that is none': xml(report(record("1'; drop table account; --", 1, 'pass', 'pass'))),
    'a negative count': xml(report(record('192.0.2.1', -1, 'pass', 'pass'))),
    'a huge count': xml(report(record('192.0.2.1', '1e300', 'pass', 'pass'))),
    'a day of the future': xml(report(good, { begin: today + 30 * day })),
    'a day that is none': xml(report(good, { begin: 'NaN' })),
    'a long text': xml(report(good, { reporter: 'x'.repeat(5_000) })),
    'deep elements': xml(report(`${'<a>'.repeat(50)}${'</a>'.repeat(50)}`)),
    'many attributes': xml(
      report(good, { open: `<feedback ${Array.from({ length: 50 }, (_, n) => `a${n}="1"`).join(' ')}>` }),
    ),
    'too many records': gzip(report('<record/>'.repeat(10_001))),
    'markup that does not end': xml('<feedback><report_metadata>'),
  };
  assert.ok(bomb.length < 700_000);
  for (const [name, attachment] of Object.entries(cases)) assert.equal(await post(attachment), 550, name);
  assert.equal(await rows(), before);
});

test('ten thousand records are counted while the listener answers others', async () => {
  const records = Array.from({ length: 10_000 }, (_, n) => record(`10.${n >> 8}.${n & 255}.1`, 1, 'pass', 'fail'));
  const busy = post(gzip(report(records.join(''))));
  let finished = false;
  busy.finally(() => (finished = true));
  let answered = 0;
  while (!finished) {
    const transport = createTransport({ host: '127.0.0.1', port: listener.port, ignoreTLS: true });
    await transport.verify();
    transport.close();
    answered++;
  }
  assert.equal(await busy, 250);
  assert.ok(answered > 1, `${answered} answers`);
  const found = await reportsOf('news.example');
  assert.equal(found.sources.length, 500);
});

test('a domain with as many rows as are kept counts no further report until old ones are removed', async () => {
  const of = sql`select account_id, id from sender_domain where domain = 'shop.news.example'`;
  await app.app.db.run(sql`
    insert into dmarc_report (account_id, domain_id, reporter, report_id, day)
    select d.account_id, d.id, 'flood', n::text, current_date - 80
    from (${of}) as d
    cross join generate_series(1, 20000) as n`);
  const before = await reportsOf('shop.news.example');
  const one = () => post(gzip(report(record('192.0.2.30', 1, 'pass', 'pass', 'shop.news.example'))));
  assert.equal(await one(), 250);
  assert.equal((await reportsOf('shop.news.example')).messages, before.messages);
  await app.app.db.run(sql`update dmarc_report set day = current_date - 100 where reporter = 'flood'`);
  assert.equal(await one(), 250);
  assert.equal((await reportsOf('shop.news.example')).messages, before.messages + 1);
  const left = await app.app.db.row<{ count: number }>(sql`
    select count(*)::int as count from dmarc_report where reporter = 'flood'`);
  assert.equal(left!.count, 0);
});
