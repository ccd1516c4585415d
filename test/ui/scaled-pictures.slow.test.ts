// Browser test of scaling: a photo wider than an email shows is scaled down before its upload, unless the user keeps it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, noErrors, screenshots, settled, uiTest } from '../support/browser/ui.ts';

const ui = uiTest();

type Asset = { title: string; width: number; height: number; size: number; url: string };

/** EXIF that says: turn a quarter to the right to see it upright. */
const turned = Buffer.from(
  'ffe10022457869660000' + '4d4d002a00000008' + '0001011200030000000100060000' + '00000000',
  'hex',
);

/** A photo-like image of the size: gradients and noise, which compress as badly as photos do. */
async function photo(type: string, width: number, height: number): Promise<Buffer> {
  const bytes = await ui.page.evaluate(
    async ([type, width, height]) => {
      const canvas = Object.assign(document.createElement('canvas'), { width, height });
      const context = canvas.getContext('2d')!;
      const image = context.createImageData(width, height);
      for (let at = 0, seed = 1; at < image.data.length; at += 4) {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        const noise = (seed >> 16) & 31;
        image.data.set([(at / 4 / width / height) * 200 + noise, 90 + noise, 200 - noise, 255], at);
      }
      context.putImageData(image, 0, 0);
      const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, type, 0.95));
      const reader = new FileReader();
      return new Promise<string>((done) => {
        reader.onload = () => done(String(reader.result).split(',')[1]!);
        reader.readAsDataURL(blob!);
      });
    },
    [type, width, height] as const,
  );
  return Buffer.from(bytes, 'base64');
}

test('a large photo is scaled down before its upload, upright, and can be kept as it is', async () => {
  const { page, installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'Readers' });
  const cid = await installation.call<string>('campaignCreate', {
    type: 'html',
    options: { list_id: list, subject: 'News', from_email: 'ann@example.com', from_name: 'Ann', generate_text: true },
    content: { html: '<p>News</p><p><a href="*|UNSUB|*">Leave</a></p>' },
  });
  const newest = async () => (await installation.call<Asset[]>('assets', { limit: 1 }))[0]!;
  await ui.open(`/campaigns/${cid}/edit`);
  const plain = await photo('image/jpeg', 4_000, 3_000);
  assert.ok(plain.length > 5 * 1024 * 1024, `${plain.length} bytes`);
  const dialog = page.getByRole('dialog', { name: 'Choose an image' });
  const use = dialog.getByRole('button', { name: 'Use this image' });
  const choose = async (name: string, mimeType: string, buffer: Buffer) => {
    await page.getByRole('button', { name: 'Image', exact: true }).click();
    await dialog.locator('input[type="file"]').setInputFiles({ name, mimeType, buffer });
    await dialog.getByRole('textbox', { name: 'Alt text' }).fill(name);
  };
  const scale = dialog.getByRole('switch', { name: 'Scale down for email' });

  // Stored lying, as cameras do: 4,000 × 3,000 pixels that are seen as 3,000 × 4,000.
  const lying = Buffer.concat([plain.subarray(0, 2), turned, plain.subarray(2)]);
  await choose('harbour.jpg', 'image/jpeg', lying);
  await dialog.getByText(/^3,000 × 4,000, \d+(\.\d)? MB → 1,200 × 1,600, \d+ kB$/).waitFor();
  assert.ok(await scale.isChecked());
  await settled(page);
  await axe(page, 'image dialog with a photo');
  await screenshots(page, 'composer-picture-scaled');
  await use.click();
  await dialog.waitFor({ state: 'hidden' });
  const scaled = await newest();
  assert.deepEqual([scaled.title, scaled.width, scaled.height], ['harbour.jpg', 1_200, 1_600]);
  assert.ok(scaled.size < plain.length / 5, `${scaled.size} of ${plain.length} bytes`);
  assert.equal((await fetch(scaled.url)).headers.get('content-type'), 'image/jpeg');

  // Too large as it is: the fault of the server is shown, and nothing is stored.
  await choose('harbour-2.jpg', 'image/jpeg', plain);
  await scale.uncheck({ force: true });
  await use.click();
  await dialog.getByText(/5 MiB/).last().waitFor();
  await dialog.getByRole('alert').waitFor();
  assert.equal((await newest()).title, 'harbour.jpg');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });

  await choose('map.png', 'image/png', await photo('image/png', 1_400, 300));
  await scale.uncheck({ force: true });
  await use.click();
  await dialog.waitFor({ state: 'hidden' });
  assert.deepEqual([(await newest()).title, (await newest()).width], ['map.png', 1_400]);

  // Not wider than an email needs: no switch, and stored as it is.
  await choose('small.webp', 'image/webp', await photo('image/webp', 1_200, 300));
  await use.click();
  await dialog.waitFor({ state: 'hidden' });
  assert.deepEqual([(await newest()).title, (await newest()).width], ['small.webp', 1_200]);
  noErrors(page);
});
