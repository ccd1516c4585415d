// Whether what steps, triggers and goals refer to is there.
import { type Field, findField } from '../../audience/model/field.ts';
import type { SegmentFilter } from '../../audience/model/segment.ts';
import { readFilter } from '../../audience/segments/read-filter.ts';
import { checkObjects } from '../../audience/segments/references.ts';
import type { Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { type Message, message } from '../../base/messages.ts';

export function problemOfField(fields: readonly Field[], tag: string): Message | undefined {
  if (tag === '') return message('automation.field_missing');
  return findField(fields, tag) ? undefined : message('automation.field_unknown', { tag });
}

export async function problemOfFilter(
  context: Context,
  fields: readonly Field[],
  filter: SegmentFilter,
): Promise<Message | undefined> {
  if (filter.length === 0) return message('automation.condition_missing');
  try {
    await checkObjects(context, readFilter(fields, filter));
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.text;
    throw error;
  }
}
