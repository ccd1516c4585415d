// Campaigns created from archives, as a client and a mail program see them: the page, its pictures, and how long those
// are kept.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { pictures, tarOf, zipOf } from '../../../../test/support/builders/archives.ts';
import { type TestApp, testApp } from '../../../../test/support/installation/app.ts';
import { Fault } from '../../../base/faults.ts';
import { sql } from '../../../db/connect.ts';
import { parseId } from '../../../db/ids.ts';
import { purgeCampaign } from '../../../delivery/control/purge.ts';
import { readAsset } from './asset.ts';

let app: TestApp;
let base: string;
let list: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
  list = await app.call('listCreate', { title: 'Readers' });
});
after(() => app.close());

const page = '<h1>News</h1><img src="logo.png"><img src="logo.gif"><p>Dear reader</p>';
const files = [
  { name: 'index.html', body: page },
  { name: 'logo.png', body: pictures.png },
  { name: 'logo.gif', body: pictures.gif },
];
const zip = zipOf(files).toString('base64');

const create = (content: Record<string, unknown>, type = 'HTML') =>
  app.call<string>('campaignCreate', {
    type,
    options: { list_id: list, subject: 'News', from_email: 'a@example.com', from_name: 'A' },
    content,
  });
const contentOf = (cid: string) => app.call<{ html: string; plain: string }>('campaignContent', { cid });
const update = (cid: string, name: string, value: unknown) => app.call('campaignUpdate', { cid, name, value });
const addresses = (html: string) => [...html.matchAll(/src="([^"]+)"/g)].map((match) => match[1]!);
const code = (code: number) => (error: unknown) => error instanceof Fault && error.code === code;
/** Asks the database: a process serves what it has read for a while after it is deleted. */
const isStored = async (address: string) => {
  const [account, name] = new URL(address).pathname.split('/').slice(2);
  return (await readAsset(app.app, account!, name!)) !== undefined;
};
const stored = async () =>
  (await app.app.db.row<{ count: number }>(sql`select count(*)::int as count from asset`))!.count;

async function remove(cid: string): Promise<void> {
  await app.call('campaignDelete', { cid });
  const payload = { account_id: app.account.id, campaign_id: parseId(cid) };
  const context = { app: app.app, log: app.app.log, signal: new AbortController().signal };
  await purgeCampaign(context, payload);
  await purgeCampaign(context, payload);
}

test('an archive becomes the HTML, its plain text, and public pictures', async () => {
  const cid = await create({ archive: zip, html: '<p>overwritten</p>', plain: 'overwritten too' });
  const { html, plain } = await contentOf(cid);
  assert.match(html, /^<h1>News<\/h1><img src="http/);
  assert.match(plain, /NEWS[\s\S]*Dear reader/i);
  assert.doesNotMatch(plain, /overwritten/);
  const [png, gif] = addresses(html);
  assert.ok(png!.startsWith(`${base}/asset/`), png);
  const response = await fetch(png!);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'image/png');
  assert.match(response.headers.get('cache-control')!, /immutable/);
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), pictures.png);
  const again = await fetch(png!, { headers: { 'if-none-match': response.headers.get('etag')! } });
  assert.equal(again.status, 304);
  // An SVG that was stored earlier may hold script.
  await app.app.db.run(
    sql`update asset set content_type = 'image/svg+xml', sandbox = true where name = ${gif!.split('/').at(-1)!}`,
  );
  const drawing = await fetch(gif!);
  assert.equal(drawing.headers.get('content-type'), 'image/svg+xml');
  assert.match(drawing.headers.get('content-security-policy')!, /^sandbox; default-src 'none'/);
  assert.equal(drawing.headers.get('x-content-type-options'), 'nosniff');
  await remove(cid);
});

test('a picture is not served under another account, name or path', async () => {
  const cid = await create({ archive: zip });
  const [png] = addresses((await contentOf(cid)).html);
  const other = await app.anotherAccount();
  const name = png!.split('/').at(-1)!;
  for (const path of [
    `/asset/${'b0000000'}/${name}`,
    `/asset/${other.account.id}/${name}`,
    png!.slice(base.length).replace(/.\.png$/, '_.png'),
    `${png!.slice(base.length)}/x`,
    `/asset/..%2f/${name}`,
  ])
    assert.equal((await fetch(base + path)).status, 404, path);
  await remove(cid);
});

