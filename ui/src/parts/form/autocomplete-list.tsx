// The text field of the library with proposals, in place of the plain one of autocomplete.tsx: open, and with the focus.
import { Autocomplete, type AutocompleteProps } from '@mantine/core';
import { useState } from 'react';

export default function AutocompleteList(props: AutocompleteProps & { id: string }) {
  // A person who has gone on to another field meanwhile stays there.
  const [hadFocus] = useState(() => document.activeElement?.id === props.id);
  return <Autocomplete {...props} autoFocus={hadFocus} defaultDropdownOpened={hadFocus} />;
}
