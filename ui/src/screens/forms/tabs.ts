// The tabs of a sign-up form, as named in the URL.
export const tabs = ['form', 'after', 'emails', 'share', 'blocked'] as const;
export type Tab = (typeof tabs)[number];
export const isTab = (value: unknown): value is Tab => tabs.includes(value as Tab);
