// Pictures of templates: who may see them, that a hostile page can do nothing while its picture is taken, and what is
// shown without a browser.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { browserDataDir, testChromium } from '../../../test/support/browser/chromium.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sample, slowTest } from '../../../test/support/run/runs.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { redrawPreviewsTask } from '../starter/starter.ts';
import type { Chromium } from './chromium.ts';
import { drawPreview, sendersTags, takePicture, withoutTags } from './preview.ts';

let app: TestApp;
before(async () => {
  app = await testApp({ DATA_DIR: browserDataDir });
  await app.listen();
});
after(() => app.close());

const withBrowser = (name: string, run: (chromium: Chromium) => Promise<void>, of = test) =>
  of(name, async () => run(await testChromium()));
const nothing = async () => undefined;
type Template = { id: string; preview_image: string };
const addressOf = async (id: string) =>
  (await app.call<Template[]>('campaignTemplates')).find((item) => item.id === id)!.preview_image;
const draw = (id: string) =>
  drawPreview(
    { app: app.app, log: app.app.log, signal: new AbortController().signal },
    { account_id: app.account.id, template_id: parseId(id) },
  );

test('without a browser the picture is a placeholder without words; its address cannot be guessed', async () => {
  const id = await app.call<string>('templateCreate', { name: 'A <b>', layout: 'postcard', source: '<p>x</p>' });
  const address = await addressOf(id);
  const response = await fetch(address);
  assert.equal(response.headers.get('content-type'), 'image/svg+xml');
  const svg = await response.text();
  assert.doesNotMatch(svg, /<text/);
  assert.doesNotMatch(svg, /<b>/);
  const other = address.replace(/.$/, (sign) => (sign === '0' ? '1' : '0'));
  assert.notEqual((await fetch(other)).status, 200);
});

test('creating a template and changing its source ask for one picture, a new name does not', async () => {
  const id = await app.call<string>('templateCreate', { name: 'Jobs', source: '<p>x</p>' });
  const jobs = () =>
    app.app.db.rows<{ key: string }>(
      sql`select key from graphile_worker.jobs where task_identifier = 'drawPreview' and key like ${`% ${parseId(id)}`}`,
    );
  assert.equal((await jobs()).length, 1);
  await app.call('templateUpdate', { template_id: id, name: 'source', value: '<p>y</p>' });
  assert.equal((await jobs()).length, 1);
  await app.app.db.run(sql`select graphile_worker.remove_job(${(await jobs())[0]!.key})`);
  await app.call('templateUpdate', { template_id: id, name: 'name', value: 'Other' });
  assert.equal((await jobs()).length, 0);
});

test('a new name or address of the account asks for the pictures of those templates that show it', async () => {
  const jobs = (like: string) =>
    app.app.db.rows<{ key: string }>(
      sql`select key from graphile_worker.jobs where task_identifier in ('drawPreview', 'redrawPreviews') and key like ${like}`,
    );
  const clear = async () => {
    for (const { key } of await jobs('%')) await app.app.db.run(sql`select graphile_worker.remove_job(${key})`);
  };
  const make = (name: string, source: string) => app.call<string>('templateCreate', { name, source });
  const named = await make('Named', '<p>*|LIST:NAME|*</p>');
  const other = await make('Unnamed', '<p>Hello *|FNAME|*</p>');
  for (const name of ['company', 'name', 'postal_address']) {
    await clear();
    await app.call('accountUpdate', { name, value: 'Harbour & Sons' });
    assert.equal((await jobs(`previews ${app.account.id}`)).length, 1, name);
    await redrawPreviewsTask(
      { app: app.app, log: app.app.log, signal: new AbortController().signal },
      { account_id: app.account.id },
    );
    assert.equal((await jobs(`% ${parseId(named)}`)).length, 1, name);
    assert.equal((await jobs(`% ${parseId(other)}`)).length, 0, name);
  }
  await clear();
  await app.call('accountUpdate', { name: 'phone', value: '1' });
  assert.equal((await jobs('%')).length, 0);
});

