// The tabs of screens in their order, as named in the URL.
export const tabs = {
  report: ['overview', 'links', 'recipients', 'bounces', 'explain'],
  recurring: ['issues', 'preview', 'settings'],
  list: ['members', 'growth', 'segments', 'fields', 'import', 'settings'],
  form: ['form', 'after', 'emails', 'share', 'blocked'],
  webhook: ['overview', 'log', 'settings', 'secret', 'verify'],
} as const;

type Screen = keyof typeof tabs;
export type Tab<S extends Screen> = (typeof tabs)[S][number];

/** For a route's validateSearch: the member `tab`. */
export const tabOf = <S extends Screen>(screen: S, { tab }: Record<string, unknown>): { tab?: Tab<S> | undefined } => ({
  tab: tabs[screen].find((name) => name === tab),
});
