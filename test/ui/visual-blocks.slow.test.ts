// The settings of blocks in the visual editor: link, width and place of an image; the look of a button; the space of any block; and
// columns that are below each other on a phone.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { languages } from '../../ui/src/text/languages.ts';
import { contentOf, createDraft, saved, ui, visual } from '../support/browser/composer.ts';
import { Hand, scene } from '../support/browser/hand.ts';
import { axe, eventually, noErrors, noSidewaysScroll, root, screenshots } from '../support/browser/ui.ts';
import { pictures } from '../support/builders/archives.ts';

/** The HTML, without spaces in styles. */
const html = async (cid: string) => (await contentOf(cid)).html.replaceAll(/([:;,]) /g, '$1');
const becomes = (cid: string, expected: RegExp) => eventually(async () => assert.match(await html(cid), expected));

async function draft(subject: string): Promise<{ page: Page; cid: string }> {
  const page = await ui.member();
  const cid = await createDraft(subject, 'Newsletter', page);
  await visual(page).getByText('A heading that says').waitFor();
  return { page, cid };
}
const block = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Blocks' }).getByRole('button', { name, exact: true }).click();
const type = async (page: Page, name: string, value: string) => {
  const field = page.getByRole('textbox', { name, exact: true });
  await field.fill(value);
  await field.blur();
};
const align = (page: Page, name: string) => page.getByRole('img', { name, exact: true }).click();

