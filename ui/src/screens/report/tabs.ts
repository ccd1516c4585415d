// The parts of a report, in their order, and where the rows behind a figure are.

export const tabs = ['overview', 'links', 'recipients', 'bounces', 'explain'] as const;
export type Tab = (typeof tabs)[number];

export const isTab = (value: unknown): value is Tab => tabs.includes(value as Tab);

/** The address of the rows behind a figure. @param state a chip of the recipients' table */
export const rowsBehind = (cid: string, state: string) => ({
  to: `/campaigns/${cid}` as string,
  search: { tab: 'recipients', ...(state === 'all' ? {} : { state }) } as never,
});
