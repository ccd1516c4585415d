// Which messages of the built-in inbox were read in this browser, by account: it is an inbox of tests, not of a person.
import { useLocalStorage } from '@mantine/hooks';
import { useEffect } from 'react';
import { useSession } from '../../session/session.ts';
import { isUnread, noneRead, withAllRead, withRead } from './read-marks.ts';

export function useReadMarks() {
  const { account } = useSession();
  const [marks, setMarks] = useLocalStorage({
    key: `postrider-inbox-read-${account.id}`,
    defaultValue: noneRead,
    getInitialValueInEffect: false,
  });
  return {
    isUnread: (id: string) => isUnread(marks, id),
    markRead: (id: string) => setMarks((before) => withRead(before, id)),
    markAllRead: (newest: string) => setMarks((before) => withAllRead(before, newest)),
  };
}

/** Marks a message as read while it is shown. */
export function useMarkedRead(id: string | undefined): void {
  const { markRead } = useReadMarks();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each message
  useEffect(() => {
    if (id !== undefined) markRead(id);
  }, [id]);
}
