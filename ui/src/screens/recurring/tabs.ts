// The tabs of a recurring campaign, as named in the URL.
export const tabs = ['issues', 'preview', 'settings'] as const;
export type Tab = (typeof tabs)[number];
export const isTab = (value: unknown): value is Tab => tabs.includes(value as Tab);
