// JSON Schemas of the parameters and results of methods: with what is between the layers of a type left out, and with references to
// the shapes that have a name (named.ts), or complete.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { isOptional } from '../../method/schema.ts';

export type Json = Record<string, unknown>;
/** By name. */
export type Shapes = Record<string, Json>;

/** The JSON Schema of the parameters or the result of a method, complete in itself. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $defs = {}, ...rest } = withDefinitions(schema, io);
  return inlined(rest, $defs) as Json;
}

/** The same with references to named shapes, which are added to `shapes`. */
export function referring(schema: z.ZodType, io: 'input' | 'output', shapes: Shapes): Json {
  const text = JSON.stringify(withDefinitions(schema, io)).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $defs = {}, ...rest } = JSON.parse(text) as WithDefinitions;
  for (const [name, shape] of Object.entries($defs)) {
    if (!isDeepStrictEqual(shapes[name] ?? shape, shape)) throw new Error(`two shapes have the name ${name}`);
    shapes[name] = shape;
  }
  return rest;
}

/** With the shape in place of each reference to it; within itself a shape may be anything. */
function inlined(value: unknown, shapes: Shapes): unknown {
  if (Array.isArray(value)) return value.map((item) => inlined(item, shapes));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...rest } = value as Json;
  const own = Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, inlined(inner, shapes)]));
  if (typeof $ref !== 'string') return own;
  const { [$ref.replace('#/$defs/', '')]: shape = {}, ...others } = shapes;
  return { ...(inlined(shape, others) as Json), ...own };
}

type WithDefinitions = Json & { $defs?: Shapes };

function withDefinitions(schema: z.ZodType, io: 'input' | 'output'): WithDefinitions {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'output',
    unrepresentable: 'any',
    override({ jsonSchema: generated, zodSchema }) {
      const { variants } = z.globalRegistry.get(zodSchema) ?? {};
      if (variants && generated.properties) divide(generated, variants);
      for (const name of notDescribed) delete (generated as Json)[name];
      // A member with a default is optional in a call, though the schema's output always has it.
      const shape = (zodSchema as unknown as { def: { shape?: Record<string, z.ZodType> } }).def.shape;
      if (io === 'input' && shape && Array.isArray(generated.required)) {
        generated.required = generated.required.filter((name) => !isOptional(shape[name]!));
        if (generated.required.length === 0) delete generated.required;
      }
    },
  });
  return rest as WithDefinitions;
}

/** Metadata that is no JSON Schema. */
const notDescribed = ['fault', 'selfFault', 'neverEmpty', 'separateItems', 'date', 'aliases', 'variants', 'xmlrpc'];

/** Makes a struct with the members of all types one of several, each with the members of its type. */
function divide(struct: z.core.JSONSchema.BaseSchema, variants: Readonly<Record<string, readonly string[]>>): void {
  const { properties, required, type: _, additionalProperties: __, ...rest } = struct;
  const shared = Object.keys(properties!).filter((name) => !Object.values(variants).some((own) => own.includes(name)));
  for (const name of Object.keys(struct)) delete (struct as Json)[name];
  Object.assign(struct, rest, {
    oneOf: Object.entries(variants).map(([type, own]) => ({
      type: 'object',
      properties: {
        ...Object.fromEntries([...shared, ...own].map((name) => [name, properties![name]])),
        type: { type: 'string', const: type },
      },
      required,
      additionalProperties: false,
    })),
  });
}
