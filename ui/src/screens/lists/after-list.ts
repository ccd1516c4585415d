// The screen to return to once a missing list has been created. The address of the form names it (?after=campaign).

export const afterList = {
  campaign: '/campaigns/new',
  recurring: '/recurring/new',
  automation: '/automations/new',
} as const;

export type AfterList = { after?: keyof typeof afterList | undefined };

export const afterListSearch = ({ after }: Record<string, unknown>): AfterList => ({
  after: typeof after === 'string' && Object.hasOwn(afterList, after) ? (after as AfterList['after']) : undefined,
});
