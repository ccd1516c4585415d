// The messages before and after one of the inbox, among the newest.
import { useMethod } from '../../api/use-method.ts';

/** Older messages are opened from the list. */
const newest = 200;

/** The ids of the newer and the older message; undefined at the ends, and for a message that is further back. */
export function useBeside(id: string): { newer: string | undefined; older: string | undefined } {
  const { data = [] } = useMethod('inboxMessages', { limit: newest }, { keep: true });
  const at = data.findIndex((message) => message.id === id);
  return { newer: at > 0 ? data[at - 1]?.id : undefined, older: at < 0 ? undefined : data[at + 1]?.id };
}
