// An email that was pasted from another program: its merge tags are found and replaced with one click, wherever they are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { contentOf, createDraft, openSection, optionsOf, saved, typeSource, ui } from '../support/browser/composer.ts';
import { axe, eventually, noSidewaysScroll, screenshots } from '../support/browser/ui.ts';

test('merge tags of another program in pasted HTML are replaced with one click', async () => {
  const page = await ui.member();
  const cid = await createDraft('Hallo {{ contact.FIRSTNAME }}', 'Newsletter', page);
  const note = page.getByRole('region', { name: 'Merge tags of another program' });
  await note.getByText('{{ contact.FIRSTNAME }}').waitFor();
  await page.getByRole('tab', { name: 'HTML source' }).click();
  await typeSource(
    '<p>Hallo {{ contact.FIRSTNAME }} aus {{ contact.MOON }}</p><a href="{{unsubscribe}}">Leave</a><script>x()</script>',
    page,
  );
  await note.getByText('3 merge tags of another program').waitFor();
  await note.getByText('Nothing here means the same').waitFor();
  await note.getByText('This HTML has scripts. Every mailbox removes them.').waitFor();
  await axe(page, 'merge tags of another program');
  await screenshots(page, 'composer-foreign-tags');
  await noSidewaysScroll(page);
  await note.getByRole('button', { name: 'Replace with *|UNSUB|*: {{unsubscribe}}' }).click();
  await saved(page);
  await eventually(async () => assert.match((await contentOf(cid)).html, /<a href="\*\|UNSUB\|\*">/));
  await note.getByRole('button', { name: 'Replace with *|FNAME|*: {{ contact.FIRSTNAME }}' }).click();
  await saved(page);
  await eventually(async () => {
    assert.match((await contentOf(cid)).html, /<p>Hallo \*\|FNAME\|\* aus \{\{ contact\.MOON \}\}<\/p>/);
    assert.equal((await optionsOf(cid))['subject'], 'Hallo *|FNAME|*');
  });
  await note.getByText('1 merge tag of another program').waitFor();
  // Markdown, too, and all at once.
  await page.getByRole('tab', { name: 'Markdown' }).click();
  await page.getByRole('button', { name: 'Replace with Markdown' }).click();
  const markdown = page.getByRole('textbox', { name: 'Markdown' });
  await markdown.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('Dear %FIRSTNAME% {{ last_name }}, [leave]({{ unsubscribe_link }})');
  await note.getByRole('button', { name: 'Replace 3' }).click();
  await eventually(async () =>
    assert.equal(await markdown.textContent(), 'Dear *|FNAME|* *|LNAME|*, [leave](*|UNSUB|*)'),
  );
  await note.waitFor({ state: 'detached' });
  await saved(page);
});

/** What the console of a page shows in red, and the requests that were not answered. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('requestfailed', (request) => {
    // The progress of campaigns, which ends with the page.
    if (!request.url().includes('/events?')) complaints.push(`${request.url()} ${request.failure()?.errorText}`);
  });
  page.on(
    'response',
    (response) => response.status() >= 400 && complaints.push(`${response.url()} ${response.status()}`),
  );
  return complaints;
}

test('previews of pasted HTML ask for no picture that only the author has, and the check names each', async () => {
  const page = await ui.member();
  await createDraft('From a mail program', 'Newsletter', page);
  await page.getByRole('tab', { name: 'HTML source' }).click();
  await page.getByRole('textbox', { name: 'HTML source' }).waitFor();
  const complaints = complaintsOf(page);
  await typeSource(
    `<html><head><base href="file:///C:/mail/"><link rel="stylesheet" href="style.css"><style>@import url("more.css"); p{background:url(bg.png)}</style></head>
<body background="wall.gif"><p style="background-image:url('img/back.png')">Dear readers</p><script src="track.js"></script><iframe src="frame.html"></iframe>
<img src="images/logo.png" alt="The logo" width="100" height="40"><img src="file:///C:/Users/me/pic.jpg" alt="Mine"><img src="cid:part1@example" alt="Attached">
<img src="http://127.0.0.1:9/x.png" alt="Here"><img src="http://nas.local/a.png" alt="Our network"><img src="*|LOGO|*" alt="Tag"><a href="*|UNSUB|*">Leave</a></body></html>`,
    page,
  );
  await saved(page);
  const live = page.frameLocator('iframe[title="Live preview"]');
  await live.getByText('Dear readers').waitFor();
  // Where a picture is missing is its place, with its description.
  const box = (await live.getByAltText('The logo').boundingBox())!;
  assert.deepEqual([box.width, box.height], [100, 40]);
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  await page.frameLocator('iframe[title="Email preview"]').getByText('Dear readers').waitFor();
  await page.keyboard.press('Escape');
  await openSection('check', page);
  for (const address of ['wall.gif', 'file:///C:/Users/me/pic.jpg', 'http://nas.local/a.png'])
    await page.locator('#section-check').getByText(address).first().waitFor();
  assert.deepEqual(complaints, []);
});
