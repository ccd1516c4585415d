// Segment conditions as people edit them: the available facts, their comparisons, and the conversion between the
// edited tree and the filter of the API. Pure.
import type { ResultOf } from '../../../api/types.ts';

export type ConditionNode = { key: string; field: string; ask: Ask; value: string; event?: EventDetails };
/** When, how often and with what data an event happened. `days` and `times`: '' for any time, and for once. */
export type EventDetails = { days: string; times: string; where: EventDetail[] };
export type EventDetail = NonNullable<Extract<Filter[number], { field: string }>['where']>[number];
export type GroupNode = { key: string; match: Match; nodes: SegmentNode[] };
export type Match = 'all' | 'any' | 'none';
export type SegmentNode = ConditionNode | GroupNode;

/** A filter of the API: {field, condition, value} or {match, filter}. */
export type Filter = ResultOf<'segments'>[number]['filter'];

export const isGroup = (node: SegmentNode): node is GroupNode => 'nodes' in node;

/** The comparisons people choose from; several map to the same API condition with a different value. */
const asks = {
  is: 'is',
  not: 'not',
  contains: 'contains',
  notcontain: 'notcontain',
  starts: 'starts',
  ends: 'ends',
  isoneof: 'isoneof',
  notoneof: 'notoneof',
  known: 'isany',
  unknown: 'is',
  more: 'greater',
  fewer: 'less',
  within: 'greater',
  before: 'less',
  after: 'greater',
  until: 'less',
  on: 'is',
  today: 'next',
  next: 'next',
  anniversary: 'anniversary',
  anniversaryNext: 'anniversary',
  untagged: 'is',
  yes: 'is',
  no: 'not',
  recent: 'is',
  notRecent: 'not',
  hasany: 'hasany',
  hasall: 'hasall',
  hasnone: 'hasnone',
} as const;
export type Ask = keyof typeof asks;

export const kinds = [
  'text',
  'number',
  'date',
  'choice',
  'yesno',
  'choices',
  'time',
  'campaign',
  'activity',
  'link',
  'event',
  'list',
  'format',
  'tag',
] as const;
export type Kind = (typeof kinds)[number];

const texts: Ask[] = ['is', 'not', 'contains', 'notcontain', 'starts', 'ends', 'isoneof', 'notoneof'];

export const asksOf: Record<Kind, readonly Ask[]> = {
  text: [...texts, 'known', 'unknown'],
  number: ['is', 'not', 'more', 'fewer', 'known', 'unknown'],
  date: [
    'within',
    'before',
    'today',
    'next',
    'anniversary',
    'anniversaryNext',
    'on',
    'after',
    'until',
    'known',
    'unknown',
  ],
  yesno: ['is', 'not', 'known', 'unknown'],
  choices: ['hasany', 'hasall', 'hasnone', 'is', 'not', 'known', 'unknown'],
  choice: ['is', 'not', 'isoneof', 'notoneof', 'known', 'unknown'],
  time: ['within', 'before', 'today', 'anniversary', 'anniversaryNext', 'on', 'after', 'until', 'known'],
  campaign: ['yes', 'no'],
  activity: ['yes', 'no', 'recent', 'notRecent'],
  link: texts,
  event: ['yes', 'no'],
  list: ['yes', 'no'],
  format: ['is', 'not'],
  tag: ['is', 'not', 'isoneof', 'notoneof', 'known', 'untagged'],
};

/** Facts other than the fields of the list. */
export const facts = {
  EMAIL: 'text',
  DOMAIN: 'text',
  LANGUAGE: 'text',
  TIMEZONE: 'text',
  EMAIL_TYPE: 'format',
  signup_source: 'text',
  signup_time: 'time',
  confirm_time: 'time',
  changed_time: 'time',
  was_sent: 'campaign',
  opened: 'activity',
  not_opened: 'campaign',
  failed: 'campaign',
  clicked: 'activity',
  clicked_link: 'link',
  event: 'event',
  list: 'list',
  contact_tag: 'tag',
} as const satisfies Record<string, Kind>;
export type Fact = keyof typeof facts;
export const isFact = (name: string): name is Fact => Object.hasOwn(facts, name);

const ofTypes: Partial<Record<string, Kind>> = {
  number: 'number',
  date: 'date',
  dropdown: 'choice',
  yes_no: 'yesno',
  multiple_choice: 'choices',
};

export function kindOf(field: string, types: ReadonlyMap<string, string>): Kind {
  if (isFact(field)) return facts[field];
  const type = types.get(field);
  return ofTypes[type ?? ''] ?? 'text';
}

/** Whether the comparison needs a value. */
export const takesValue = (ask: Ask) => !['known', 'unknown', 'today', 'anniversary', 'untagged'].includes(ask);

/** Whether the value is a number of days. */
export const takesDays = (ask: Ask) =>
  ['within', 'before', 'recent', 'notRecent', 'next', 'anniversaryNext'].includes(ask);

let made = 0;
const newKey = () => `node ${++made}`;

export const newCondition = (field = 'EMAIL', ask: Ask = 'contains', value = ''): ConditionNode => ({
  key: newKey(),
  field,
  ask,
  value,
});

/** What is typed or stored as a match, which may be anything. */
export const matchOf = (given: unknown): Match => (given === 'any' || given === 'none' ? given : 'all');

