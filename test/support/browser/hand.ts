// The hand of a person who writes an email in the visual editor: only what the mouse and the keyboard can do, and how many actions
// that took. An action is a click, a double click, a key, a text typed in one go, or a file chosen.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { eventually, writing } from './ui.ts';

export type Scene = { name: string; alt: string; bytes: Buffer };

export class Hand {
  actions = 0;

  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get email() {
    return this.page.frameLocator('iframe[title="Email editor"]');
  }

  async click(target: Locator): Promise<void> {
    this.actions += 1;
    // Turning the wheel is no action: without it, what is below the bar of the page cannot be clicked.
    await target.evaluate((element) => element.scrollIntoView({ block: 'center' }));
    await target.click();
  }

  async press(key: string): Promise<void> {
    this.actions += 1;
    await this.page.keyboard.press(key);
  }

  async type(words: string): Promise<void> {
    this.actions += 1;
    await this.page.keyboard.type(words);
  }

  button(name: string): Promise<void> {
    return this.click(this.page.getByRole('button', { name, exact: true }));
  }

  /** Replaces what is in a field of the panel. */
  async field(name: string, value: string): Promise<void> {
    const field = this.page.getByRole('textbox', { name, exact: true });
    await this.click(field);
    await this.press('Control+a');
    await this.type(value);
  }

  /** A field that takes its value when it is left. */
  async setting(name: string, value: string): Promise<void> {
    await this.field(name, value);
    await this.press('Tab');
  }

  async option(field: string, name: string): Promise<void> {
    await this.click(this.page.getByRole('combobox', { name: field, exact: true }));
    await this.click(this.page.getByRole('option', { name, exact: true }));
  }

  /** Adds a text, or a heading, with these words. */
  async write(block: 'Heading' | 'Text', words: string): Promise<void> {
    await this.button(block);
    await this.#selected();
    await this.type(words);
  }

  /** Replaces a text of the email. */
  async rewrite(words: string, by: string, nth = 0): Promise<void> {
    this.actions += 1;
    await this.email.getByText(words).nth(nth).dblclick();
    await writing(this.page);
    await this.press('Control+a');
    await this.type(by);
  }

  /** Waits until the sample of a new text is selected. */
  async #selected(): Promise<void> {
    await writing(this.page);
    const isCollapsed = () =>
      this.email.locator('body').evaluate((body) => body.ownerDocument.getSelection()?.isCollapsed);
    await eventually(async () => assert.equal(await isCollapsed(), false), 60_000);
  }

  /** Links the words that are written in, from their end: as many letters as `words` has. */
  async link(words: string, href: string): Promise<void> {
    for (const [word] of words.matchAll(/\S+/g)) {
      void word;
      await this.press('Control+Shift+ArrowLeft');
    }
    await this.click(this.page.getByRole('toolbar', { name: 'Text' }).getByRole('button', { name: 'Link' }));
    await this.type(href);
    await this.press('Enter');
  }

  async picture({ name, alt, bytes }: Scene, block = 'Image'): Promise<void> {
    await this.button(block);
    const dialog = this.page.getByRole('dialog', { name: 'Choose an image' });
    this.actions += 1;
    await dialog
      .locator('input[type="file"]')
      .setInputFiles({ name: `${name}.png`, mimeType: 'image/png', buffer: bytes });
    await this.click(dialog.getByRole('textbox', { name: 'Alt text' }));
    await this.type(alt);
    await this.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await this.page.getByRole('heading', { name: 'Image', level: 3 }).waitFor();
  }

  /** Adds a button. */
  async cta(label: string, href: string): Promise<void> {
    await this.button('Button');
    await this.page.getByRole('heading', { name: 'Button', level: 3 }).waitFor();
    await this.field('Link', href);
    await this.field('Label', label);
  }

  align(name: 'Left' | 'Centre' | 'Right'): Promise<void> {
    return this.click(this.page.getByRole('img', { name, exact: true }));
  }
}

/** A picture of our own: a sky, a sun and hills, in the colours of its number. */
export async function scene(
  page: Page,
  name: string,
  alt: string,
  seed: number,
  width = 1_200,
  height = 600,
): Promise<Scene> {
  const base64 = await page.evaluate(
    async ([seed, width, height]) => {
      const canvas = Object.assign(document.createElement('canvas'), { width, height });
      const context = canvas.getContext('2d')!;
      const hue = (seed * 47) % 360;
      const sky = context.createLinearGradient(0, 0, 0, height);
      sky.addColorStop(0, `hsl(${hue} 60% 45%)`);
      sky.addColorStop(1, `hsl(${(hue + 40) % 360} 80% 85%)`);
      context.fillStyle = sky;
      context.fillRect(0, 0, width, height);
      context.fillStyle = `hsl(${(hue + 60) % 360} 90% 75%)`;
      context.beginPath();
      context.arc(width * (0.25 + ((seed * 0.17) % 0.5)), height * 0.4, height * 0.14, 0, 7);
      context.fill();
      for (const [at, light] of [40, 28, 18].entries()) {
        context.fillStyle = `hsl(${(hue + 120) % 360} 35% ${light}%)`;
        context.beginPath();
        context.moveTo(0, height);
        for (let x = 0; x <= width; x += 20)
          context.lineTo(x, height * (0.6 + at * 0.12 + 0.08 * Math.sin(x / (width / 9) + seed + at * 2)));
        context.lineTo(width, height);
        context.fill();
      }
      return canvas.toDataURL('image/png').split(',')[1]!;
    },
    [seed, width, height] as const,
  );
  return { name, alt, bytes: Buffer.from(base64, 'base64') };
}
