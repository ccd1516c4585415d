// Ten emails of the kinds that well-known newsletters have, built in the visual editor by mouse and keyboard: each within 15 minutes and
// 150 actions. What is delivered is rendered at the widths of two phones and a computer, and as Outlook lays it out.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDraft, saved, ui, visual } from '../support/browser/composer.ts';
import { Hand, scene } from '../support/browser/hand.ts';
import { letters } from '../support/browser/letters.ts';
import { inOutlook, isReadable, show } from '../support/browser/read-letter.ts';
import { noErrors, pictures } from '../support/browser/ui.ts';
import { until } from '../support/run/until.ts';

const maxActions = 150;
const maxMinutes = 15;
const maxBytes = 100_000;
const widths = [320, 390, 700] as const;

/** The email as it is delivered. */
async function delivered(cid: string, subject: string): Promise<string> {
  await ui.installation.call('campaignSendTest', { cid, test_emails: ['reader@example.com'] });
  const found = () => ui.installation.call<{ id: string }[]>('inboxMessages', { contains: subject });
  await until('the test email is delivered', async () => (await found()).length > 0);
  const [message] = await found();
  const [{ html }] = await ui.installation.call<[{ html: string }]>('inboxMessages', { id: message!.id });
  return html;
}

for (const letter of letters)
  test(`${letter.name}: built within ${maxActions} actions and ${maxMinutes} minutes, and readable everywhere`, async (t) => {
    const page = await ui.member();
    const cid = await createDraft(letter.subject, 'Newsletter', page);
    await visual(page).getByText('A heading that says').waitFor();
    const reader = await ui.visitor({ viewport: { width: 700, height: 900 } });
    const hand = new Hand(page);
    const started = performance.now();
    let drawn = letters.indexOf(letter) * 5;
    await letter.write(hand, (name, alt, width, height) => scene(reader, name, alt, drawn++, width, height));
    await saved(page);
    const minutes = (performance.now() - started) / 60_000;
    const html = await delivered(cid, letter.subject);
    t.diagnostic(`${hand.actions} actions, ${minutes.toFixed(1)} minutes, ${Math.round(html.length / 1_000)} kB`);
    assert.ok(hand.actions <= maxActions, `${hand.actions} actions`);
    assert.ok(minutes <= maxMinutes, `${minutes} minutes`);
    assert.ok(Buffer.byteLength(html) <= maxBytes, `${Buffer.byteLength(html)} bytes`);
    assert.doesNotMatch(html, /A heading that says|Write your news|A paragraph\.|Read more</, 'no sample is left');
    mkdirSync(join(pictures, 'letters'), { recursive: true });
    const keep = (name: string) =>
      process.env.PICTURES === undefined
        ? undefined
        : reader.screenshot({
            path: join(pictures, 'letters', `${letter.name.replaceAll(' ', '-')}-${name}.png`),
            fullPage: true,
          });
    if (process.env.PICTURES !== undefined)
      await page.screenshot({ path: join(pictures, 'letters', `${letter.name.replaceAll(' ', '-')}-editor.png`) });
    for (const width of widths) {
      const shown = await show(reader, html, width);
      await keep(String(width));
      isReadable(letter, width, shown);
    }
    const { scrollWidth, buttons } = await show(reader, inOutlook(html), 700);
    await keep('outlook');
    assert.ok(scrollWidth <= 700, `Outlook makes it ${scrollWidth} px wide`);
    assert.equal(buttons.length, letter.buttons);
    for (const { height, words } of buttons) assert.ok(height >= 44, `Outlook makes ${words} ${height} px high`);
    noErrors(page);
  });
