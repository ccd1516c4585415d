// The tabs of one list's screen, as they stand in the address.
export const tabs = ['members', 'growth', 'segments', 'fields', 'import', 'settings'] as const;
export type Tab = (typeof tabs)[number];
export const isTab = (value: unknown): value is Tab => tabs.includes(value as Tab);
