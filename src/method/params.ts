// The building blocks of method parameters: zod types that accept what clients of all kinds send.
// Strings are coerced where a number or boolean is wanted, numbers where a string is wanted (by the text they were
// sent as, so that an id of digits keeps its leading zeros), an empty array where a struct is wanted (PHP).
// A type may carry the fault that a wrong value below it answers with; the innermost one on the way wins.
import { z } from 'zod';
import type { FaultName } from '../base/faults.ts';
import { type Message, type MessageKey, packMessage } from '../base/messages.ts';
import { WireNumber } from './values.ts';

type ParamMeta = {
  description?: string;
  /** The fault of a wrong or unknown member below this value. */
  fault?: FaultName;
  /** The fault when this value itself is not usable; the surrounding one when not given. */
  selfFault?: FaultName;
};

declare module 'zod' {
  interface GlobalMeta {
    fault?: FaultName;
    selfFault?: FaultName;
    /** Shown by the introspection: the XML-RPC type name. */
    xmlrpc?: 'string' | 'int' | 'double' | 'boolean' | 'struct' | 'array' | 'base64';
  }
}

const asText = (value: unknown) => {
  if (value instanceof WireNumber) return value.raw;
  return typeof value === 'number' ? String(value) : value;
};
const asNumber = (value: unknown) => {
  if (value instanceof WireNumber) return value.value;
  if (typeof value === 'string' && /^\s*[+-]?\d+(\.\d+)?\s*$/.test(value)) return Number(value);
  return value;
};
const truths: Record<string, boolean> = {
  '': false,
  '0': false,
  '1': true,
  false: false,
  true: true,
  no: false,
  yes: true,
};
const asTruth = (value: unknown) => {
  const plain = asText(value);
  return typeof plain === 'string' && Object.hasOwn(truths, plain.toLowerCase()) ? truths[plain.toLowerCase()] : value;
};
// Form clients send an empty struct as an empty array, or as an empty string.
const asStruct = (value: unknown) => (value === '' || (Array.isArray(value) && value.length === 0) ? {} : value);
const asArray = (value: unknown) => {
  // An empty struct or string stands for an empty array; a single value for an array of one.
  if (value === '' || (isStruct(value) && Object.keys(value).length === 0)) return [];
  return Array.isArray(value) || value === undefined || isStruct(value) ? value : [value];
};
const isStruct = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof WireNumber) &&
  !(value instanceof Uint8Array);

/**
 * What is wrong with a value, for a schema's error: the message of the fault without its {member}, which
 * `readValue` adds.
 */
export const problem = (key: MessageKey, values: Message['values'] = {}): string => packMessage({ key, values });

const tooLong = (count: number) => problem('parameter.too_long', { count });

/** A string. @param most length at most, in UTF-16 units */
export const text = (description: string, most = 1_000) =>
  z
    .preprocess(asText, z.string(problem('parameter.not_a_string')).max(most, tooLong(most)))
    .meta({ description, xmlrpc: 'string' });

/** A string of at least one character that is not a space. */
export const filledText = (description: string, most = 1_000) =>
  z
    .preprocess(
      asText,
      z
        .string(problem('parameter.not_a_string'))
        .max(most, tooLong(most))
        .refine((value) => value.trim() !== '', problem('parameter.empty')),
    )
    .meta({ description, xmlrpc: 'string' });

/** The public id of an object; whether there is one is for the method to find out. */
export const id = (description: string) => text(description, 100);

export const whole = (description: string, least: number, most: number, meta: ParamMeta = {}) =>
  z
    .preprocess(
      asNumber,
      z
        .number(problem('parameter.not_a_number'))
        .int(problem('parameter.not_whole'))
        .min(least, problem('parameter.too_small', { count: least }))
        .max(most, problem('parameter.too_large', { count: most })),
    )
    .meta({ description, xmlrpc: 'int', ...meta });

export const truth = (description: string) =>
  z.preprocess(asTruth, z.boolean(problem('parameter.not_a_boolean'))).meta({ description, xmlrpc: 'boolean' });

/** One of several words, without regard to case; `synonyms` maps further spellings to them. */
export const word = <const T extends string>(
  description: string,
  words: readonly T[],
  synonyms: Record<string, T> = {},
  meta: ParamMeta = {},
) =>
  z
    .preprocess(
      (value) => {
        const plain = asText(value);
        if (typeof plain !== 'string') return plain;
        const lower = plain.trim().toLowerCase();
        if (Object.hasOwn(synonyms, lower)) return synonyms[lower];
        return words.find((one) => one.toLowerCase() === lower) ?? plain;
      },
      z.enum(words, problem('parameter.not_one_of', { choices: words.join(', ') })),
    )
    .meta({ description, xmlrpc: 'string', ...meta });

/** An array; a single value counts as an array of one. */
export const many = <T extends z.ZodType>(description: string, of: T, most = 10_000, meta: ParamMeta = {}) =>
  z
    .preprocess(
      asArray,
      z.array(of, problem('parameter.not_an_array')).max(most, problem('parameter.too_many', { count: most })),
    )
    .meta({ description, xmlrpc: 'array', ...meta });

/** A struct with these members and no others. */
export const struct = <T extends z.ZodRawShape>(description: string, shape: T, meta: ParamMeta = {}) =>
  z
    .preprocess(asStruct, z.strictObject(shape, { error: structError }))
    .meta({ description, xmlrpc: 'struct', ...meta });

/** A struct whose member names are free (merge fields). */
export const freeStruct = (description: string, meta: ParamMeta = {}) =>
  z
    .preprocess(
      asStruct,
      z.record(
        z.string().max(100),
        z.preprocess(asFreeValue, z.union([z.string(), z.array(z.unknown()), z.record(z.string(), z.unknown())])),
        { error: structError },
      ),
    )
    .meta({ description, xmlrpc: 'struct', ...meta });

/** A member that need not be given; an empty string, array or struct, PHP's way to leave one out, counts as not given. */
export const unlessEmpty = <T extends z.ZodType>(type: T) =>
  z
    .preprocess((value) => (isEmpty(value) ? undefined : value), type.optional())
    .meta(type.meta() ?? {})
    .optional();

/** Any value at all; the method looks at it itself (campaignUpdate). */
export const anything = (description: string) => z.unknown().meta({ description, xmlrpc: 'string' });

/** Bytes: base64 in XML-RPC, or a Base64 string through the other doors. */
export const bytesOrText = (description: string, most: number) =>
  z
    .union([z.string().max(most, tooLong(most)), z.instanceof(Uint8Array)], problem('parameter.not_bytes'))
    .meta({ description, xmlrpc: 'base64' });

/** The shape of a method's parameter struct, without apikey (the doors take that away first). */
export const params = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape, { error: structError });

const structError: z.core.$ZodErrorMap = (issue) =>
  issue.code === 'invalid_type' ? problem('parameter.not_a_struct') : undefined;

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value) || isStruct(value)) return Object.keys(value).length === 0;
  return value === '';
}

function asFreeValue(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return asText(value);
}
