// Removes the empty strings that mean "not given". Clients that cannot send nil send "" for an optional number, word, date
// or language instead. An empty string stays where it is a value: in texts and, as false, in booleans.
import type { z } from 'zod';
import { defOf, isOptional, metaOf, unwrapped } from './schema.ts';
import { isPlainStruct } from './wire.ts';

/** The value without its empty members; the same value if it has none. */
export function withoutEmpty(schema: z.ZodType, value: unknown): unknown {
  const plan = planOf(schema);
  return plan ? applied(plan, value) : value;
}

/** Which members to remove if they are empty, and where else to look. */
type Plan = { removable: Set<string>; members: Map<string, Plan>; items: Plan | undefined };

/** Null for a schema without optional numbers, words, dates and languages. */
const plans = new WeakMap<z.ZodType, Plan | null>();

function planOf(schema: z.ZodType): Plan | null {
  let plan = plans.get(schema);
  if (plan === undefined) {
    plan = newPlan(schema);
    plans.set(schema, plan);
  }
  return plan;
}

function newPlan(schema: z.ZodType): Plan | null {
  const { shape = {}, element } = defOf(unwrapped(schema));
  const plan: Plan = { removable: new Set(), members: new Map(), items: (element && planOf(element)) ?? undefined };
  for (const [name, member] of Object.entries(shape)) {
    const below = planOf(member);
    if (below) plan.members.set(name, below);
    if (isOptional(member) && isNeverEmpty(member)) plan.removable.add(name);
  }
  return plan.removable.size > 0 || plan.members.size > 0 || plan.items ? plan : null;
}

const isNeverEmpty = (schema: z.ZodType) =>
  ['number', 'enum'].includes(defOf(unwrapped(schema)).type) || metaOf(schema).neverEmpty === true;

function applied({ removable, members, items }: Plan, value: unknown): unknown {
  if (Array.isArray(value)) return items ? value.map((item) => applied(items, item)) : value;
  if (!isPlainStruct(value)) return value;
  const kept = Object.entries(value).filter(([name, member]) => member !== '' || !removable.has(name));
  return Object.fromEntries(
    kept.map(([name, member]) => {
      const below = members.get(name);
      return [name, below ? applied(below, member) : member];
    }),
  );
}
