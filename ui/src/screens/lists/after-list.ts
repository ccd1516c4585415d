// Where one goes on once a list is made that was missing there; it is in the address of the form.

export const afterList = {
  campaign: '/campaigns/new',
  recurring: '/recurring/new',
  automation: '/automations/new',
} as const;

export type AfterList = { after?: keyof typeof afterList | undefined };

export const afterListSearch = ({ after }: Record<string, unknown>): AfterList => ({
  after: typeof after === 'string' && Object.hasOwn(afterList, after) ? (after as AfterList['after']) : undefined,
});
