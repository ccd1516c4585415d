// The order of the steps: which comes after which, through both arms of a condition. No step comes twice on any way, so a
// contact is on each step at most once.
import { hasArms, type Step } from '../steps/steps.ts';

/** A step with the key of the one that follows it; null after the last. */
type Placed = { step: Step; next: string | null };

export type Flow = { first: string | null; steps: ReadonlyMap<string, Placed> };

export function flowOf(steps: readonly Step[]): Flow {
  const placed = new Map<string, Placed>();
  place(steps, null, placed);
  return { first: steps[0]?.key ?? null, steps: placed };
}

/** The step after a step. @param matches of a step with two arms: whether the contact takes the arm yes */
export function stepAfter(flow: Flow, key: string, matches = false): string | null {
  const { step, next } = flow.steps.get(key)!;
  if (!hasArms(step)) return next;
  return (matches ? step.yes : step.no)[0]?.key ?? next;
}

/** All steps, each before those of its arms. */
export const everyStep = (steps: readonly Step[]): Step[] =>
  steps.flatMap((step) => [step, ...(hasArms(step) ? everyStep([...step.yes, ...step.no]) : [])]);

function place(steps: readonly Step[], after: string | null, placed: Map<string, Placed>): void {
  for (const [i, step] of steps.entries()) {
    const next = steps[i + 1]?.key ?? after;
    placed.set(step.key, { step, next });
    if (!hasArms(step)) continue;
    place(step.yes, next, placed);
    place(step.no, next, placed);
  }
}
