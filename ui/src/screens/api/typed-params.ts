// Parameters as typed text: each field is a text, parsed by the method's schema. Pure.
import { type Schema, typeOf } from './reference.ts';

export type Typed = Record<string, string>;

/** The input for a field: a choice, yes or no, a line of text, or JSON for lists and structs. */
export function fieldKind(schema: Schema): 'choice' | 'truth' | 'line' | 'json' {
  if (schema.enum) return 'choice';
  const type = typeOf(schema);
  if (type === 'boolean') return 'truth';
  return type.startsWith('array') || type === 'struct' || type === 'any' ? 'json' : 'line';
}

export function typedOf(params: Record<string, unknown>): Typed {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      // A struct is read line by line, a list of words at once.
      typeof value === 'string' ? value : JSON.stringify(value, null, isStruct(value) ? 2 : 0),
    ]),
  );
}

const isStruct = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The parameters; empty fields are left out. @throws Error whose message names the field with invalid JSON */
export function paramsOf(typed: Typed, properties: Record<string, Schema>): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(typed)) {
    const schema = properties[name];
    if (text === '' || schema === undefined) continue;
    params[name] = read(name, text, schema);
  }
  return params;
}

function read(name: string, text: string, schema: Schema): unknown {
  const kind = fieldKind(schema);
  const type = typeOf(schema);
  if (kind === 'truth') return text === 'true';
  if (kind === 'line' || kind === 'choice')
    return (type === 'integer' || type === 'number') && text.trim() !== '' && !Number.isNaN(Number(text))
      ? Number(text)
      : text;
  try {
    return JSON.parse(text);
  } catch {
    // A value of any type may be plain text.
    if (type === 'any') return text;
    throw new Error(name);
  }
}
