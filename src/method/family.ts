// What published clients of the API family send and read where it differs from our own calls. Declared beside each method.
// Every door accepts their parameters; XML-RPC and form posts, which these clients use, also answer in their shape. The
// JSON door and the web application keep our own, richer shape.
import type { z } from 'zod';

export type Family<R> = {
  /** Parameters of published clients that are not the method's own. */
  params?: Record<string, FamilyParam>;
  /** The result as published clients read it. */
  answer?: FamilyAnswer<R>;
};

type Given = Record<string, unknown>;

export type FamilyParam = {
  /** One sentence for the reference. */
  meaning: string;
  /** The method's own parameters that the value stands for. */
  read(value: unknown, given: Given): Given;
};

type FamilyAnswer<R> = {
  /** How it differs from our own result, after "XML-RPC and form posts return". */
  meaning: string;
  returns: z.ZodType;
  of(result: R): unknown;
};

/** Another name of a parameter. */
export const sameAs = (name: string): FamilyParam => ({
  meaning: `The same as ${name}.`,
  read: (value) => ({ [name]: value }),
});

/** A parameter that is accepted and has no effect. */
export const withoutEffect = (reason: string): FamilyParam => ({
  meaning: `Accepted without effect: ${reason}`,
  read: () => ({}),
});

/** The parameters in the method's own names. A parameter that is given under both names keeps the value of its own. */
export function ownParams(family: Family<never> | undefined, given: unknown): unknown {
  const declared = family?.params;
  if (!declared || typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const struct = given as Given;
  const members = Object.entries(struct);
  const own = Object.fromEntries(members.filter(([name]) => !Object.hasOwn(declared, name)));
  const read = members
    .filter(([name]) => Object.hasOwn(declared, name))
    .map(([name, value]) => declared[name]!.read(value, struct));
  return Object.assign({}, ...read, own);
}
