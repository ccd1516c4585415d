// What a person must decide about the columns of a file before its import starts.
import { type Message, message } from '../../../base/messages.ts';
import type { Column, Plan } from '../plan.ts';

/** Why an import cannot be started; undefined when all is decided. */
export function openQuestion({ columns }: Pick<Plan, 'columns'>): Message | undefined {
  const { consent, order } = open(columns);
  if (consent.length > 0) return message('import.undecided', { member: 'mapping', columns: columnNames(consent) });
  if (order.length > 0) return message('import.order_unclear', { member: 'mapping', columns: columnNames(order) });
  return undefined;
}

/** What the preview says about that. */
export function questions({ columns }: Pick<Plan, 'columns'>): Message[] {
  const { consent, order } = open(columns);
  return [
    ...(consent.length > 0 ? [message('import.undecided_preview', { columns: columnNames(consent) })] : []),
    ...(order.length > 0 ? [message('import.order_preview', { columns: columnNames(order) })] : []),
  ];
}

const open = (columns: readonly Column[]) => ({
  consent: columns.filter(({ asks }) => asks !== undefined),
  order: columns.filter(({ order }) => order === 'unclear'),
});

/** The headings of columns, or their numbers where they have none, as a mapping takes them. */
export const columnNames = (columns: readonly Column[]) =>
  columns.map(({ heading, no }) => `"${heading.trim() === '' ? no + 1 : heading.slice(0, 60)}"`).join(', ');
