// Segments as data: conditions on the members of a list, stored as JSON. Pure functions that inspect a filter; no SQL
// here (condition-sql.ts compiles it) and no reading of what callers send (read-filter.ts).
/** How the value and the data of an event are compared. */
export const detailConditions = [
  'is',
  'not',
  'isany',
  'isoneof',
  'notoneof',
  'contains',
  'notcontain',
  'starts',
  'ends',
  'greater',
  'less',
] as const;
export const conditions = [...detailConditions, 'next', 'anniversary', 'hasany', 'hasall', 'hasnone'] as const;
export type ConditionName = (typeof conditions)[number];

/** Built-in fields that a condition can compare besides the merge fields. */
const textFields = ['EMAIL', 'DOMAIN', 'LANGUAGE', 'TIMEZONE', 'EMAIL_TYPE', 'signup_source'] as const;
export const timeFields = ['confirm_time', 'signup_time', 'changed_time'] as const;
export const campaignFields = ['opened', 'clicked', 'not_opened', 'was_sent', 'failed'] as const;
export type CampaignField = (typeof campaignFields)[number];
export const builtInFields = [
  ...textFields,
  ...timeFields,
  ...campaignFields,
  'clicked_link',
  'event',
  'list',
  'contact_tag',
] as const;
export type BuiltInField = (typeof builtInFields)[number];

/** `field`: value, or data. and the path of a member, with * for all items of an array: data.items.*.sku. */
export type EventDetail = { field: string; condition: (typeof detailConditions)[number]; value: string };

export type Condition = {
  field: string;
  condition: ConditionName;
  value: string;
  /** Of the field event: within the last days, as often at least, and what its value and data must be. */
  days?: number;
  times?: number;
  where?: EventDetail[];
};
/** How the conditions of a group belong together: every one must match, one is enough, or not one may match. */
export const matches = ['all', 'any', 'none'] as const;
export type Match = (typeof matches)[number];
export type Group = { match: Match; filter: SegmentFilter };
export type SegmentFilter = (Condition | Group)[];

export const isGroup = (item: Condition | Group): item is Group => 'filter' in item;

/** The built-in field of this name, in any case; undefined for a merge tag. */
export function builtInField(name: string): BuiltInField | undefined {
  const lower = name.trim().toLowerCase();
  return builtInFields.find((field) => field.toLowerCase() === lower);
}

/** Whether a built-in field is about what a contact did in campaigns. */
export const isCampaignField = (field: BuiltInField | undefined): field is CampaignField =>
  campaignFields.some((campaignField) => campaignField === field);

/** Whether a built-in field is about what a contact does with messages, whose times are known. */
export const isActivityField = (field: BuiltInField | undefined): field is 'opened' | 'clicked' =>
  field === 'opened' || field === 'clicked';

/** The id of the campaign that a condition names; undefined if it names several, or none. */
export function campaignNamed({ field, value }: Condition): string | undefined {
  const isNamed = isCampaignField(builtInField(field)) && latestOf(value) === undefined && daysOf(value) === undefined;
  return isNamed ? value.trim() : undefined;
}

/** The conditions of a filter that are about this. */
export function conditionsOn(filter: SegmentFilter, about: BuiltInField): Condition[] {
  return filter.flatMap((item) => {
    if (isGroup(item)) return conditionsOn(item.filter, about);
    return builtInField(item.field) === about ? [item] : [];
  });
}

/** Whether a filter compares values of the contact (alias c); counting a million members is faster without that join. */
export const usesContact = (filter: SegmentFilter) =>
  usesAny(filter, ['EMAIL', 'DOMAIN', 'LANGUAGE', 'TIMEZONE', 'contact_tag']);

/** Whether a filter compares times, which correlate with the order in which members are shown. */
export const usesTime = (filter: SegmentFilter) => usesAny(filter, timeFields);

/** Whether a filter compares what a contact has on a list: its values, the times of its subscription and the like. */
export const usesSubscription = (filter: SegmentFilter): boolean =>
  filter.some((item) => (isGroup(item) ? usesSubscription(item.filter) : builtInField(item.field) === undefined)) ||
  usesAny(filter, [...timeFields, 'EMAIL_TYPE', 'signup_source']);

/** Whether a filter is about what contacts did, which takes many looks per contact. */
export const usesActions = (filter: SegmentFilter) => usesAny(filter, [...campaignFields, 'clicked_link', 'event']);

/** Whether only a change of a subscription of the list can change who matches: neither time nor what contacts do elsewhere. */
export function followsList(filter: SegmentFilter): boolean {
  return filter.every((item) => {
    if (isGroup(item)) return followsList(item.filter);
    const field = builtInField(item.field);
    const isOfSubscription = field === undefined || field === 'EMAIL_TYPE' || field === 'signup_source';
    return isOfSubscription && !['next', 'anniversary'].includes(item.condition) && daysOf(item.value) === undefined;
  });
}

/** Whether a filter compares a merge field of the list. */
export function usesField(filter: SegmentFilter, tag: string): boolean {
  return filter.some((item) =>
    isGroup(item) ? usesField(item.filter, tag) : builtInField(item.field) === undefined && item.field === tag,
  );
}

/** The same filter with another tag for a merge field. */
export function renameField(filter: SegmentFilter, before: string, after: string): SegmentFilter {
  return filter.map((item) => {
    if (isGroup(item)) return { ...item, filter: renameField(item.filter, before, after) };
    return usesField([item], before) ? { ...item, field: after } : item;
  });
}

/** The same filter with the conditions on a merge field changed. */
export function changedConditions(
  filter: SegmentFilter,
  tag: string,
  change: (condition: Condition) => Condition,
): SegmentFilter {
  return filter.map((item) => {
    if (isGroup(item)) return { ...item, filter: changedConditions(item.filter, tag, change) };
    return usesField([item], tag) ? change(item) : item;
  });
}

function usesAny(filter: SegmentFilter, fields: readonly BuiltInField[]): boolean {
  return filter.some((item) => {
    if (isGroup(item)) return usesAny(item.filter, fields);
    const field = builtInField(item.field);
    return field !== undefined && fields.includes(field);
  });
}

export const isNumber = (value: string) => /^[+-]?\d{1,15}(\.\d{1,10})?$/.test(value.trim());

/** N of "N days"; undefined for anything else. */
export function daysOf(value: string): number | undefined {
  const days = /^(\d{1,5}) days?$/i.exec(value.trim())?.[1];
  return days === undefined ? undefined : Number(days);
}

/** N of "last N", the latest campaigns of the list; undefined for anything else. */
export function latestOf(value: string): number | undefined {
  const count = /^last (\d{1,3})$/i.exec(value.trim())?.[1];
  return count === undefined ? undefined : Number(count);
}
