// The tabs of a report in their order, and links to the recipients behind a number.

export const tabs = ['overview', 'links', 'recipients', 'bounces', 'explain'] as const;
export type Tab = (typeof tabs)[number];

export const isTab = (value: unknown): value is Tab => tabs.includes(value as Tab);

/** The link to the recipients behind a number. @param state a filter of the recipients table */
export const rowsBehind = (cid: string, state: string) => ({
  to: `/campaigns/${cid}` as string,
  search: { tab: 'recipients', ...(state === 'all' ? {} : { state }) } as never,
});
