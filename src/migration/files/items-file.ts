// What was fetched from an API, as a file: one item a line, as JSON. It is written by the command line and read by a worker, which
// trusts it no more than other files.
import { z } from 'zod';
import { ImportRefusal } from '../../audience/import/file/refusal.ts';
import { message } from '../../base/messages.ts';
import { contactStates, type Item } from './item.ts';
import { linesOf, type SourceFile } from './source-file.ts';

export const itemsFileName = 'migration.jsonl';

const field = z.object({
  key: z.string(),
  name: z.string(),
  type: z.enum(['text', 'number', 'date', 'phone', 'website']),
  tag: z.string().optional(),
});
const item = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('list'), key: z.string(), name: z.string(), fields: z.array(field) }),
  z.object({
    kind: z.literal('contact'),
    list: z.string(),
    email: z.string(),
    state: z.enum(contactStates),
    values: z.record(z.string(), z.string()),
    tags: z.array(z.string()).default([]),
    optinAt: z.string().default(''),
    optinIp: z.string().default(''),
    language: z.string().default(''),
    format: z.enum(['html', 'text']).default('html'),
  }),
  z.object({
    kind: z.literal('suppression'),
    value: z.string(),
    reason: z.enum(['bounce', 'complaint', 'unsubscribe', 'manual']),
  }),
  z.object({ kind: z.literal('template'), key: z.string(), name: z.string(), html: z.string() }),
  z.object({
    kind: z.literal('not taken'),
    list: z.string(),
    value: z.string(),
    reason: z.enum(['not_on_a_list', 'not_subscribed', 'not_archived', 'not_an_address', 'not_a_template']),
  }),
]);

/** @throws ImportRefusal for a line that is no item */
export async function* readItems(file: SourceFile): AsyncGenerator<Item> {
  let line = 0;
  for await (const text of linesOf(file)) {
    line++;
    let read: Item | undefined;
    try {
      read = item.parse(JSON.parse(text));
    } catch {
      throw new ImportRefusal(message('import.unreadable', { detail: `${itemsFileName}, line ${line}` }));
    }
    yield read;
  }
}

export const itemLine = (one: Item): string => `${JSON.stringify(one)}\n`;
