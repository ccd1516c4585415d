// The select of several of the library, in place of the field of multi-select.tsx: open, with the focus, and with what was typed.
import { MultiSelect, type MultiSelectProps } from '@mantine/core';
import { useState } from 'react';

type Props = MultiSelectProps & { id: string; typed: string | undefined };

export default function MultiSelectList({ typed, ...props }: Props) {
  // A person who has gone on to another field meanwhile stays there.
  const [hadFocus] = useState(() => document.activeElement?.id === props.id);
  return (
    <MultiSelect
      {...props}
      autoFocus={hadFocus}
      defaultDropdownOpened={hadFocus && typed !== undefined}
      defaultSearchValue={typed ?? ''}
    />
  );
}
