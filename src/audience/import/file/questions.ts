// What a person must decide about the columns of a file before its import starts.
import { type Message, message } from '../../../base/messages.ts';
import type { Column, Plan } from '../plan.ts';

/** Why an import cannot be started; undefined when all is decided. */
export function openQuestion({ columns }: Pick<Plan, 'columns'>): Message | undefined {
  const asking = columns.filter(({ asks }) => asks !== undefined);
  return asking.length > 0 ? undecided(columnNames(asking)) : undefined;
}

/** What the preview says about that. */
export function questions({ columns }: Pick<Plan, 'columns'>): Message[] {
  const asking = columns.filter(({ asks }) => asks !== undefined);
  return asking.length > 0 ? [message('import.undecided_preview', { columns: columnNames(asking) })] : [];
}

/** The headings of columns, or their numbers where they have none, as a mapping takes them. */
export const columnNames = (columns: readonly Column[]) =>
  columns.map(({ heading, no }) => `"${heading.trim() === '' ? no + 1 : heading.slice(0, 60)}"`).join(', ');

export const undecided = (columns: string): Message => message('import.undecided', { member: 'mapping', columns });
