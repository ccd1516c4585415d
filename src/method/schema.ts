// Looks into a schema: what is inside its optional, default and coercing layers. What the layers mean is left to zod.
import type { z } from 'zod';

type Def = {
  type: string;
  innerType?: z.ZodType;
  in?: z.ZodType;
  out?: z.ZodType;
  defaultValue?: unknown;
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  /** The words of an enum. */
  entries?: Record<string, string>;
};

export const defOf = (schema: z.ZodType) => schema.def as unknown as Def;

export const isOptional = (schema: z.ZodType): boolean => {
  const def = defOf(schema);
  return def.type === 'optional' || def.type === 'default';
};

/** The type inside optional, default and coercion. */
export function unwrapped(schema: z.ZodType): z.ZodType {
  const def = defOf(schema);
  if (def.innerType) return unwrapped(def.innerType);
  if (def.type === 'pipe') return unwrapped(defOf(def.out!).type === 'transform' ? def.in! : def.out!);
  return schema;
}

/** The metadata of all layers; the outermost wins. */
export function metaOf(schema: z.ZodType): z.GlobalMeta {
  const def = defOf(schema);
  const inner = def.innerType ? metaOf(def.innerType) : {};
  return { ...inner, ...schema.meta() };
}
