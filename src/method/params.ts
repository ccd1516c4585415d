// The building blocks of method parameters: zod types that accept what clients of all kinds send.
// A number or boolean may arrive as a string, a string as a number (its text is used, so an id of digits keeps its leading
// zeros), a struct as an empty array (PHP). A type may carry the fault for wrong values below it; the innermost one wins.
import { z } from 'zod';
import { type FaultName, fault } from '../base/faults.ts';
import { type Message, type MessageKey, packMessage } from '../base/messages.ts';
import { textOfUtf8 } from './windows-1252.ts';
import { WireNumber } from './wire.ts';

type ParamMeta = {
  description?: string;
  /** The fault for a wrong or unknown member of this value. */
  fault?: FaultName;
  /** The fault if this value itself is invalid; default: that of the surrounding value. */
  selfFault?: FaultName;
  separateItems?: boolean;
  /** The JSON schema of the items of an array whose own schema accepts any. */
  items?: Record<string, unknown>;
  /** Names that published clients use for members of this struct, and what they are here; '' for one without effect. */
  aliases?: Record<string, string>;
  variants?: Record<string, readonly string[]>;
};

declare module 'zod' {
  interface GlobalMeta {
    fault?: FaultName;
    selfFault?: FaultName;
    /** An empty string is no value of this optional text, such as a date or a language: it means "not given". */
    neverEmpty?: boolean;
    /** The text is a date, which published clients may write day first (published.ts). */
    date?: boolean;
    /** The struct has the values of a contact: published clients may give names that no field can have (published.ts). */
    contact?: boolean;
    /** The members that a struct has by its `type`, besides `type` itself: it is described as one struct of several. */
    variants?: Record<string, readonly string[]>;
    /** The method cleans and reads the items of this array one by one. */
    separateItems?: boolean;
    /** Of a struct as in ParamMeta; of a text, its values that published clients use and what they are here. */
    aliases?: Record<string, string>;
    /** The XML-RPC type, shown by the introspection. */
    xmlrpc?: 'string' | 'int' | 'double' | 'boolean' | 'struct' | 'array' | 'base64';
  }
}

/** The text of a number or of base64, which some clients send for every text that is not ASCII; others stay as they are. */
export const asText = (value: unknown): unknown => {
  if (value instanceof WireNumber) return value.raw;
  if (value instanceof Uint8Array) return textOfBytes(value) ?? value;
  return typeof value === 'number' ? String(value) : value;
};
/** Undefined for what is not UTF-8, or contains the NUL that the database cannot store. */
const textOfBytes = (bytes: Uint8Array): string | undefined =>
  bytes.includes(0) ? undefined : textOfUtf8(Buffer.from(bytes));
/** What is wrong with a value that is not a text. */
const notText = ({ input }: { input?: unknown }) =>
  problem(input instanceof Uint8Array ? 'parameter.not_utf8' : 'parameter.not_a_string');
const asNumber = (value: unknown) => {
  if (value instanceof WireNumber) return value.value;
  if (typeof value === 'string' && /^\s*[+-]?\d+(\.\d+)?\s*$/.test(value)) return Number(value);
  return value;
};
const booleans: Record<string, boolean> = {
  '': false,
  '0': false,
  '1': true,
  false: false,
  true: true,
  no: false,
  yes: true,
  off: false,
  on: true,
};
const asBoolean = (value: unknown) => {
  const plain = asText(value);
  if (typeof plain !== 'string') return value;
  const word = plain.trim().toLowerCase();
  return Object.hasOwn(booleans, word) ? booleans[word] : value;
};
// Form clients send an empty struct as an empty array, as an array of an empty string, or as an empty string.
const asStruct = (value: unknown) =>
  value === '' || (Array.isArray(value) && value.every((item) => item === '')) ? {} : value;
