// The brand of an account on the public pages: its colours, font and logo, and nothing from elsewhere.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pictures } from '../../test/support/builders/archives.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { readAsset } from '../campaigns/content/pictures/asset.ts';
import { contrast } from '../campaigns/model/colour.ts';
import { plainBrand } from '../campaigns/model/plain-brand.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { tokensOf } from '../tracking/token-secret.ts';
import { brandStyle } from './page/style.ts';

let app: TestApp;
let base: string;
let pages: Record<string, string>;

before(async () => {
  app = await testApp();
  base = await app.listen();
  const list = await app.call<string>('listCreate', { title: 'Letter' });
  await app.call('listSubscribe', { id: list, email_address: 'ada@example.com', double_optin: false });
  const contact = await app.app.db.row<{ id: number }>(sql`select id from contact`);
  const ids = { account: app.account.id, campaign: 0, seq: 0, contact: contact!.id, lists: [parseId(list)] };
  const tokens = tokensOf(app.app).tokens(ids);
  const { key } = (await app.app.db.row<{ key: string }>(sql`select form_key as key from list`))!;
  const { url } = await app.call<{ url: string }>('archiveUpdate', { on: true });
  await app.app.db.run(sql`update list set form = jsonb_build_object('enabled', true)`);
  pages = {
    unsubscribe: `/u/${tokens.unsubscribe}`,
    preferences: `/p/${tokens.profile}`,
    confirm: `/confirm/${tokens.confirm}`,
    'sign-up': `/subscribe/${key}`,
    archive: new URL(url).pathname,
  };
});
after(() => app.close());

const read = async (path: string) => {
  const answer = await fetch(base + path);
  return { page: await answer.text(), policy: answer.headers.get('content-security-policy')! };
};

test('without a brand the pages have the colours of the program', async () => {
  for (const [name, path] of Object.entries(pages))
    assert.doesNotMatch((await read(path)).page, /--accent: #1f5fbf|<img/, name);
});

test('no page lets the browser ask for /favicon.ico', async () => {
  for (const [name, path] of Object.entries(pages)) {
    const { page, policy } = await read(path);
    assert.match(page, /<link rel="icon" href="data:,">/, name);
    assert.match(policy, /img-src 'self' data:/, name);
  }
});

test('every page has the colours, the font and the uploaded logo of the brand', async () => {
  const { url } = await app.call<{ url: string }>('assetCreate', { content: pictures.png.toString('base64') });
  await app.call('brandUpdate', { color: '#0f766e', font: 'georgia', logo_url: url });
  for (const [name, path] of Object.entries(pages)) {
    const { page, policy } = await read(path);
    assert.match(page, /--accent: #0f766e; --on-accent: #ffffff;/, name);
    assert.match(page, /--font: Georgia,serif/, name);
    const src = /<header class="sender"><img src="([^"]+)" alt="[^"]+">/.exec(page)?.[1];
    assert.ok(src?.startsWith('/asset/'), name);
    assert.ok(page.includes(`<link rel="icon" href="${src}">`), name);
    assert.equal((await fetch(base + src)).status, 200);
    assert.match(policy, /img-src 'self'/);
  }
});

test('a logo of another host is not loaded: the page has the name', async () => {
  await app.call('brandUpdate', { logo_url: 'https://elsewhere.example/logo.png' });
  const { page } = await read(pages.unsubscribe!);
  assert.doesNotMatch(page, /elsewhere|<img/);
  assert.match(page, /<header class="sender">[^<]+<\/header>/);
});

test('an uploaded logo stays as long as the brand has it', async () => {
  const asset = await app.call<{ url: string; name: string }>('assetCreate', {
    content: pictures.gif.toString('base64'),
  });
  await app.call('brandUpdate', { logo_url: asset.url });
  await app.call('assetDelete', { name: asset.name });
  const [account, name] = new URL(asset.url).pathname.split('/').slice(2);
  assert.ok(await readAsset(app.app, account!, name!));
  await app.call('brandUpdate', { logo_url: '' });
  assert.equal(await readAsset(app.app, account!, name!), undefined);
});

test('in every colour, buttons and links can be read in light and dark', () => {
  for (const colour of ['#ffd400', '#000000', '#ffffff', '#7f7f7f', '#1a1d21', '#ff3366']) {
    const { text } = brandStyle({ ...plainBrand, colour });
    const found = [...text.matchAll(/--accent: (#\w{6}); --on-accent: (#\w{6}); --link: (#\w{6});/g)];
    assert.equal(found.length, 2);
    for (const [at, [, accent, onAccent, link]] of found.entries()) {
      assert.ok(contrast(accent!, onAccent!) >= 4.5, `${accent} ${onAccent}`);
      for (const ground of at === 0 ? ['#ffffff', '#f4f5f7'] : ['#1a1d21', '#101214'])
        assert.ok(contrast(link!, ground) >= 4.5, `${link} on ${ground}`);
    }
  }
});
