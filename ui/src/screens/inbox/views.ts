// The ways to look at one message, as they stand in the address.
export const views = ['shown', 'text', 'headers', 'source'] as const;
export type View = (typeof views)[number];
export const isView = (value: unknown): value is View => views.includes(value as View);
