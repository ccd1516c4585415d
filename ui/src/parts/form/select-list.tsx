// The select of the library, in place of the field of select.tsx: open, with the focus, and with what was typed.
import { Select, type SelectProps } from '@mantine/core';
import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from 'react';
import { useText } from '../../text/use-text.tsx';
import { nameOf } from './options.ts';
import type { Opening } from './select.tsx';

type Props = Omit<SelectProps, 'id'> & { id: string; opening: Opening | undefined };

export default function SelectList({ opening, ...props }: Props) {
  const t = useText('parts');
  // A person who has gone on to another field meanwhile stays there.
  const [hadFocus] = useState(() => document.activeElement?.id === props.id);
  const searched = useSearched(props, opening?.typed, hadFocus);
  return (
    <Select
      // Nine options and a half: the half shows that there are more.
      maxDropdownHeight={340}
      // Beside the name, so that the names are in line.
      checkIconPosition="right"
      {...(props.searchable && { nothingFoundMessage: t('nothingFound') })}
      {...props}
      autoFocus={hadFocus}
      defaultDropdownOpened={hadFocus && opening !== undefined}
      {...searched}
    />
  );
}

/**
 * What is typed replaces the name of the chosen option: the focus and a click select it. Escape puts it back, as leaving
 * the field does. When the list appears, the library puts that name in place of what was typed before; it is kept.
 */
function useSearched(
  { id, searchable, value, data, onKeyDown, onClick }: Omit<Props, 'opening'>,
  typed: string | undefined,
  had: boolean,
) {
  const name = value == null ? '' : nameOf(value, data);
  const [search, setSearch] = useState(typed ?? name);
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    const field = document.getElementById(id);
    if (searchable && had && typed === undefined && field instanceof HTMLInputElement) field.select();
  }, [id, searchable, had, typed]);
  if (!searchable) return {};
  return {
    searchValue: search,
    onSearchChange(next: string) {
      if (isShown.current || typed === undefined) setSearch(next);
    },
    onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
      if (event.key === 'Escape') setSearch(name);
      onKeyDown?.(event);
    },
    onClick(event: MouseEvent<HTMLInputElement>) {
      if (event.currentTarget.value === name) event.currentTarget.select();
      onClick?.(event);
    },
  };
}
