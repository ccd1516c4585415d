// A struct of whole numbers in a result.
import { z } from 'zod';

/** @param meaning what each number says; without it the names say enough */
export const numbers = <N extends string>(names: readonly N[], meaning?: Readonly<Record<N, string>>) =>
  z.object(
    Object.fromEntries(
      names.map((name) => [name, meaning ? z.int().meta({ description: meaning[name] }) : z.int()]),
    ) as Record<N, z.ZodInt>,
  );
