// The look of the account in the visual editor: the colours that its fields offer, and what new blocks begin with.
import { textOn } from '../../../../../src/campaigns/model/colour.ts';
import { fonts, plainBrand } from '../../../../../src/campaigns/model/plain-brand.ts';
import { useMethod } from '../../../api/use-method.ts';

export type Look = {
  /** Of buttons, and of the text on them. */
  colour: string;
  textOnColour: string;
  /** With its substitutes, as in a style. */
  font: string;
};

/** Of an account without a brand. */
export const plainLook: Look = {
  colour: plainBrand.colour,
  textOnColour: textOn(plainBrand.colour),
  font: fonts[plainBrand.font],
};

export function useLook(): Look {
  const { data } = useMethod('brandGet');
  return data ? { colour: data.color, textOnColour: data.text_on_color, font: data.font_family } : plainLook;
}

/** Colours to choose from: those of the brand, then black to white. */
export function useSwatches(): string[] {
  const { data } = useMethod('brandGet');
  const own = data ? [data.color, data.background, data.text_on_color] : [];
  return [...new Set([...own, '#1c2430', '#59626d', '#d5d9df', '#f4f5f7', '#ffffff'])];
}
