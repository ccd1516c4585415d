// The tabs of a list, as named in the URL.
export const tabs = ['members', 'growth', 'segments', 'fields', 'import', 'settings'] as const;
export type Tab = (typeof tabs)[number];
export const isTab = (value: unknown): value is Tab => tabs.includes(value as Tab);
