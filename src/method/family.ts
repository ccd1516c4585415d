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
  /** @param before18 whether the path of the call names a version before 1.8 of the API family */
  of(result: R, before18: boolean): unknown;
};

/** The versions whose classes read some results in another shape. */
export const isBefore18 = (version: string | undefined): boolean => {
  const [major, minor] = (version ?? '1.8').split('.').map(Number);
  return major! < 1 || (major === 1 && minor! < 8);
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

/** The order that classes of version 1.3 ask for, as aliases of parameters without effect: results have one order. */
export const withoutOrder = { sort_field: '', sort_dir: '' };

/**
 * The parameters in the method's own names. A parameter that is given under both names keeps the value of its own.
 * @param prepare applied to the value of a parameter of published clients before it is read
 */
export function ownParams(
  family: Family<never> | undefined,
  given: unknown,
  prepare: (value: unknown) => unknown = (value) => value,
): unknown {
  const declared = family?.params;
  if (!declared || typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const struct = given as Given;
  const members = Object.entries(struct);
  const own = members.filter(([name]) => !Object.hasOwn(declared, name));
  const read = members
    .filter(([name]) => Object.hasOwn(declared, name))
    .flatMap(([name, value]) => Object.entries(declared[name]!.read(prepare(value), struct)));
  // Not Object.assign: a parameter may give the name of another one, and `__proto__` would become the prototype.
  return Object.fromEntries([...read, ...own]);
}