const asArray = (value: unknown) => {
  // An empty struct or string means an empty array; a single value means an array of one.
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

/** A string. @param max maximum length in UTF-16 units */
export const text = (description: string, max = 1_000) =>
  z.preprocess(asText, z.string({ error: notText }).max(max, tooLong(max))).meta({ description, xmlrpc: 'string' });

/** A string with at least one character that is not white space. */
export const filledText = (description: string, max = 1_000) =>
  z
    .preprocess(
      asText,
      z
        .string({ error: notText })
        .max(max, tooLong(max))
        .refine((value) => value.trim() !== '', problem('parameter.empty')),
    )
    .meta({ description, xmlrpc: 'string' });

/** A text of one line, such as a name or a subject: line breaks and tabs become spaces, control characters are refused. */
export const line = (description: string, max = 1_000) =>
  z
    .preprocess(
      (value) => oneLine(asText(value)),
      z
        .string({ error: notText })
        .max(max, tooLong(max))
        .refine((value) => !hasControl(value), problem('parameter.control_characters')),
    )
    .meta({ description, xmlrpc: 'string' });

/** A line with at least one character that is not white space. */
export const filledLine = (description: string, max = 1_000) =>
  line(description, max)
    .refine((value) => String(value).trim() !== '', problem('parameter.empty'))
    .meta({ description, xmlrpc: 'string' });

/** CR LF is one line break; U+0085, U+2028 and U+2029 are line breaks, too (Unicode Standard 5.8). */
const oneLine = (value: unknown) =>
  typeof value === 'string' ? value.replace(/\r\n|[\t\n\v\f\r\u0085\u2028\u2029]/g, ' ') : value;
const hasControl = (value: string) => /\p{Cc}/u.test(value);

/** Whether a text of several lines contains control characters other than tabs and line breaks. */
export const hasControlCharacters = (text: string): boolean => /[^\P{Cc}\t\n\r\u0085]/u.test(text);

/** Reads a line outside of a method's parameters. @throws Fault INVALID_PARAMETER */
export function readLine(value: string, member: string): string {
  const text = oneLine(value) as string;
  if (hasControl(text)) throw fault('INVALID_PARAMETER', 'parameter.control_characters', { member });
  return text;
}

/** Whether a text is the address of a web page: http or https. */
export const isWebAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '');

/** The public id of an object; the method checks that it exists. */
export const id = (description: string) => text(description, 100);

export const integer = (description: string, min: number, max: number, meta: ParamMeta = {}) =>
  z
    .preprocess(
      asNumber,
      z
        .number(problem('parameter.not_a_number'))
        .int(problem('parameter.not_whole'))
        .min(min, problem('parameter.too_small', { count: min }))
        .max(max, problem('parameter.too_large', { count: max })),
    )
    .meta({ description, xmlrpc: 'int', ...meta });

/** A number that may have decimals. */
export const decimal = (description: string, min: number, max: number) =>
  z
    .preprocess(
      asNumber,
      z
        .number(problem('parameter.not_a_number'))
        .min(min, problem('parameter.too_small', { count: min }))
        .max(max, problem('parameter.too_large', { count: max })),
    )
    .meta({ description, xmlrpc: 'double' });

export const boolean = (description: string) =>
  z.preprocess(asBoolean, z.boolean(problem('parameter.not_a_boolean'))).meta({ description, xmlrpc: 'boolean' });

/** One of several strings, without regard to case; `synonyms` maps other spellings to them. */
export const oneOf = <const T extends string>(
  description: string,
  choices: readonly T[],
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
        return choices.find((choice) => choice.toLowerCase() === lower) ?? plain;
      },
      z.enum(
        choices,
        problem('parameter.not_one_of', { choices: choices.filter((choice) => choice !== '').join(', ') }),
      ),
    )
    .meta({ description, xmlrpc: 'string', ...meta });

/** An array; a single value counts as an array of one. */
export const arrayOf = <T extends z.ZodType>(description: string, of: T, max = 10_000, meta: ParamMeta = {}) =>
  z
    .preprocess(
      asArray,
      z.array(of, problem('parameter.not_an_array')).max(max, problem('parameter.too_many', { count: max })),
    )
    .meta({ description, xmlrpc: 'array', ...meta });

/**
 * An array whose items the method reads one by one, so that an invalid item does not reject the others.
 * @param items the JSON schema of an item, for the reference
 */
export const separateItems = (description: string, items: { type: string; description: string }) =>
  arrayOf(description, z.unknown(), 1_000_000, { separateItems: true, items });

