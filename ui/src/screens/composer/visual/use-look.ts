// The look of the account in the visual editor: the colours that its fields offer, and what new blocks begin with.
import { useMethod } from '../../../api/use-method.ts';

export type Look = {
  /** Of buttons, and of the text on them. */
  colour: string;
  textOnColour: string;
  /** With its substitutes, as in a style. */
  font: string;
};

/** What the server answers for an account without a brand. */
export const plainLook: Look = { colour: '#1f5fbf', textOnColour: '#ffffff', font: 'Arial,Helvetica,sans-serif' };

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
