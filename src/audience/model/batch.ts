// Batches of members or addresses: an error in one item is reported and does not affect the others.
import { z } from 'zod';
import type { PublishedCall } from '../../base/context.ts';
import { Fault, fault } from '../../base/faults.ts';
import { cleanInput } from '../../method/clean-input.ts';
import { named } from '../../method/named.ts';
import { asText, contactStruct, separateItems, text } from '../../method/params.ts';
import { tidyContact } from '../../method/published.ts';
import { readValue } from '../../method/read-value.ts';
import { UNREADABLE } from '../../method/wire.ts';

export const maxInBatch = 10_000;

/** What is wrong with items of a batch. */
export const batchErrors = z.array(
  z.object({
    code: z.int(),
    message: z.string(),
    email: z.string(),
    index: z.int().meta({ description: 'The place of the item in the batch, from 0.' }),
  }),
);
export type BatchError = z.input<typeof batchErrors>[number];

export const batchResult = named(
  'BatchResult',
  z.object({
    success_count: z.int(),
    error_count: z.int(),
    errors: batchErrors,
  }),
);
type BatchResult = z.input<typeof batchResult>;

/** The parameter of a batch of addresses. */
export const addressBatch = (description: string) =>
  separateItems(description, { type: 'string', description: 'An address.' });

/** The parameter of a batch of structs of EMAIL and other members. */
export const contactBatch = (description: string) =>
  separateItems(description, { type: 'object', description: 'One contact.' });

/** Runs `work` for each address of a batch. @throws Fault TOO_LARGE */
export const eachAddress = (
  items: readonly unknown[],
  member: string,
  work: (email: string) => Promise<unknown>,
): Promise<BatchResult> =>
  eachOf(items, member, async (item, path) => {
    const { value } = readItem(addressItem, item, path);
    await work(value).catch((error) => {
      throw withMember(error, () => path);
    });
  });

/** Runs `work` for each struct of a batch; its names are in upper case. @throws Fault TOO_LARGE */
export const eachContact = (
  items: readonly unknown[],
  member: string,
  published: PublishedCall | undefined,
  work: (contact: Record<string, unknown>) => Promise<unknown>,
): Promise<BatchResult> =>
  eachOf(items, member, async (item, path) => {
    const { value } = readItem(contactItem, published ? tidyContact(item) : item, path);
    const contact = upperNames(value);
    if (contact.EMAIL === undefined || contact.EMAIL === '')
      throw fault('ADDRESS_INVALID', 'parameter.required', { member: `${path}.EMAIL` });
    await work(contact).catch((error) => {
      throw withMember(error, (name) => `${path}.${nameInContact(name)}`);
    });
  });

const addressItem = z.strictObject({ value: text('The address.', 1_000) });
const contactItem = z.strictObject({ value: contactStruct('One contact.') });

/** What one call for a single member names `email_address` and `merge_vars.FNAME`. */
const nameInContact = (member: string) =>
  member === 'email_address' ? 'EMAIL' : member.replace(/^merge_vars\./, '').toUpperCase();

/**
 * Reads an item of a batch.
 * @param path of the item, for the fault
 */
export function readItem<T extends z.ZodType>(schema: T, item: unknown, path: string): z.output<T> {
  const value = cleanInput(item ?? '', path);
  try {
    return readValue(schema, { value });
  } catch (error) {
    throw withMember(error, (member) => member.replace(/^value/, path));
  }
}

/** The same fault with the path of its member in the batch. */
export function withMember(error: unknown, pathOf: (member: string) => string): unknown {
  const member = error instanceof Fault ? error.text.values.member : undefined;
  if (!(error instanceof Fault) || typeof member !== 'string') return error;
  return new Fault(error.fault, { ...error.text, values: { ...error.text.values, member: pathOf(member) } });
}

/** Faults are collected per item; any other error ends the batch. @throws Fault TOO_LARGE */
async function eachOf(
  items: readonly unknown[],
  member: string,
  work: (item: unknown, path: string) => Promise<void>,
): Promise<BatchResult> {
  if (items.length > maxInBatch)
    throw fault('TOO_LARGE', 'member.batch_too_large', { member, length: items.length, count: maxInBatch });
  const errors: BatchResult['errors'] = [];
  for (const [index, item] of items.entries()) {
    try {
      await work(item, `${member}.${index}`);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      errors.push(errorOf(error, emailOf(item), index));
    }
  }
  return { success_count: items.length - errors.length, error_count: errors.length, errors };
}

export const errorOf = ({ code, message }: Fault, email: string, index: number): BatchError => ({
  code,
  message,
  email: email.slice(0, 320),
  index,
});

/** The same members with their names in upper case. */
const upperNames = (item: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name.toUpperCase(), value]));

function emailOf(item: unknown): string {
  const text = asText(item);
  if (typeof text === 'string') return readable(text);
  if (typeof item !== 'object' || item === null) return '';
  const email = asText(upperNames(item as Record<string, unknown>).EMAIL);
  return typeof email === 'string' ? readable(email) : '';
}

/** What is shown of a text that may have arrived with bytes that are none. */
export const readable = (text: string): string => text.replaceAll(UNREADABLE, '\uFFFD');
