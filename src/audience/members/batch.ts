// Batches of members or addresses: an error in one item is reported and does not affect the others.
import { z } from 'zod';
import { Fault, fault } from '../../base/faults.ts';

export const maxInBatch = 10_000;

export const batchResult = z.object({
  success_count: z.int(),
  error_count: z.int(),
  errors: z.array(z.object({ code: z.int(), message: z.string(), email: z.string() })),
});

/**
 * Runs `work` for each item: faults are collected per item, any other error ends the batch.
 * @throws Fault TOO_LARGE
 */
export async function eachOf<T>(
  items: readonly T[],
  member: string,
  work: (item: T) => Promise<unknown>,
): Promise<z.input<typeof batchResult>> {
  if (items.length > maxInBatch)
    throw fault('TOO_LARGE', 'member.batch_too_large', { member, length: items.length, count: maxInBatch });
  const errors: { code: number; message: string; email: string }[] = [];
  for (const item of items) {
    try {
      await work(item);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      errors.push({ code: error.code, message: error.message, email: emailOf(item).slice(0, 320) });
    }
  }
  return { success_count: items.length - errors.length, error_count: errors.length, errors };
}

/** The same members with their names in upper case. */
export const upperNames = (item: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name.toUpperCase(), value]));

function emailOf(item: unknown): string {
  if (typeof item === 'string') return item;
  const email = upperNames(item as Record<string, unknown>).EMAIL;
  return typeof email === 'string' ? email : '';
}