test('an image has a link, a width and a place', async () => {
  const { page, cid } = await draft('A picture with a link');
  await block(page, 'Image');
  const dialog = page.getByRole('dialog', { name: 'Choose an image' });
  await dialog
    .locator('input[type="file"]')
    .setInputFiles({ name: 'heron.png', mimeType: 'image/png', buffer: pictures.png });
  await dialog.getByRole('textbox', { name: 'Alt text' }).fill('A heron');
  await dialog.getByRole('button', { name: 'Use this image' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('textbox', { name: 'Link', exact: true }).pressSequentially('https://example.com/heron');
  await becomes(cid, /<a href="https:\/\/example\.com\/heron"[^>]*><img [^>]*alt="A heron"[^>]*><\/a>/);
  await type(page, 'Width', '240');
  await align(page, 'Centre');
  await becomes(cid, /<td[^>]* align="center"[^>]*><a [^>]*><img [^>]*width="240"[^>]*max-width:240px/);
  await becomes(cid, /<img [^>]*margin-left:auto;margin-right:auto/);
  await axe(page, 'image settings');
  await screenshots(page, 'composer-image-settings');
  // It is the link of the image when the email is opened again.
  await saved(page);
  await page.reload();
  await visual(page).locator('img[alt="A heron"]').click();
  const link = page.getByRole('textbox', { name: 'Link', exact: true });
  assert.equal(await link.inputValue(), 'https://example.com/heron');
  await link.fill('');
  await eventually(async () => assert.doesNotMatch(await html(cid), /example\.com\/heron/));
  assert.match(await html(cid), /<td[^>]*><img [^>]*alt="A heron"/);
  noErrors(page);
});

test('an image is cropped by a shape and by numbers, and one Undo brings the original back', async () => {
  const { page, cid } = await draft('A part of a picture');
  await new Hand(page).picture(await scene(await ui.visitor(), 'pier', 'The pier', 3, 1_000, 500));
  const shown = async () => {
    const image = visual(page).locator('img[alt="The pier"]');
    return image.evaluate((element) => {
      const { naturalWidth, naturalHeight, width } = element as HTMLImageElement;
      return `${naturalWidth} × ${naturalHeight}, shown in ${width}`;
    });
  };
  const becomesSize = (size: string) => eventually(async () => assert.equal(await shown(), size));
  await becomesSize('1000 × 500, shown in 600');
  const dialog = page.getByRole('dialog', { name: 'Crop the image' });
  const number = (name: string) => dialog.getByRole('textbox', { name });
  const crop = dialog.getByRole('button', { name: 'Crop', exact: true });
  await page.getByRole('button', { name: 'Crop', exact: true }).click();
  await dialog.getByText('3:1').click();
  assert.equal(await number('Height').inputValue(), '333 px');
  // Dragged by a corner, it keeps its shape.
  const corner = (await dialog.locator('[data-grip="se"]').boundingBox())!;
  await page.mouse.move(corner.x + 14, corner.y + 14);
  await page.mouse.down();
  await page.mouse.move(corner.x - 200, corner.y, { steps: 4 });
  await page.mouse.up();
  const [width, height] = await Promise.all(['Width', 'Height'].map(async (name) => number(name).inputValue()));
  assert.ok(Math.abs(Number.parseInt(width!, 10) / Number.parseInt(height!, 10) - 3) < 0.1, `${width} × ${height}`);
  await axe(page, 'crop');
  await screenshots(page, 'composer-crop');
  for (const [name, value] of [
    ['From the left', '100'],
    ['From the top', '0'],
    ['Width', '400'],
    ['Height', '300'],
  ] as const) {
    await number(name).fill(value);
    await number(name).blur();
  }
  await crop.click();
  await dialog.waitFor({ state: 'hidden' });
  await becomesSize('400 × 300, shown in 400');
  await becomes(cid, /<img [^>]*width="400"[^>]*max-width:400px/);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await becomesSize('1000 × 500, shown in 600');
  await page.getByRole('button', { name: 'Redo', exact: true }).click();
  await becomesSize('400 × 300, shown in 400');
  // Cropping again begins with the original, and both are among the images.
  await page.getByRole('button', { name: 'Crop', exact: true }).click();
  assert.equal(await number('From the left').inputValue(), '100 px');
  await dialog.getByRole('button', { name: 'Whole image' }).click();
  assert.equal(await number('Width').inputValue(), '1000 px');
  await page.keyboard.press('Escape');
  const assets = await ui.installation.call<{ width: number }[]>('assets', {});
  for (const width of [400, 1_000]) assert.ok(assets.some((asset) => asset.width === width));
  noErrors(page);
});

test('an image comes back with its address on Redo, and after Undo the panel no longer has its settings', async () => {
  const { page, cid } = await draft('A picture again');
  const undo = page.getByRole('button', { name: 'Undo', exact: true });
  const redo = page.getByRole('button', { name: 'Redo', exact: true });
  const before = await html(cid);
  await new Hand(page).picture(await scene(await ui.visitor(), 'reeds', 'The reeds', 7, 800, 400));
  await becomes(cid, /<img src="https?:[^"]+" alt="The reeds"/);
  await saved(page);
  const added = await html(cid);
  const panel = (name: string) => page.getByRole('heading', { name, level: 3, exact: true });
  await panel('Image').waitFor();
  await undo.click();
  await eventually(async () => assert.equal(await html(cid), before));
  assert.equal(await undo.isEnabled(), false, 'one step');
  await panel('Blocks').waitFor();
  await panel('Email settings').waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Alt text' }).count(), 0);
  await redo.click();
  await eventually(async () => assert.equal(await html(cid), added));
  // An image that replaces it: the same.
  await visual(page).locator('img[alt="The reeds"]').click();
  await page.getByRole('button', { name: 'Crop', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Crop the image' });
  await dialog.getByText('3:1').click();
  await dialog.getByRole('button', { name: 'Crop', exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
  await eventually(async () => assert.notEqual(await html(cid), added));
  await saved(page);
  const cropped = await html(cid);
  await undo.click();
  await eventually(async () => assert.equal(await html(cid), added));
  await redo.click();
  await eventually(async () => assert.equal(await html(cid), cropped));
  // Removed by Redo, and brought back by Undo.
  await visual(page).locator('img[alt="The reeds"]').click();
  await page.keyboard.press('Delete');
  await eventually(async () => assert.equal(await html(cid), before));
  await undo.click();
  await eventually(async () => assert.equal(await html(cid), cropped));
  await visual(page).locator('img[alt="The reeds"]').click();
  await panel('Image').waitFor();
  await redo.click();
  await panel('Blocks').waitFor();
  await eventually(async () => assert.equal(await html(cid), before));
  noErrors(page);
});

test('the width of an image is moved by a slider in one step, and missing alt text is asked for', async () => {
  const { page, cid } = await draft('A narrower picture');
  await new Hand(page).picture(await scene(await ui.visitor(), 'lamp', 'A lamp', 5, 1_000, 500));
  const slider = page.getByRole('slider', { name: 'Width' });
  await slider.focus();
  await page.keyboard.press('ArrowLeft');
  await becomes(cid, /<img [^>]*width="599"[^>]*max-width:599px/);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await becomes(cid, /<img [^>]*width="600"[^>]*max-width:600px/);
  await slider.scrollIntoViewIfNeeded();
  const thumb = (await slider.boundingBox())!;
  await page.mouse.move(thumb.x + thumb.width / 2, thumb.y + thumb.height / 2);
  await page.mouse.down();
  await page.mouse.move(thumb.x - 100, thumb.y + thumb.height / 2, { steps: 6 });
  await page.mouse.up();
  await becomes(cid, /<img [^>]*width="[1-4]\d\d"/);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await becomes(cid, /<img [^>]*width="600"[^>]*max-width:600px/);
  await page.getByRole('textbox', { name: 'Alt text' }).fill('');
  await page.getByText('people who do not see the image').waitFor();
  noErrors(page);
});

test('a button is called one, and has padding, corners, colour, place and full width', async () => {
  const { page, cid } = await draft('A button of our own');
  await block(page, 'Button');
  await page.getByRole('heading', { name: 'Button', level: 3 }).waitFor();
  await type(page, 'Padding above and below', '18');
  await type(page, 'Padding at the sides', '40');
  await type(page, 'Rounded corners', '20');
  await type(page, 'Button colour', '#aa2211');
  await becomes(cid, /<td [^>]*style="[^"]*background-color:#aa2211[^"]*"[^>]*><a [^>]*padding:18px 40px 18px 40px/);
  await becomes(cid, /<td [^>]*style="[^"]*border-radius:20px/);
  await align(page, 'Right');
  await becomes(cid, /<td[^>]* align="right"[^>]*><table[^>]*margin-left:auto;margin-right:0/);
  await page.getByRole('switch', { name: 'Full width' }).check();
  await becomes(cid, /<table[^>]* width="100%"[^>]*>(?:(?!<table)[\s\S])*<a [^>]*display:block/);
  // What Outlook reads, which ignores the padding and the place of links.
  await becomes(cid, /<td align="center" style="[^"]*mso-padding-alt:18px 40px 18px 40px[^"]*"><a /);
  await axe(page, 'button settings');
  await screenshots(page, 'composer-button-settings');
  await noSidewaysScroll(page);
  noErrors(page);
});

test('every block has its space, also where one declaration had all sides', async () => {
  const { page, cid } = await draft('Room to breathe');
  await visual(page).getByText('A heading that says').click();
  assert.equal(await page.getByRole('textbox', { name: 'Space below', exact: true }).inputValue(), '8 px');
  await type(page, 'Space above', '12');
  await type(page, 'Space below', '44');
  await becomes(cid, /<td style="[^"]*padding:12px 32px 44px 32px[^"]*">A heading that says/);
  await type(page, 'Space at the sides', '20');
  await becomes(cid, /padding:12px 20px 44px 20px/);
  noErrors(page);
});

for (const [name, count] of [
  ['Two columns', 2],
  ['Three columns', 3],
] as const)
  test(`${name.toLowerCase()} are beside each other in a wide email and below each other on a phone, without a media query`, async () => {
    const { page, cid } = await draft(name);
    await block(page, name);
    await becomes(cid, /A paragraph/);
    const email = await html(cid);
    assert.doesNotMatch(email, /@media/);
    assert.equal(email.split('<td width=').length - 1, count, 'Outlook gets a table');
    await screenshots(page, `composer-columns-${count}`);
    await saved(page);
    await page.reload();
    await visual(page).getByText('A paragraph').first().waitFor();
    assert.equal(await page.getByText('cannot edit this HTML').count(), 0);
    const reader = await ui.visitor({ viewport: { width: 375, height: 700 } });
    await reader.setContent((await contentOf(cid)).html);
    const boxes = async () =>
      (await reader.getByText('A paragraph').all()).map(async (part) => (await part.boundingBox())!);
    const phone = await Promise.all(await boxes());
    assert.equal(phone.length, count);
    for (const [at, box] of phone.entries()) {
      assert.ok(box.width > 260, `${box.width} px on a phone`);
      if (at > 0) assert.ok(box.y >= phone[at - 1]!.y + phone[at - 1]!.height, 'below');
    }
    await reader.setViewportSize({ width: 800, height: 700 });
    const wide = await Promise.all(await boxes());
    assert.equal(new Set(wide.map(({ y }) => y)).size, 1, 'beside each other');
    noErrors(page);
  });

test('blocks go into a column; columns have a count, a ratio and a place on phones, and lose nothing', async () => {
  const { page, cid } = await draft('A grid of products');
  await block(page, 'Three columns');
  await visual(page).getByText('A paragraph').nth(1).click();
  await block(page, 'Button');
  await block(page, 'Heading');
  // They are in the second column, with the space of one, and Outlook reads three cells.
  await becomes(cid, /Read more[\s\S]*A heading that says[\s\S]*A paragraph/);
  const reader = await ui.visitor({ viewport: { width: 800, height: 700 } });
  const boxes = async () => {
    await reader.setContent((await contentOf(cid)).html);
    const paragraphs = await reader.getByText('A paragraph').all();
    return Promise.all(
      [...paragraphs, reader.getByRole('link', { name: 'Read more' })].map((part) => part.boundingBox()),
    );
  };
  const three = await boxes();
  assert.ok(Math.abs(three[3]!.x - three[1]!.x - 8) < 8, JSON.stringify(three));
  await page.getByRole('button', { name: 'Select the columns' }).click();
  await page.getByRole('radiogroup', { name: 'Columns' }).getByText('2').click();
  await page.getByRole('combobox', { name: 'Ratio' }).click();
  await page.getByRole('option', { name: '33 : 67' }).click();
  await becomes(cid, /<td width="33\.33%"[^>]*>(?:(?!<td width)[\s\S])*<td width="66\.66%"/);
  // What was in the third column is in the second.
  const two = await boxes();
  assert.equal(two.length, 4);
  assert.ok(two[1]!.width > 1.7 * two[0]!.width, JSON.stringify(two));
  assert.equal(two[2]!.x, two[1]!.x);
  await page.getByRole('switch', { name: 'Below each other on phones' }).uncheck();
  await becomes(cid, /<div style="[^"]*;width:33\.33%/);
  await reader.setViewportSize({ width: 375, height: 700 });
  const phone = await boxes();
  assert.equal(phone[0]!.y, phone[1]!.y, 'beside each other on a phone too');
  // A column without blocks goes, and the other takes its room.
  await visual(page).getByText('A paragraph').first().click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await eventually(async () => assert.equal((await html(cid)).split('<td width=').length - 1, 1));
  noErrors(page);
});

test('the panel has content, style and spacing, and every block a background', async () => {
  const { page, cid } = await draft('Three groups');
  await block(page, 'Button');
  for (const name of ['Content', 'Style', 'Spacing and background'])
    await page.getByRole('region', { name, exact: true }).waitFor();
  // Letter by letter, as a person types.
  const ground = page.getByRole('textbox', { name: 'Background', exact: true });
  await ground.click();
  await ground.pressSequentially('#ffeecc');
  await becomes(cid, /<td style="[^"]*background-color:#ffeecc[^"]*"[^>]*><table/);
  await page.keyboard.press('Control+a');
  await ground.pressSequentially('#fde');
  await ground.blur();
  await becomes(cid, /<td style="[^"]*background-color:#fde[;"]/);
  await axe(page, 'groups of settings');
  noErrors(page);
});

test('a block goes into the email also when one block is left in it', async () => {
  const { page, cid } = await draft('One block left');
  await visual(page).getByText('A heading that says').click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await visual(page).getByText('Write your news here').click();
  await block(page, 'Button');
  await becomes(cid, /Write your news here[\s\S]*Read more[\s\S]*LIST:COMPANY/);
  noErrors(page);
});

test('a block added below another one is in the same card, and the panel shows the alignment that is seen', async () => {
  const page = await ui.member();
  const cid = await createDraft('A whole card', 'Digest', page);
  const texts = visual(page);
  await texts.getByText('Five things worth your time').last().click();
  assert.equal(await page.getByRole('radio', { name: 'Centre' }).isChecked(), true);
  // On the coloured head: in the colour of its texts.
  await block(page, 'Text');
  await becomes(cid, /color:#ffffff;[^"]*background-color:#1f5fbf[^"]*"[^>]*>[^<]*A paragraph/);
  await becomes(cid, /text-align:center;[^"]*"[^>]*>[^<]*A paragraph/);
  await page.keyboard.press('Escape');
  await texts.getByText('Say in two sentences').click();
  assert.equal(await page.getByRole('radio', { name: 'Left' }).isChecked(), true);
  await block(page, 'Button');
  await becomes(cid, /Say in two sentences[\s\S]*href="https:\/\/"[\s\S]*A story with a picture/);
  await block(page, 'Two columns');
  await becomes(cid, /href="https:\/\/"[\s\S]*<td width="50%"[\s\S]*A story with a picture/);
  const reader = await ui.visitor({ viewport: { width: 800, height: 900 } });
  await reader.setContent((await contentOf(cid)).html);
  const cells = await reader.evaluate(() =>
    [...document.querySelectorAll('table[style*="max-width"] > tbody > tr > td')].slice(0, 8).map((cell) => {
      const { backgroundColor, paddingLeft } = getComputedStyle(cell);
      return `${backgroundColor} ${paddingLeft}`;
    }),
  );
  const white = 'rgb(255, 255, 255) ';
  assert.deepEqual(cells.slice(5), [`${white}48px`, `${white}48px`, `${white}40px`], cells.join('\n'));
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await eventually(async () => assert.doesNotMatch(await html(cid), /<td width="50%"/));
  await screenshots(page, 'composer-card');
  noErrors(page);
});

test('no word of a block is divided or touches the border of its tile, in any language, and titles lead their fields', async () => {
  const { page } = await draft('Names in tiles');
  const tile = page.getByRole('group', { name: 'Blocks' }).getByRole('button').first();
  const broken: string[] = [];
  for (const language of Object.keys(languages)) {
    const texts = JSON.parse(readFileSync(join(root, `ui/src/locales/${language}/visual.json`), 'utf8'));
    const names = Object.entries<string>(texts).flatMap(([key, name]) => (key.startsWith('block.') ? [name] : []));
    const faults = await tile.evaluate((button, names) => {
      const name = button.querySelector('span')!;
      const before = name.textContent;
      const { left, right } = button.getBoundingClientRect();
      const found = names.flatMap((words) => {
        name.textContent = words;
        const node = name.firstChild!;
        return [...words.matchAll(/\S+/g)].flatMap(({ index, 0: word }) => {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          const boxes = [...range.getClientRects()];
          const fits = boxes.length === 1 && boxes[0]!.left >= left + 3 && boxes[0]!.right <= right - 3;
          return fits ? [] : [`${word} ${boxes.map(({ width }) => Math.round(width))}`];
        });
      });
      name.textContent = before;
      return found;
    }, names);
    broken.push(...faults.map((fault) => `${language}: ${fault}`));
  }
  assert.deepEqual(broken, []);
  await visual(page).getByText('A heading that says').click();
  const look = (part: Locator) =>
    part.evaluate((element) => {
      const { color, fontSize, fontWeight } = getComputedStyle(element);
      return { color, size: Number.parseInt(fontSize, 10), weight: Number(fontWeight) };
    });
  const title = await look(page.getByRole('heading', { name: 'Style', exact: true }));
  const label = await look(page.locator('label', { hasText: 'Text size' }));
  assert.ok(title.size > label.size, JSON.stringify([title, label]));
  assert.deepEqual([title.color, title.weight], [label.color, 600]);
  assert.deepEqual(await look(page.getByText('Alignment', { exact: true })), label);
  const icon = (await page.getByRole('button', { name: 'All blocks' }).locator('svg').boundingBox())!;
  const name = (await page.getByRole('heading', { name: 'Heading', level: 3, exact: true }).boundingBox())!;
  assert.ok(Math.abs(icon.x + 5 - name.x) < 3, `${icon.x} ${name.x}`);
  noErrors(page);
});
