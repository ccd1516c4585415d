// Hostile messages in every view of the built-in inbox: they run no script, load nothing and navigate nowhere.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { testMail, uiTest } from '../support/browser/ui.ts';

const ui = uiTest();
let elsewhere: Server;
let base: string;
const requests: string[] = [];

before(async () => {
  elsewhere = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'image/gif' }).end();
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
});
after(async () => {
  elsewhere?.close();
});

/** When it runs, each calls the other server or sets `ran` in the page. */
const payloads = (at: string) => [
  `<script>fetch('${at}/script');window.top.ran=1;parent.ran=1</script>`,
  `<img src=x onerror="fetch('${at}/onerror');top.ran=1">`,
  `<svg onload="fetch('${at}/svg');top.ran=1"></svg>`,
  `<body onload="top.ran=1"><iframe src="javascript:top.ran=1"></iframe>`,
  `<a id="trap" href="javascript:top.ran=1">click</a>`,
  `<meta http-equiv="refresh" content="0;url=javascript:top.ran=1">`,
  `<meta http-equiv="refresh" content="0;url=${at}/refresh">`,
  `<object data="data:text/html,<script>top.ran=1</script>"></object>`,
  `<form action="${at}/form"><button id="go">go</button></form>`,
  `<link rel="stylesheet" href="${at}/style.css"><style>@import url('${at}/import.css');body{background:url(${at}/background)}</style>`,
  `<video src="${at}/video" autoplay></video><audio src="${at}/audio" autoplay></audio>`,
  `<iframe srcdoc="<script>top.top.ran=1</script>"></iframe><iframe src="${at}/frame"></iframe>`,
  `</iframe><script>top.ran=1</script>`,
  `"><script>top.ran=1</script>`,
  `<base href="${at}/"><img src="relative.gif">`,
];

test('a hostile message runs no script and sends no request, in any view', async () => {
  const page = await ui.member();
  for (const [at, payload] of payloads(base).entries())
    await testMail(
      ui,
      `<img src=x onerror="top.ran=1"> "><script>top.ran=1</script> ${at}`,
      `<p>Number ${at}</p>${payload}`,
    );
  await ui.open('/inbox', page);
  await ui.installation.until(
    'all have arrived',
    async () =>
      (await ui.installation.call<unknown[]>('inboxMessages', { contains: 'onerror', limit: 100 })).length ===
      payloads(base).length,
  );
  const messages = await ui.installation.call<{ id: string }[]>('inboxMessages', { contains: 'onerror', limit: 100 });
  for (const { id } of messages) {
    for (const view of ['shown', 'text', 'headers', 'source']) {
      await ui.open(`/inbox/${id}?view=${view}`, page);
      if (view === 'shown')
        await page
          .frameLocator('iframe')
          .getByText(/Number \d+/)
          .waitFor();
      assert.equal(await page.evaluate(() => 'ran' in window), false, `${id} ${view}`);
      assert.ok(page.url().startsWith(ui.installation.base), 'the page did not navigate away');
    }
  }
  assert.deepEqual(requests, []);
});