for (const [type, bytes] of [
  ['zip', zipOf(files)],
  ['tar', tarOf(files)],
  ['tar.gz', gzipSync(tarOf(files))],
  ['tgz', gzipSync(tarOf(files))],
] as const) {
  test(`campaignCreate takes an archive of type ${type}, and so does campaignUpdate in both its forms`, async () => {
    const archive = bytes.toString('base64');
    const cid = await create({ archive, archive_type: type });
    const { html } = await contentOf(cid);
    await update(cid, 'html', '<p>Something else</p>');
    assert.equal(await update(cid, 'content', { archive, archive_type: type }), true);
    assert.equal((await contentOf(cid)).html, html);
    const second = await create({ html: '<p>Other</p>', plain: 'Other' });
    assert.equal(await update(second, 'archive_type', type), true);
    assert.equal(await update(second, 'archive', archive), true);
    assert.deepEqual(await contentOf(second), await contentOf(cid));
    await remove(cid);
    await remove(second);
  });
}

test('an archive may be bytes, as from base64 of XML-RPC', async () => {
  const cid = await create({ archive: new Uint8Array(zipOf(files)) });
  assert.equal(addresses((await contentOf(cid)).html).length, 2);
  await remove(cid);
});

test('a file that is not an archive is fault 318 and creates no campaign and no picture', async () => {
  const before = (await app.call<unknown[]>('campaigns', {})).length;
  for (const archive of [
    'AAAA',
    'not base64 !',
    zip.slice(0, 40),
    zipOf([{ name: 'a.txt', body: 'x' }]).toString('base64'),
  ])
    await assert.rejects(create({ archive }), code(318), archive);
  await assert.rejects(create({ archive: zip, archive_type: 'tar.gz' }), code(318));
  await assert.rejects(create({ archive: zip, archive_type: 'rar' }), code(311));
  assert.equal((await app.call<unknown[]>('campaigns', {})).length, before);
  assert.equal(await stored(), 0);
});

test('pictures stay as long as any campaign, one of its earlier bodies, or a template names them', async () => {
  const cid = await create({ archive: zip });
  const { html } = await contentOf(cid);
  const [png, gif] = addresses(html);
  const copy = await app.call<string>('campaignReplicate', { cid });
  const pasted = await create({ html: `<img src="${png}">`, plain: 'x' });
  await remove(cid);
  assert.ok(await isStored(gif!));
  await remove(copy);
  assert.ok(!(await isStored(gif!)));
  assert.ok(await isStored(png!));
  const template = await app.call<string>('templateCreate', { name: 'T', source: `<img src="${png}">` });
  await update(pasted, 'html', '<p>No picture</p>');
  assert.ok(await isStored(png!));
  const from = await create({ template_id: template });
  await app.call('templateDelete', { template_id: template });
  assert.ok(await isStored(png!));
  await update(from, 'archive', zipOf([{ name: 'index.html', body: '<p>Without pictures</p>' }]).toString('base64'));
  // The bodies before can be gone back to.
  assert.ok(await isStored(png!));
  await remove(pasted);
  assert.ok(await isStored(png!));
  await remove(from);
  assert.ok(!(await isStored(png!)));
  assert.equal(await stored(), 0);
});

test('when campaigns of one archive are created and deleted at once, the pictures of the remaining ones stay', async () => {
  const cids = await Promise.all(Array.from({ length: 12 }, () => create({ archive: zip })));
  const kept = cids.splice(6);
  await Promise.all([...cids.map(remove), ...kept.map((cid) => update(cid, 'archive', zip))]);
  for (const cid of kept)
    for (const address of addresses((await contentOf(cid)).html)) assert.ok(await isStored(address));
  assert.equal(await stored(), 2);
  await Promise.all(kept.map(remove));
  assert.equal(await stored(), 0);
});

test('a picture is read once, and not at all for a reader who has it', async () => {
  const cid = await create({ archive: zip });
  const [png, gif] = addresses((await contentOf(cid)).html);
  assert.equal((await fetch(png!)).status, 200);
  await app.app.db.run(sql`delete from asset`);
  assert.deepEqual(Buffer.from(await (await fetch(png!)).arrayBuffer()), pictures.png);
  const etag = `"${gif!.split('/').at(-1)!}"`;
  const known = await fetch(gif!, { headers: { 'if-none-match': etag } });
  assert.deepEqual([known.status, known.headers.get('etag')], [304, etag]);
  assert.match(known.headers.get('cache-control')!, /immutable/);
});
