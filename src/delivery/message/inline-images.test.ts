// Inline pictures: from a draft with all kinds of them to the message in the inbox and the page in the archive.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import PostalMime from 'postal-mime';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { assetUrl } from '../../campaigns/content/pictures/asset.ts';
import { withInlineImages } from '../../campaigns/content/pictures/cid-addresses.ts';
import {
  chosenPictures,
  dataBytes,
  inlineLimits,
  pictureAddresses,
} from '../../campaigns/content/pictures/inline-images.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { startInbox } from '../../inbox/inbox.ts';
import { sendTestMails } from '../../mail/test-mail.ts';
import { launchCampaign } from '../launch/launch.ts';
import { startWorker } from '../worker.ts';

let app: TestApp;
let own: Awaited<ReturnType<TestApp['anotherAccount']>>;
let folder: string;
let stop: () => Promise<void>;
let web: Server;
let asked: string[] = [];
let home: string;
/** Whether /late.png exists. */
let isUp = false;

/** A picture by its first bytes. */
const png = (name: string) => Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from(name)]);
const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'inline-'));
  app = await testApp({ DATA_DIR: folder, OUTBOUND_ALLOW: '127.0.0.1/32' });
  await app.listen();
  own = await app.anotherAccount('pro', ['inline_img']);
  web = createServer((request, response) => {
    asked.push(request.url!);
    if (request.url === '/remote.png') return response.setHeader('content-type', 'image/png').end(png('remote'));
    if (request.url === '/page.png') return response.setHeader('content-type', 'image/png').end('<script>1</script>');
    if (request.url === '/late.png' && isUp) return response.end(png('late'));
    return response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  home = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  const inbox = await startInbox(app.app);
  app.app.config.inboxPort = inbox.port;
  const worker = await startWorker(app.app, { launchCampaign, sendTestMails });
  stop = async () => {
    await worker.stop();
    await inbox.close();
  };
});
after(async () => {
  await stop();
  web.close();
  await app.close();
  rmSync(folder, { recursive: true });
});

