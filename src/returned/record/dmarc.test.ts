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
import { type BounceListener, startBounceListener } from '../smtp/listener.ts';

let app: TestApp;
let other: Awaited<ReturnType<TestApp['anotherAccount']>>;
let listener: BounceListener;

before(async () => {
  app = await testApp({ BOUNCE_DOMAIN: 'back.example', SENDING_ADDRESSES: '192.0.2.7' });
  other = await app.anotherAccount();
  await activeDomain(app.app, app.account.id, 'news.example');
  await activeDomain(app.app, app.account.id, 'shop.news.example');
  await activeDomain(app.app, other.account.id, 'other.example');
  await app.call('senderDomainCreate', { domain: 'pending.example' });
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
    'a day of the future': xml(report(good, { begin: today + 30 * day })),
    'a day that is none': xml(report(good).replace(/<date_range>.*<\/date_range>/, '')),
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

/** A message with the given parts, for forms that no program of our own would write. */
async function postMail(body: string, type = 'multipart/mixed; boundary=b'): Promise<number> {
  const raw = `From: noreply@reporter.example\r\nSubject: Report domain: news.example\r\nMIME-Version: 1.0\r\nContent-Type: ${type}\r\n\r\n${body}`;
  const transport = createTransport({ host: '127.0.0.1', port: listener.port, ignoreTLS: true });
  try {
    const sent = await transport.sendMail({
      envelope: { from: 'noreply@reporter.example', to: 'dmarc@back.example' },
      raw,
    });
    return Number(String(sent.response).slice(0, 3));
  } catch (error) {
    return (error as { responseCode?: number }).responseCode ?? 0;
  } finally {
    transport.close();
  }
}

const parts = (...all: string[]) => `${all.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`;
const base64 = (content: Buffer | string) => Buffer.from(content).toString('base64').replace(/.{76}/g, '$&\r\n');
const encoded = (fields: string, content: Buffer | string) =>
  `${fields}\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(content)}`;
const intro = 'Content-Type: text/plain\r\n\r\nThis is an aggregate report.';

/** Posts a report on one domain, and returns what it added to the reports and messages of that domain. */
async function added(send: () => Promise<number>): Promise<[number, number, number]> {
  const before = await reportsOf('news.example');
  const code = await send();
  const after = await reportsOf('news.example');
  return [code, after.reports - before.reports, after.messages - before.messages];
}

test('a report counts however a reporter attaches it', async () => {
  const one = (messages: number) => report(record('203.0.113.50', messages, 'pass', 'pass'));
  const zipFile = (...files: { name: string; body: string | Buffer }[]) =>
    encoded('Content-Type: application/zip', zipOf(files));
  const forwarded = (inner: string) =>
    `Content-Type: message/rfc822\r\n\r\nFrom: noreply@reporter.example\r\nSubject: Report\r\n${inner}`;
  const forms: Record<string, [send: () => Promise<number>, reports: number, messages: number]> = {
    'XML as text/plain': [() => postMail(parts(intro, `Content-Type: text/plain; name=r.xml\r\n\r\n${one(1)}`)), 1, 1],
    'XML as the whole text': [() => postMail(one(2), 'text/plain'), 1, 2],
    'XML after blank lines': [() => postMail(parts(intro, `Content-Type: text/xml\r\n\r\n\r\n \r\n${one(3)}`)), 1, 3],
    'a part without a type': [
      () => postMail(parts(intro, encoded('Content-Disposition: attachment', gzipSync(one(4))))),
      1,
      4,
    ],
    'a misspelt type': [() => postMail(parts(intro, encoded('ContentType: application/gzip', gzipSync(one(5))))), 1, 5],
    'a misspelt type and encoding': [
      () =>
        postMail(
          parts(
            intro,
            `ContentType: application/gzip\r\nContentTransferEncoding: base64\r\n\r\n${base64(gzipSync(one(6)))}`,
          ),
        ),
      1,
      6,
    ],
    'a zip from a Mac': [
      () =>
        postMail(
          parts(
            intro,
            zipFile({ name: '__MACOSX/._r.xml', body: Buffer.from([0, 5, 22, 7]) }, { name: 'r.xml', body: one(7) }),
          ),
        ),
      1,
      7,
    ],
    'a zip with a README': [
      () =>
        postMail(
          parts(
            intro,
            zipFile(
              { name: 'README.txt', body: 'Read me' },
              { name: 'd/', body: '' },
              { name: 'd/r.xml', body: one(8) },
            ),
          ),
        ),
      1,
      8,
    ],
    'a zip with two reports': [
      () => postMail(parts(intro, zipFile({ name: 'a.xml', body: one(9) }, { name: 'b.xml', body: one(10) }))),
      2,
      19,
    ],
    'a zip with a compressed report': [
      () => postMail(parts(intro, zipFile({ name: 'r.xml.gz', body: gzipSync(one(11)) }))),
      1,
      11,
    ],
    'a forwarded mail': [
      () => postMail(parts(intro, forwarded(encoded('Content-Type: application/gzip', gzipSync(one(12)))))),
      1,
      12,
    ],
    'a forwarded mail with parts': [
      () =>
        postMail(
          parts(
            intro,
            forwarded(
              `Content-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n${intro}\r\n--c\r\n${encoded('Content-Type: application/gzip', gzipSync(one(13)))}\r\n--c--`,
            ),
          ),
        ),
      1,
      13,
    ],
    'a forwarded mail in base64': [
      () =>
        postMail(
          parts(
            intro,
            encoded(
              'Content-Type: message/rfc822',
              `Subject: Report\r\n${encoded('Content-Type: application/gzip', gzipSync(one(14)))}`,
            ),
          ),
        ),
      1,
      14,
    ],
    'two reports in one message': [
      () =>
        postMail(
          parts(
            intro,
            encoded('Content-Type: application/gzip', gzipSync(one(15))),
            encoded('Content-Type: application/gzip', gzipSync(one(16))),
          ),
        ),
      2,
      31,
    ],
    'a picture and a page before it': [
      () =>
        postMail(
          parts(
            'Content-Type: text/html\r\n\r\n<html><body>A report</body></html>',
            encoded('Content-Type: image/png', Buffer.from([0x89, 0x50])),
            encoded('Content-Type: application/gzip', gzipSync(one(17))),
          ),
        ),
      1,
      17,
    ],
    'UTF-16': [
      () =>
        postMail(
          parts(
            intro,
            encoded(
              'Content-Type: text/xml',
              Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(one(18).replace('UTF-8', 'UTF-16'), 'utf16le')]),
            ),
          ),
        ),
      1,
      18,
    ],
  };
  for (const [name, [send, reports, messages]] of Object.entries(forms))
    assert.deepEqual(await added(send), [250, reports, messages], name);
});