withBrowser('a picture shows the name of the sender', async () => {
  const id = await app.call<string>('templateCreate', { name: 'Sender', source: '<h1>*|LIST:NAME|*</h1>' });
  const pictureOf = async (company: string) => {
    await app.call('accountUpdate', { name: 'company', value: company });
    await draw(id);
    return Buffer.from(await (await fetch(await addressOf(id))).arrayBuffer());
  };
  const ours = await pictureOf('Harbour');
  assert.ok(!ours.equals(await pictureOf('Lighthouse')));
  assert.ok(ours.equals(await pictureOf('Harbour')));
});

withBrowser('a picture is a PNG of the page, and a new source drops it', async () => {
  const id = await app.call<string>('templateCreate', { name: 'Real', source: '<h1>Hello *|FNAME:friend|*</h1>' });
  await draw(id);
  const address = await addressOf(id);
  const response = await fetch(address);
  assert.equal(response.headers.get('content-type'), 'image/png');
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
  assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [640, 800]);
  await app.call('templateUpdate', { template_id: id, name: 'source', value: '<p>new</p>' });
  assert.equal((await fetch(address)).headers.get('content-type'), 'image/svg+xml');
});

withBrowser(
  'while its picture is taken a page runs no script, reaches nothing, reads no file and goes nowhere',
  async (chromium) => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.end('<body bgcolor=red>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const shown = (hostile: string) => takePicture(chromium, `<body><p>x</p>${hostile}`, nothing);
      const plain = await shown('');
      const home = `http://127.0.0.1:${port}/`;
      const pages = [
        `<script>document.body.style.background="red";fetch("${home}")</script>`,
        `<img style="position:absolute" width=0 height=0 src="${home}a.png" onerror="document.body.bgColor='red'">`,
        `<link rel=stylesheet href="${home}s.css"><style>@import "${home}t.css"; body { background: url(${home}b.png) }</style>`,
        `<meta http-equiv=refresh content="0;url=${home}">`,
        '<meta http-equiv=refresh content="0;url=file:///etc/hostname">',
        `<iframe style="position:absolute;border:0;width:0;height:0" src="${home}"></iframe>`,
        `<link rel=preconnect href="${home}"><link rel=dns-prefetch href="//example.com"><link rel=prefetch href="${home}">`,
        `<object data="${home}" width=0 height=0></object><video src="${home}" width=0 height=0></video>`,
      ];
      for (const hostile of sample(pages, 4)) {
        assert.ok(plain.equals(await shown(hostile)), hostile);
      }
      assert.equal(requests, 0);
      const red =
        '<img style="position:absolute;left:0;top:0" width=300 height=300 src="data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E">';
      assert.ok(Buffer.isBuffer(await shown(red)));
    } finally {
      server.close();
    }
  },
);

withBrowser(
  'stored pictures are shown without network access',
  async (chromium) => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9" fill="red"/></svg>');
    const page = '<img width=300 height=300 alt="" src="http://mail.example/asset/x">';
    const asked: string[] = [];
    const own = async (url: string) => {
      asked.push(url);
      return { contentType: 'image/svg+xml', bytes: svg };
    };
    assert.ok(!(await takePicture(chromium, page, own)).equals(await takePicture(chromium, page, nothing)));
    assert.deepEqual(asked, ['http://mail.example/asset/x']);
  },
  slowTest,
);

test('merge tags show their defaults or the names of their fields, escaped', () => {
  assert.equal(withoutTags('*|FNAME:a<b|* *|LNAME|* *|UNSUB|* *|LIST:NAME|*'), '*|FNAME:a<b|* lname # Our newsletter');
  assert.equal(withoutTags('*|FNAME:"x&|*'), '&quot;x&amp;');
  const own = sendersTags('Harbour & Sons', 'Pier 1\n Town ');
  assert.equal(
    withoutTags('*|LIST:NAME|*, *|LIST:COMPANY|*, *|LIST:ADDRESS|*', own),
    'Harbour &amp; Sons, Harbour &amp; Sons, Pier 1, Town',
  );
  assert.equal(
    withoutTags('*|LIST:NAME|*, *|LIST:ADDRESS|*', sendersTags('', '')),
    'Our newsletter, 1 Example Road, Town',
  );
});
