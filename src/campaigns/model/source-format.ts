// The formats in which the content of a campaign can be written, besides HTML and plain text.

export const sourceFormats = ['markdown', 'mjml'] as const;
export type SourceFormat = (typeof sourceFormats)[number];

/** Those in which a content can be stored. */
export const bodyFormats = ['html', ...sourceFormats] as const;
export type BodyFormat = (typeof bodyFormats)[number];
