// Uploaded pictures: which files are accepted, where they are served, and how long they are kept.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pictures } from '../../../../test/support/builders/archives.ts';
import { type TestApp, testApp } from '../../../../test/support/installation/app.ts';
import { Fault } from '../../../base/faults.ts';
import { parseId } from '../../../db/ids.ts';
import { purgeCampaign } from '../../../delivery/control/purge.ts';
import { readAsset } from './asset.ts';
import { readPicture } from './picture.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
  await app.listen();
});
after(() => app.close());

type Asset = { name: string; url: string; title: string; alt: string; width: number; height: number; size: number };
const create = (content: unknown, more: Record<string, unknown> = {}) =>
  app.call<Asset>('assetCreate', { content, ...more });
const assets = (params: Record<string, unknown> = {}) => app.call<Asset[]>('assets', params);
const refused = (fault: string, words: RegExp) => (error: unknown) =>
  error instanceof Fault && error.fault === fault && words.test(error.message);

/** Asks the database: a process serves what it has read for a while after it is deleted. */
const isStored = async (address: string) => {
  const [account, name] = new URL(address).pathname.split('/').slice(2);
  return (await readAsset(app.app, account!, name!)) !== undefined;
};

test('an uploaded picture is served without signing in, with the type of its bytes, whatever its name', async () => {
  const made = await create(pictures.png.toString('base64'), { title: 'evil.html', alt: ' A heron ' });
  assert.deepEqual([made.title, made.alt, made.width, made.height], ['evil.html', 'A heron', 1, 1]);
  const response = await fetch(made.url);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'image/png');
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), pictures.png);
  const again = await create(new Uint8Array(pictures.png), { title: 'heron.png' });
  assert.equal(again.url, made.url);
  assert.deepEqual(
    (await assets()).map(({ name, title }) => [name, title]),
    [[made.name, 'heron.png']],
  );
  await app.call('assetDelete', { name: made.name });
  assert.deepEqual(await assets(), []);
  assert.ok(!(await isStored(made.url)));
});

test('a file that email clients do not show, or that cannot be read, is rejected and not stored', async () => {
  const text = (body: string | Buffer) => Buffer.from(body).toString('base64');
  for (const [content, words] of [
    [text(pictures.svg), /SVG/],
    [text('<html><script>alert(1)</script></html>'), /not a PNG/],
    [text(pictures.jpg), /damaged/],
    [text(pictures.png.subarray(0, 20)), /damaged/],
    ['not base64!', /Base64/],
    ['', /empty/],
  ] as const)
    await assert.rejects(create(content), refused('ASSET_INVALID', words), String(words));
  const huge = Buffer.concat([pictures.png, Buffer.alloc(5 * 1024 * 1024)]);
  await assert.rejects(create(new Uint8Array(huge)), refused('TOO_LARGE', /5 MiB/));
  const wide = Buffer.from(pictures.png);
  wide.writeUInt32BE(10_001, 16);
  await assert.rejects(create(new Uint8Array(wide)), refused('ASSET_INVALID', /10001 × 1 pixels/));
  assert.deepEqual(await assets(), []);
});

test('a picture taken off the list stays as long as a campaign shows it; a listed one stays without any', async () => {
  const shown = await create(new Uint8Array(pictures.gif));
  const spare = await create(new Uint8Array(pictures.webp));
  const list = await app.call<string>('listCreate', { title: 'Readers' });
  const cid = await app.call<string>('campaignCreate', {
    type: 'HTML',
    options: { list_id: list, subject: 'News', from_email: 'a@example.com', from_name: 'A' },
    content: { html: `<img src="${shown.url}"><img src="${spare.url}">`, plain: 'x' },
  });
  await app.call('assetDelete', { name: shown.name });
  assert.ok(await isStored(shown.url));
  await app.call('campaignDelete', { cid });
  const context = { app: app.app, log: app.app.log, signal: new AbortController().signal };
  await purgeCampaign(context, { account_id: app.account.id, campaign_id: parseId(cid) });
  assert.ok(!(await isStored(shown.url)));
  assert.ok(await isStored(spare.url));
});

test("another account's pictures are neither listed nor deleted", async () => {
  const made = await create(new Uint8Array(pictures.png));
  const other = await app.anotherAccount();
  assert.deepEqual(await other.call('assets'), []);
  await assert.rejects(
    other.call('assetDelete', { name: made.name }),
    refused('ASSET_UNKNOWN', /the image does not exist/),
  );
  assert.equal((await fetch(made.url)).status, 200);
});

test('the size of a picture is read from each kind of header', () => {
  const jpeg = Buffer.from(`ffd8ffe000044a46ffffdb000300${'ffc0000b08012c0190010111'}00ffd9`, 'hex');
  const webp = (chunk: string, size: Buffer) =>
    Buffer.concat([Buffer.from(`RIFF\x20\0\0\0WEBP${chunk}\x14\0\0\0`, 'latin1'), size, Buffer.alloc(10)]);
  const lossy = Buffer.alloc(10);
  lossy.writeUInt16LE(640, 6);
  lossy.writeUInt16LE(480, 8);
  const extended = Buffer.alloc(10);
  extended.writeUIntLE(639, 4, 3);
  extended.writeUIntLE(479, 7, 3);
  for (const [bytes, width, height] of [
    [pictures.png, 1, 1],
    [pictures.gif, 1, 1],
    [pictures.webp, 1, 1],
    [jpeg, 400, 300],
    [webp('VP8 ', lossy), 640, 480],
    [webp('VP8X', extended), 640, 480],
  ] as const) {
    const read = readPicture(bytes);
    assert.ok('name' in read, JSON.stringify(read));
    assert.deepEqual([read.width, read.height], [width, height]);
  }
});
