// The brand in the browser: chosen in the settings with a preview, followed by starter templates, and shown to recipients.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, eventually, noErrors, noSidewaysScroll, screenshots, settled, uiTest } from '../support/browser/ui.ts';
import { pictures } from '../support/builders/archives.ts';

const ui = uiTest();
type Brand = { color: string; font: string; footer: string; logo_url: string; text_on_color: string; contrast: number };
const brandOf = () => ui.installation.call<Brand>('brandGet');

test('the brand is chosen with a preview, and templates and public pages follow it', async () => {
  const { page, installation } = ui;
  await ui.open('/settings/brand');
  const colour = page.getByRole('textbox', { name: 'Brand colour', exact: true });
  await colour.fill('yellow');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Enter a colour such as #1f5fbf').waitFor();
  await colour.fill('#ffd400');
  await page.getByText(/^Dark text is readable/).waitFor();
  await colour.fill('#0f766e');
  const said = await page.getByText(/^White text is readable/).textContent();
  // It stands with the colour that it is about.
  const x = async (locator: typeof colour) => (await locator.boundingBox())!.x;
  const besides = await x(page.getByRole('textbox', { name: 'Background', exact: true }));
  assert.ok((await x(page.getByText(/^White text is readable/))) < besides);
  await page.getByRole('combobox', { name: 'Font' }).selectOption({ label: 'Georgia' });
  await page.getByRole('textbox', { name: 'Footer text' }).fill('Since 1871');
  await page.locator('input[type="file"]').setInputFiles({
    name: 'logo.png',
    mimeType: 'image/png',
    buffer: pictures.png,
  });
  await page.getByRole('img', { name: 'Logo' }).waitFor();
  await settled(page);
  await axe(page, 'brand');
  await screenshots(page, 'settings-brand');
  await noSidewaysScroll(page);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^Brand saved/).waitFor();
  const brand = await brandOf();
  assert.deepEqual([brand.color, brand.font, brand.footer], ['#0f766e', 'georgia', 'Since 1871']);
  assert.match(brand.logo_url, /\/asset\//);
  // The preview and the program compute the same.
  assert.ok(said?.includes(`${brand.contrast.toFixed(1)}:1`), String(said));
  const templates = await installation.call<{ name: string; source: string }[]>('campaignTemplates');
  assert.equal(templates.length, 20);
  for (const { name, source } of templates) {
    assert.match(source, /Georgia,serif/, name);
    assert.match(source, /Since 1871/, name);
  }
  noErrors(page);
});

test('the gallery shows the twenty templates', async () => {
  const { page } = ui;
  await ui.open('/templates');
  await eventually(async () => assert.equal(await page.locator('main li img').count(), 20));
  await settled(page);
  await screenshots(page, 'templates-brand');
  await axe(page, 'gallery');
});

test('the sign-up page has the logo, the colours and the font', async () => {
  const { installation } = ui;
  const list = await installation.call<string>('listCreate', { title: 'Friends' });
  await installation.call('listFormUpdate', { id: list, options: { enabled: true } });
  const { url } = await installation.call<{ url: string }>('listForm', { id: list });
  const page = await ui.visitor();
  await page.goto(url);
  const button = page.getByRole('button');
  assert.equal(await button.evaluate((element) => getComputedStyle(element).backgroundColor), 'rgb(15, 118, 110)');
  assert.match(await button.evaluate((element) => getComputedStyle(element).fontFamily), /Georgia/);
  assert.ok(await page.locator('header img').evaluate((image) => (image as HTMLImageElement).naturalWidth > 0));
  await axe(page, 'sign-up page');
});

test('in German the brand is German', async () => {
  const page = await ui.member();
  await page.addInitScript(() => localStorage.setItem('postrider-language', 'de'));
  await ui.open('/settings/brand', page);
  await page.getByRole('heading', { level: 1, name: 'Marke' }).waitFor();
  await page.getByRole('textbox', { name: 'Markenfarbe', exact: true }).waitFor();
  await page.getByText(/^Weißer Text ist darauf lesbar \(Kontrast \d+,\d:1\)/).waitFor();
});
