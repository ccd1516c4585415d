// What a person must decide about the columns of a file before its import starts.
import { type Message, message } from '../../../base/messages.ts';
import type { Column, Plan } from '../plan.ts';

/** Why an import cannot be started; undefined when all is decided. */
export function openQuestion({ columns }: Pick<Plan, 'columns'>): Message | undefined {
  const { consent, left, order } = open(columns);
  if (consent.length > 0) return message('import.undecided', { member: 'mapping', columns: columnNames(consent) });
  if (left.length > 0) return message('import.says_left', { member: 'mapping', columns: columnNames(left) });
  if (order.length > 0) return message('import.order_unclear', { member: 'mapping', columns: columnNames(order) });
  return undefined;
}

/** What the preview says about that. */
export function questions({ columns }: Pick<Plan, 'columns'>): Message[] {
  const { consent, left, order } = open(columns);
  return [
    ...(consent.length > 0 ? [message('import.undecided_preview', { columns: columnNames(consent) })] : []),
    ...(left.length > 0 ? [message('import.says_left_preview', { columns: columnNames(left) })] : []),
    ...(order.length > 0 ? [message('import.order_preview', { columns: columnNames(order) })] : []),
  ];
}

const open = (columns: readonly Column[]) => {
  const asking = columns.filter(({ asks }) => asks !== undefined);
  return {
    consent: asking.filter(({ target }) => !namesContacts.includes(target)),
    left: asking.filter(({ target }) => namesContacts.includes(target)),
    order: columns.filter(({ order }) => order === 'unclear'),
  };
};

/** Targets of columns that are not about consent, and may say of some contacts that they left. */
const namesContacts = ['EMAIL', 'TAGS'];

/** The headings of columns, or their numbers where they have none, as a mapping takes them. */
export const columnNames = (columns: readonly Column[]) =>
  columns.map(({ heading, no }) => `"${heading.trim() === '' ? no + 1 : heading.slice(0, 60)}"`).join(', ');
