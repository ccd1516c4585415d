// The form that is open in a flow: opening something else saves it first, so that nothing that was chosen is lost; and the parts
// of a form that must be complete before it is saved.
import { createContext, type RefObject, use, useEffect } from 'react';

/** Saves the open form if something was changed. @returns whether it may be left */
export type Leave = () => Promise<boolean>;

export const OpenForm = createContext<RefObject<Leave | undefined> | undefined>(undefined);

/** Called by the open form at each drawing. */
export function useLeave(leave: Leave): void {
  const open = use(OpenForm);
  useEffect(() => {
    if (!open) return;
    open.current = leave;
    return () => {
      if (open.current === leave) open.current = undefined;
    };
  });
}

/** Whether a part of a form is complete; one that is not shows what is missing. */
export type Check = () => boolean;

export const Checks = createContext<Set<Check> | undefined>(undefined);

export function useCheck(check: Check): void {
  const checks = use(Checks);
  useEffect(() => {
    checks?.add(check);
    return () => void checks?.delete(check);
  });
}

/** Asks all parts, so that each shows what it lacks. */
export const areWhole = (checks: ReadonlySet<Check>): boolean =>
  [...checks].map((check) => check()).every((isWhole) => isWhole);
