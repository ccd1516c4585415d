// Reads an email that was delivered as a recipient sees it, at the width of a phone or a computer, and as Outlook lays it out.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Letter } from './letters.ts';

/**
 * The tables that Outlook reads instead of the columns, with the widths of attributes instead of those that it does not know. It ignores
 * the padding of links, and takes that of its own name in cells.
 */
export const inOutlook = (html: string) =>
  html
    .replace(/<!--\[if mso\]>([\s\S]*?)<!\[endif\]-->/g, '$1')
    .replace(/<a [^>]*>/g, (link) => link.replace(/(?<=[";\s])padding[^:;"]*:[^;"]*;?/g, ''))
    .replaceAll('mso-padding-alt', 'padding')
    .replace(
      /(?:max-width|min-width|display)\s*:\s*[^;"]+;?|(?<=[";\s])width\s*:\s*100%;?|width\s*:\s*calc\([^;"]+;?/g,
      '',
    );

type Shown = {
  scrollWidth: number;
  pictures: { right: number; ratio: number; own: number; loaded: boolean; alt: string }[];
  /** For each block with columns, where they are. */
  columns: { x: number; y: number; stacks: boolean }[][];
  buttons: { height: number; words: string }[];
};

export async function show(reader: Page, html: string, width: number): Promise<Shown> {
  await reader.setViewportSize({ width, height: 900 });
  await reader.setContent(html, { waitUntil: 'load' });
  return reader.evaluate(() => {
    const boxOf = (element: Element) => element.getBoundingClientRect();
    const columns = new Map<Element, { x: number; y: number; stacks: boolean }[]>();
    for (const element of document.querySelectorAll<HTMLElement>('div[style*="inline-block"]')) {
      const { x, y } = boxOf(element);
      const stacks = element.style.width.startsWith('calc');
      columns.set(element.parentElement!, [...(columns.get(element.parentElement!) ?? []), { x, y, stacks }]);
    }
    return {
      scrollWidth: document.documentElement.scrollWidth,
      pictures: [...document.images]
        .filter((image) => image.alt !== '')
        .map((image) => ({
          right: boxOf(image).right,
          ratio: boxOf(image).width / boxOf(image).height,
          own: image.naturalWidth / image.naturalHeight,
          loaded: image.naturalWidth > 1,
          alt: image.alt,
        })),
      columns: [...columns.values()],
      buttons: [...document.querySelectorAll<HTMLElement>('td[style*="border-radius"] > a:only-child')].map((link) => ({
        height: boxOf(link.parentElement!).height,
        words: link.textContent ?? '',
      })),
    };
  });
}

export function isReadable(letter: Letter, width: number, shown: Shown): void {
  const at = `${letter.name} at ${width} px`;
  assert.ok(shown.scrollWidth <= width, `${at}: ${shown.scrollWidth} px wide`);
  for (const { right, ratio, own, loaded, alt } of shown.pictures) {
    assert.ok(loaded, `${at}: ${alt} is not loaded`);
    assert.ok(right <= width, `${at}: ${alt} ends at ${right}`);
    assert.ok(Math.abs(ratio / own - 1) < 0.03, `${at}: ${alt} is ${ratio} and not ${own}`);
  }
  assert.equal(shown.buttons.length, letter.buttons, at);
  for (const { height, words } of shown.buttons) assert.ok(height >= 44, `${at}: ${words} is ${height} px high`);
  assert.equal(shown.columns.filter(([first]) => first!.stacks).length, letter.stacked, at);
  for (const columns of shown.columns) {
    const isStacked = columns[0]!.stacks && width < 480;
    assert.equal(new Set(columns.map(({ x }) => Math.round(x))).size, isStacked ? 1 : columns.length, at);
    assert.equal(new Set(columns.map(({ y }) => Math.round(y))).size, isStacked ? columns.length : 1, at);
  }
}
