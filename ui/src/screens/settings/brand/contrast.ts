// What the program computes when a brand is saved, for the preview before: the colour of text on a colour, and the ratio.
// test/ui/brand.slow.test.ts compares both. Pure.
import { luminance } from '@mantine/core';

/** As fonts in src/campaigns/model/brand.ts. */
export const fontFamilies = {
  arial: 'Arial,Helvetica,sans-serif',
  verdana: 'Verdana,Geneva,sans-serif',
  tahoma: 'Tahoma,Geneva,sans-serif',
  trebuchet: "'Trebuchet MS',Helvetica,sans-serif",
  georgia: 'Georgia,serif',
  times: "'Times New Roman',Times,serif",
} as const;

export const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

function contrast(a: string, b: string): number {
  const [darker, lighter] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (lighter! + 0.05) / (darker! + 0.05);
}

export const textOn = (colour: string): string =>
  ['#ffffff', '#10131a'].find((text) => contrast(colour, text) >= 4.5) ?? '#000000';

export const contrastWithText = (colour: string): number => contrast(colour, textOn(colour));