async function mailTo(email: string): Promise<Buffer> {
  for (let i = 0; i < 1_200; i++) {
    const row = await app.app.db.row<{ source: Buffer }>(
      sql`select source from inbox_message where ${email} = any (rcpt_to) order by id desc limit 1`,
    );
    if (row) return row.source;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no mail came to ${email}`);
}

test('pictures are embedded once each, other files stay links, and the archive shows them all', async () => {
  const name = `${'0'.repeat(32)}.png`;
  await app.app.db.run(sql`
    insert into asset (account_id, name, content_type, sandbox, bytes)
    values (${own.account.id}, ${name}, 'image/png', false, ${png('stored')})`);
  const stored = assetUrl(app.app.baseUrl, own.account.id, name);
  const data = `data:image/gif;base64,${gif.toString('base64')}`;
  const html = `<table background="${home}/remote.png"><tr><td><img src="${data}" alt="d"><img alt=e src=${stored}>
<img src="${home}/remote.png" alt="r"><img src="${home}/remote.png?again" alt="q"><img src='${home}/page.png' alt="p"><img src="${home}/*|FNAME|*.png" alt="t">
<img src="data:image/svg+xml,%3Csvg/%3E" alt="s"><a href="${home}/remote.png">a link</a> <a href="*|UNSUB|*">leave</a></td></tr></table>`;
  const list = await own.call<string>('listCreate', { title: 'Letter' });
  await own.call('listSubscribe', { id: list, email_address: 'ada@example.com', double_optin: false });
  const cid = await own.call<string>('campaignCreate', {
    type: 'HTML',
    options: {
      list_id: list,
      subject: 's',
      from_email: 'us@example.com',
      from_name: 'Us',
      generate_text: true,
      inline_img: true,
      tracking: { opens: false, html_clicks: false },
    },
    content: { html },
  });
  await own.call('campaignSendTest', { cid, test_emails: ['test@example.com'] });
  await mailTo('test@example.com');
  await own.call('campaignSendNow', { cid });
  for (const email of ['test@example.com', 'ada@example.com']) {
    const mail = await PostalMime.parse(await mailTo(email));
    const inside = mail.attachments.map((attachment) => ({
      type: attachment.mimeType,
      bytes: Buffer.from(attachment.content as ArrayBuffer).toString('base64'),
      disposition: attachment.disposition,
    }));
    assert.deepEqual(
      inside.sort((a, b) => (a.bytes < b.bytes ? -1 : 1)),
      [
        { type: 'image/gif', bytes: gif.toString('base64'), disposition: 'inline' },
        { type: 'image/png', bytes: png('remote').toString('base64'), disposition: 'inline' },
        { type: 'image/png', bytes: png('stored').toString('base64'), disposition: 'inline' },
      ].sort((a, b) => (a.bytes < b.bytes ? -1 : 1)),
      email,
    );
    const ids = mail.attachments.map((attachment) => attachment.contentId!.slice(1, -1));
    const shown = [...mail.html!.matchAll(/(?:src|background)=["']?cid:([^"' >]+)/g)].map((match) => match[1]!);
    assert.deepEqual([...new Set(shown)].sort(), ids.sort());
    assert.equal(shown.length, 4);
    assert.match(mail.html!, /page\.png/);
    assert.match(mail.html!, /remote\.png\?again/);
    assert.match(mail.html!, /<a href="[^"]+remote\.png">a link/);
    assert.match(mail.html!, /data:image\/svg\+xml/);
    assert.doesNotMatch(mail.html!, /data:image\/gif/);
  }
  assert.equal(asked.filter((item) => item === '/remote.png').length, 2);
  const [record] = await own.call<{ archive_url: string }[]>('campaigns', { filters: { campaign_id: cid } });
  const page = await (await fetch(record!.archive_url)).text();
  assert.doesNotMatch(page, /cid:/);
  for (const address of [data, stored, `background="${home}/remote.png"`]) assert.ok(page.includes(address), address);

  // What stays on the web is reported before sending and afterwards.
  const leftOut = [`${home}/page.png`, 'data:image/svg+xml,%3Csvg/%3E'];
  const findings = await own.call<{ level: string; code: string; found: string[] }[]>('campaignCheck', { cid });
  const found = findings.find(({ code }) => code === 'picture_not_embedded');
  assert.equal(found?.level, 'warning');
  const progress = await own.call<{ warnings: { code: string; found: string[] }[] }>('campaignProgress', { cid });
  assert.equal(progress.warnings[0]?.code, 'picture_not_embedded');
  for (const warning of [found, progress.warnings[0]!])
    assert.deepEqual(
      warning.found.filter((address) => !address.includes('?again')),
      leftOut,
    );
  const fetches = asked.length;
  await own.call('campaignCheck', { cid });
  assert.equal(asked.length, fetches, 'a second check of the same content fetches nothing');
});

test('test messages fetch their pictures again until all are embedded', async () => {
  asked = [];
  const cid = await own.call<string>('campaignCreate', {
    type: 'HTML',
    options: {
      list_id: await own.call<string>('listCreate', { title: 'Late' }),
      subject: 's',
      from_email: 'us@example.com',
      from_name: 'Us',
      generate_text: true,
      inline_img: true,
    },
    content: { html: `<p>x</p><img src="${home}/late.png" alt="">` },
  });
  const embedded = async (email: string) => {
    await own.call('campaignSendTest', { cid, test_emails: [email] });
    return (await PostalMime.parse(await mailTo(email))).attachments.length;
  };
  assert.equal(await embedded('down@example.com'), 0);
  isUp = true;
  assert.equal(await embedded('up@example.com'), 1);
  const fetches = asked.length;
  assert.equal(await embedded('again@example.com'), 1);
  assert.equal(asked.length, fetches, 'another test of the same content fetches nothing');
});

test('without the option nothing is fetched and nothing is embedded', async () => {
  asked = [];
  const list = await own.call<string>('listCreate', { title: 'Other' });
  await own.call('listSubscribe', { id: list, email_address: 'bob@example.com', double_optin: false });
  const cid = await own.call<string>('campaignCreate', {
    type: 'HTML',
    options: { list_id: list, subject: 's', from_email: 'us@example.com', from_name: 'Us', generate_text: true },
    content: { html: `<p>x</p><img src="${home}/remote.png" alt="">` },
  });
  await own.call('campaignSendNow', { cid });
  const mail = await PostalMime.parse(await mailTo('bob@example.com'));
  assert.equal(mail.attachments.length, 0);
  assert.deepEqual(asked, []);
  assert.equal((await app.app.db.rows(sql`select from inline_image where campaign_id = ${parseId(cid)}`)).length, 0);
});

test('pictures beyond the limits stay links, the ones before them are embedded', () => {
  const large = (n: number) => Buffer.concat([png(String(n)), randomBytes(900 * 1024)]);
  const many = Array.from({ length: 8 }, (_, n) => [`http://a/${n}`, large(n)] as const);
  const chosen = chosenPictures(many);
  assert.equal(chosen.length, 5);
  assert.ok(chosen.reduce((sum, one) => sum + one.bytes.length, 0) <= inlineLimits.allBytes);
  assert.deepEqual(
    chosenPictures([['http://a/', Buffer.concat([png('x'), Buffer.alloc(inlineLimits.eachBytes)])]]),
    [],
  );
  const small = Array.from({ length: 60 }, (_, n) => [`http://a/${n}`, png(String(n))] as const);
  assert.equal(chosenPictures(small).length, inlineLimits.pictures);
});

test('one picture at two addresses is one part, and everything but the addresses stays byte for byte', () => {
  const chosen = chosenPictures([
    ['http://a/1?x=1&y=2', png('same')],
    ['http://a/2', png('same')],
  ]);
  assert.equal(chosen.length, 1);
  const html = `<!--[if mso]><img src="http://a/2"><![endif]--><IMG  SRC='http://a/1?x=1&amp;y=2'><a href="http://a/2">x</a>`;
  assert.deepEqual(pictureAddresses(html), ['http://a/2', 'http://a/1?x=1&y=2']);
  const { cid } = chosen[0]!;
  assert.equal(
    withInlineImages(html, chosen),
    `<!--[if mso]><img src="cid:${cid}"><![endif]--><IMG  SRC='cid:${cid}'><a href="http://a/2">x</a>`,
  );
});

test('data URLs are read by RFC 2397, and invalid ones are ignored', () => {
  assert.equal(dataBytes('data:image/gif;base64,R0lG')?.toString(), 'GIF');
  assert.equal(dataBytes('DATA:image/png;charset=x,a%20b')?.toString(), 'a b');
  for (const bad of ['data:text/html,x', 'data:image/png', 'data:image/png,%zz', 'http://a/'])
    assert.equal(dataBytes(bad), undefined);
});
