// The tabs of one webhook's screen, as they stand in the address.
export const tabs = ['log', 'settings', 'secret', 'verify'] as const;
export type Tab = (typeof tabs)[number];
export const isTab = (value: unknown): value is Tab => tabs.includes(value as Tab);
