// The tabs of a webhook, as named in the URL.
export const tabs = ['overview', 'log', 'settings', 'secret', 'verify'] as const;
export type Tab = (typeof tabs)[number];
export const isTab = (value: unknown): value is Tab => tabs.includes(value as Tab);
