// Changes of a list of steps with arms: adding, replacing and removing one. All return a new list.
import { hasArms, type Step } from '../types.ts';

/** Where a step is added: in an arm of a condition, or in the list itself (''); before the step at `index`. */
export type Place = { of: string; arm: 'yes' | 'no'; index: number };

export const topLevel = (index: number): Place => ({ of: '', arm: 'yes', index });

/** The steps with one more. */
export function withStep(steps: readonly Step[], place: Place, step: Step): Step[] {
  if (place.of === '') return steps.toSpliced(place.index, 0, step);
  return steps.map((item) => {
    if (!hasArms(item)) return item;
    if (item.key === place.of) return { ...item, [place.arm]: withStep(item[place.arm], topLevel(place.index), step) };
    return { ...item, yes: withStep(item.yes, place, step), no: withStep(item.no, place, step) };
  });
}

/** The steps with one replaced by its key, or removed. */
export function replaced(steps: readonly Step[], key: string, next: Step | undefined): Step[] {
  return steps.flatMap((item) => {
    if (item.key === key) return next ? [next] : [];
    if (!hasArms(item)) return [item];
    return [{ ...item, yes: replaced(item.yes, key, next), no: replaced(item.no, key, next) }];
  });
}

/** A key that no step has: the next of s1, s2 … */
export function freeKey(steps: readonly Step[], used: readonly string[] = []): string {
  const keys = new Set([...keysOf(steps), ...used]);
  let number = 1;
  while (keys.has(`s${number}`)) number += 1;
  return `s${number}`;
}

export const keysOf = (steps: readonly Step[]): string[] =>
  steps.flatMap((step) => [step.key, ...(hasArms(step) ? keysOf([...step.yes, ...step.no]) : [])]);
