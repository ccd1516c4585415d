// What a brand is, the fonts it may have, and the brand of an account that has set none. Imports nothing: the screens use it too
// (bin/build-ui).

/** Fonts that email clients have, by the name that is stored. */
export const fonts = {
  arial: 'Arial,Helvetica,sans-serif',
  verdana: 'Verdana,Geneva,sans-serif',
  tahoma: 'Tahoma,Geneva,sans-serif',
  trebuchet: "'Trebuchet MS',Helvetica,sans-serif",
  georgia: 'Georgia,serif',
  times: "'Times New Roman',Times,serif",
} as const;
export type FontName = keyof typeof fonts;
export const fontNames = Object.keys(fonts) as FontName[];

export type Brand = {
  /** Address of the logo; "" for the name in letters. */
  logoUrl: string;
  /** Of bands, buttons and links. */
  colour: string;
  /** Around the content of an email. */
  background: string;
  font: FontName;
  /** A line above the address in the footer of starter templates. */
  footer: string;
};

export const plainBrand: Brand = { logoUrl: '', colour: '#1f5fbf', background: '#eef1f5', font: 'arial', footer: '' };