/** A struct with exactly these members. */
export const struct = <T extends z.ZodRawShape>(description: string, shape: T, meta: ParamMeta = {}) =>
  z
    .preprocess(asStruct, z.strictObject(shape, { error: structError }))
    .meta({ description, xmlrpc: 'struct', ...meta });

/** A struct with arbitrary member names (merge fields). */
export const freeStruct = (description: string, meta: ParamMeta = {}) =>
  z
    .preprocess(
      asStruct,
      z.record(
        z.string().max(100, tooLong(100)),
        z.preprocess(
          asFreeValue,
          z.union([z.string({ error: notText }), z.array(z.unknown()), z.record(z.string(), z.unknown())], {
            error: notText,
          }),
        ),
        { error: structError },
      ),
    )
    .meta({ description, xmlrpc: 'struct', ...meta });

/** Values of a contact by tag. The method judges names and values, since programs also send what is no field. */
export const contactStruct = (description: string, meta: ParamMeta = {}) =>
  z
    .preprocess(
      asStruct,
      z.record(z.string().max(1_000, tooLong(1_000)), z.preprocess(asFreeValue, z.unknown()), { error: structError }),
    )
    .meta({ description, xmlrpc: 'struct', contact: true, ...meta });

/** A struct of any members that is kept as JSON. @param maxBytes of the JSON in UTF-8 */
export const jsonStruct = (description: string, maxBytes: number) =>
  z
    .preprocess(
      (value) => asJson(asStruct(value)),
      z.record(z.string(), z.unknown(), { error: structError }).superRefine((value, context) => {
        const bytes = bytesIn(value);
        if (bytes) context.addIssue({ code: 'custom', path: bytes, message: problem('parameter.not_utf8') });
        else if (Buffer.byteLength(JSON.stringify(value)) > maxBytes)
          context.addIssue({ code: 'custom', message: problem('parameter.json_too_large', { count: maxBytes }) });
      }),
    )
    .meta({ description, xmlrpc: 'struct' });

/** An optional member; an empty string, array or struct, which PHP clients send for a missing one, counts as missing. */
export const unlessEmpty = <T extends z.ZodType>(type: T) =>
  z
    .preprocess((value) => (isEmpty(value) ? undefined : value), type.optional())
    .meta(type.meta() ?? {})
    .optional();

/** Any value; the method checks it (campaignUpdate). */
export const anything = (description: string) => z.unknown().meta({ description, xmlrpc: 'string' });

/** Bytes: base64 in XML-RPC, a Base64 string in the other doors. */
export const bytesOrText = (description: string, max: number) =>
  z
    .union([z.string().max(max, tooLong(max)), z.instanceof(Uint8Array)], problem('parameter.not_bytes'))
    .meta({ description, xmlrpc: 'base64' });

/** A media type, or ''. */
export const contentType = (description: string) =>
  line(description, 150).refine(
    (value) => value === '' || isContentType(value as string),
    problem('message.content_type'),
  );

/** type/subtype, with parameters or without. RFC 2045 5.1 */
const isContentType = (text: string) => /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(;.*)?$/.test(text);

/** A method's parameter struct, without apikey, which the doors remove. */
export const params = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape, { error: structError });

const structError: z.core.$ZodErrorMap = (issue) =>
  issue.code === 'invalid_type' ? problem('parameter.not_a_struct') : undefined;

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value) || isStruct(value)) return Object.keys(value).length === 0;
  return value === '';
}

/** What JSON has in place of what arrived from any door. Bytes that are no text stay bytes. */
function asJson(value: unknown): unknown {
  if (value instanceof WireNumber) return value.toJSON();
  if (value instanceof Uint8Array) return textOfBytes(value) ?? value;
  if (Array.isArray(value)) return value.map(asJson);
  if (!isStruct(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asJson(member)]));
}

/** The path of the first bytes in a value. */
function bytesIn(value: unknown): string[] | undefined {
  if (value instanceof Uint8Array) return [];
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const path = bytesIn(member);
    if (path) return [name, ...path];
  }
  return undefined;
}

function asFreeValue(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return asText(value);
}
