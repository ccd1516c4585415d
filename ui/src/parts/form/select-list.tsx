// The select of the library, in place of the field of select.tsx: open, with the focus, and with what was typed.
import { Select, type SelectProps } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { Opening } from './select.tsx';

type Props = Omit<SelectProps, 'id'> & { id: string; opening: Opening | undefined };

export default function SelectList({ opening, ...props }: Props) {
  // A person who has gone on to another field meanwhile stays there.
  const [hadFocus] = useState(() => document.activeElement?.id === props.id);
  return (
    <Select
      {...props}
      autoFocus={hadFocus}
      defaultDropdownOpened={hadFocus && opening !== undefined}
      {...useTyped(opening?.typed)}
    />
  );
}

/** Keeps what was typed: when it appears, the library puts the name of the chosen option in its place. */
function useTyped(typed: string | undefined) {
  const [search, setSearch] = useState(typed ?? '');
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
  }, []);
  if (typed === undefined) return {};
  return {
    searchValue: search,
    onSearchChange(next: string) {
      if (isShown.current) setSearch(next);
    },
  };
}
