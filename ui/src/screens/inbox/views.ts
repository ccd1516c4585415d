// The views of a message, as named in the URL.
export const views = ['shown', 'text', 'headers', 'source'] as const;
export type View = (typeof views)[number];
export const isView = (value: unknown): value is View => views.includes(value as View);
