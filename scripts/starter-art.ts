// `npm run starter:art`: rasterises the drawings of the starter templates (src/campaigns/starter/art/*.svg) to PNG at twice their
// size, because email clients show no SVG. The PNGs have a palette, which makes them a third of the size, and name the drawing
// they are from, so that a test finds one that is out of date.
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launchChromium } from '../src/campaigns/templates/chromium.ts';
import { testChromium } from '../test/support/browser/chromium.ts';
import { palettePng } from './palette-png.ts';

type Pixels = { width: number; height: number; pixels: string };

/** Runs in the browser, of which this program has no types. */
const inBrowser = `async (svg) => {
  const image = new Image();
  image.src = 'data:image/svg+xml;utf8,' + encodeURIComponent(svg);
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.width * 2;
  canvas.height = image.height * 2;
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  let text = '';
  for (let at = 0; at < data.length; at += 8192) text += String.fromCharCode(...data.subarray(at, at + 8192));
  return { width: canvas.width, height: canvas.height, pixels: btoa(text) };
}`;

const art = join(import.meta.dirname, '../src/campaigns/starter/art');
const browser = await launchChromium(await testChromium(), { chromiumSandbox: false });
const page = await browser.newPage();
for (const file of globSync('*.svg', { cwd: art }).sort()) {
  const svg = readFileSync(join(art, file), 'utf8');
  const { width, height, pixels } = await page.evaluate<Pixels>(`(${inBrowser})(${JSON.stringify(svg)})`);
  const source = createHash('sha256').update(svg).digest('hex');
  const png = palettePng(Buffer.from(pixels, 'base64'), { width, height, source });
  writeFileSync(join(art, file.replace(/svg$/, 'png')), png);
  console.log(`${file}: ${width} × ${height}, ${png.length} bytes`);
}
await browser.close();