export const newGroup = (match: Match, nodes: SegmentNode[]): GroupNode => ({ key: newKey(), match, nodes });

/** The filter for the API. */
export function filterOf(nodes: readonly SegmentNode[]): Filter {
  return nodes.map((node) => {
    if (isGroup(node)) return { match: node.match, filter: filterOf(node.nodes) };
    const isToday = node.ask === 'today' || node.ask === 'anniversary';
    const value = isToday
      ? '0 days'
      : takesDays(node.ask)
        ? `${node.value} days`
        : takesValue(node.ask)
          ? node.value
          : '';
    return { field: node.field, condition: asks[node.ask], value, ...(node.event && givenOf(node.event)) };
  });
}

const givenOf = ({ days, times, where }: EventDetails) => ({
  ...(days === '' ? {} : { days: Number(days) }),
  ...(times === '' ? {} : { times: Number(times) }),
  ...(where.length === 0 ? {} : { where }),
});

export const noDetails: EventDetails = { days: '', times: '', where: [] };

/** The comparisons of what an event carried, with the words of those of fields. */
export const detailAsks = {
  is: 'is',
  not: 'not',
  greater: 'more',
  less: 'fewer',
  contains: 'contains',
  notcontain: 'notcontain',
  starts: 'starts',
  ends: 'ends',
  isoneof: 'isoneof',
  notoneof: 'notoneof',
  isany: 'known',
} as const satisfies Record<EventDetail['condition'], Ask>;

const isDetailWhole = ({ field, condition, value }: EventDetail) =>
  (field === 'value' || /^data\.[^.]/.test(field)) && (condition === 'isany' || value.trim() !== '');

/** Whether every condition is complete; incomplete ones are not sent. */
export const isWhole = (nodes: readonly SegmentNode[]): boolean =>
  nodes.length > 0 && firstIncomplete(nodes) === undefined;

/** The key of the first condition that lacks something. */
export function firstIncomplete(nodes: readonly SegmentNode[]): string | undefined {
  for (const node of nodes) {
    if (isGroup(node)) {
      const inside = node.nodes.length === 0 ? node.key : firstIncomplete(node.nodes);
      if (inside !== undefined) return inside;
    } else if ((takesValue(node.ask) && node.value.trim() === '') || !(node.event?.where ?? []).every(isDetailWhole))
      return node.key;
  }
  return undefined;
}

/** The tree of a stored filter. */
export function nodesOf(filter: Filter, types: ReadonlyMap<string, string>): SegmentNode[] {
  return filter.map((condition) => {
    // A filter in a URL may contain anything.
    if ('filter' in condition)
      return newGroup(
        matchOf(condition.match),
        nodesOf(Array.isArray(condition.filter) ? condition.filter : [], types),
      );
    const field = String(condition.field);
    const value = String(condition.value ?? '');
    const days = /^(\d+) days?$/i.exec(value.trim())?.[1];
    const fitting = asksOf[kindOf(field, types)].filter((ask) => asks[ask] === condition.condition);
    const ask =
      fitting.find((each) => (each === 'today' || each === 'anniversary') && days === '0') ??
      fitting.find((each) =>
        value === '' ? each === 'unknown' || each === 'untagged' : takesDays(each) === (days !== undefined),
      ) ??
      fitting[0] ??
      // Not offered for this kind, but kept as stored.
      (Object.keys(asks) as Ask[]).find((each) => asks[each] === condition.condition) ??
      'is';
    const node = newCondition(field, ask, takesDays(ask) ? (days ?? '') : takesValue(ask) ? value : '');
    return field === 'event' ? { ...node, event: detailsOf(condition) } : node;
  });
}

function detailsOf({ days, times, where }: { days?: unknown; times?: unknown; where?: unknown }): EventDetails {
  const countOf = (given: unknown) => (/^\d+$/.test(String(given)) ? String(given) : '');
  const details = (Array.isArray(where) ? where : []).filter((detail) => typeof detail === 'object' && detail !== null);
  return {
    days: countOf(days),
    times: countOf(times),
    where: details.map((detail: Partial<EventDetail>) => ({
      field: String(detail.field ?? ''),
      condition: Object.hasOwn(detailAsks, String(detail.condition)) ? detail.condition! : 'is',
      value: String(detail.value ?? ''),
    })),
  };
}

/** The tree with a node replaced; undefined removes it, and groups that become empty with it. */
export function replaced(nodes: readonly SegmentNode[], key: string, next: SegmentNode | undefined): SegmentNode[] {
  return nodes.flatMap((node) => {
    if (node.key === key) return next ? [next] : [];
    if (!isGroup(node)) return [node];
    const inner = replaced(node.nodes, key, next);
    return inner.length === 0 ? [] : [{ ...node, nodes: inner }];
  });
}

/** The key of the node that a fault path refers to, such as filter.0.filter.1.value. */
export function keyAt(nodes: readonly SegmentNode[], path: string | undefined): string | undefined {
  const steps = path?.match(/\d+/g)?.map(Number) ?? [];
  let among: readonly SegmentNode[] = nodes;
  let found: SegmentNode | undefined;
  for (const step of steps) {
    found = among[step];
    if (!found) return undefined;
    among = isGroup(found) ? found.nodes : [];
  }
  return found?.key;
}
