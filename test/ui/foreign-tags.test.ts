// An email that was pasted from another program: its merge tags are found and replaced with one click, wherever they are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentOf, createDraft, optionsOf, saved, typeSource, ui } from '../support/browser/composer.ts';
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
