// The keys of a table. The focus is on the link in the first column of a row, so that Enter opens it and a screen reader
// reads it: j and k move it from anywhere on the screen, the arrow keys within the table.
import { type KeyboardEvent, type RefObject, useCallback } from 'react';
import { useText } from '../../text/use-text.tsx';
import { useShortcut } from '../keys.ts';

type Actions = { onSelect?: ((row: number) => void) | undefined; onPeek?: ((row: number) => void) | undefined };

/** Returns the handler of the body of the table. */
export function useRowKeys(body: RefObject<HTMLTableSectionElement | null>, { onSelect, onPeek }: Actions) {
  const t = useText('parts');
  const current = useCallback(
    () => [...(body.current?.rows ?? [])].findIndex((row) => row.contains(document.activeElement)),
    [body],
  );
  const move = (by: 1 | -1) => {
    const to = Math.max(0, current() + by);
    const row = body.current?.rows[to];
    const named = row?.querySelector<HTMLElement>('td[data-first] :is(a, [data-opens])');
    (named ?? row?.querySelector<HTMLElement>('a, button, input'))?.focus();
    row?.scrollIntoView({ block: 'nearest' });
  };
  const select = () => {
    const at = current();
    if (at >= 0) onSelect?.(at);
  };
  useShortcut('j', t('nextRow'), () => move(1));
  useShortcut('k', t('previousRow'), () => move(-1));
  useShortcut('x', t('selectRow'), select, onSelect !== undefined);
  // Listed only: Space presses a button elsewhere.
  useShortcut('space', t('peek'), undefined, onPeek !== undefined);
  return (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') move(event.key === 'ArrowDown' ? 1 : -1);
    else if (event.key === ' ' && onPeek && event.target instanceof HTMLAnchorElement) onPeek(current());
    else return;
    event.preventDefault();
  };
}