test('a report with careless contents counts for what can be read', async () => {
  const good = (messages: number) => record('203.0.113.60', messages, 'pass', 'pass');
  const send = (xml: string) => () => post({ filename: 'r.xml', content: xml, contentType: 'text/xml' });
  const noSource =
    '<record><row><count>3</count></row><identifiers><header_from>news.example</header_from></identifiers></record>';
  const forms: Record<string, [xml: string, reports: number, messages: number]> = {
    'blanks before the declaration': [` \r\n\t${report(good(1))}`, 1, 1],
    'a byte order mark and blanks': [`\ufeff\n${report(good(2))}`, 1, 2],
    'a record without a source': [report(noSource + good(3)), 1, 3],
    'a source that is no address': [report(record("1'; drop table account; --", 5, 'pass', 'pass') + good(4)), 1, 4],
    'counts that are none': [
      report(record('192.0.2.1', -1, 'pass', 'pass') + record('192.0.2.1', '1e300', 'pass', 'pass') + good(5)),
      1,
      5,
    ],
    'a From domain that is none': [report(record('192.0.2.1', 7, 'pass', 'pass', 'news example') + good(6)), 1, 6],
    'no From domain': [report(good(7).replace(/<header_from>.*<\/header_from>/, '')), 1, 7],
    'no From domain, policy last': [
      report(good(8).replace(/<header_from>.*<\/header_from>/, '')).replace(
        /(<policy_published>.*<\/policy_published>)(.*)(<\/feedback>)/s,
        '$2$1$3',
      ),
      1,
      8,
    ],
    'an empty reporter': [report(good(9), { reporter: '' }), 1, 9],
    'a reporter with an ampersand': [report(good(10), { reporter: 'Smith & Sons' }), 1, 10],
    'an entity of HTML': [report(good(11), { reporter: 'Smith&nbsp;Sons' }), 1, 11],
    'a control character': [report(good(12), { reporter: 'Smith\u0001' }), 1, 12],
    'a long reporter': [report(good(13), { reporter: 'x'.repeat(5_000) }), 1, 13],
    'a long comment in a record': [
      report(
        good(14).replace(
          '</record>',
          `<auth_results><spf><human_result>${'x '.repeat(3_000)}</human_result></spf></auth_results></record>`,
        ),
      ),
      1,
      14,
    ],
    'names in capitals': [
      report(good(15))
        .replace('<feedback>', '<Feedback>')
        .replace('</feedback>', '</Feedback>')
        .replaceAll('header_from>', 'Header_From>'),
      1,
      15,
    ],
    'Latin-1': [report(good(16), { reporter: 'M?ller' }).replace('UTF-8', 'ISO-8859-1'), 1, 16],
    'a time in milliseconds': [report(good(17), { begin: today * 1_000 }), 1, 17],
    'a time in words': [report(good(18), { begin: new Date(today * 1_000).toISOString() }), 1, 18],
    'no record that can be read': [report(noSource), 0, 0],
  };
  for (const [name, [xml, reports, messages]] of Object.entries(forms))
    assert.deepEqual(await added(send(xml)), [250, reports, messages], name);
});

test('a report id counts again on another day, and a report without an id once', async () => {
  const on = (begin: number, id = 'reused') =>
    post(gzip(report(record('203.0.113.70', 2, 'pass', 'pass'), { id, reporter: 'again.example', begin })));
  assert.deepEqual(await added(() => on(today)), [250, 1, 2]);
  assert.deepEqual(await added(() => on(today - day)), [250, 1, 2]);
  assert.deepEqual(await added(() => on(today - day)), [250, 0, 0]);
  assert.deepEqual(await added(() => on(today, '')), [250, 1, 2]);
  assert.deepEqual(await added(() => on(today, '')), [250, 0, 0]);
  assert.deepEqual(await added(() => on(today - day, '')), [250, 1, 2]);
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
