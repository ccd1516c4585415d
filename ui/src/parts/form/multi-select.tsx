// The select of several of the library, loaded at the first use or to show what is chosen. Until then a field of the same look
// and name stands for it, as in select.tsx.
import { InputBase, type MultiSelectProps } from '@mantine/core';
import { useId } from '@mantine/hooks';
import { useState } from 'react';
import { useLate } from '../use-late.ts';

const load = () => import('./multi-select-list.tsx');

type Props = Pick<
  MultiSelectProps,
  | 'label'
  | 'aria-label'
  | 'description'
  | 'placeholder'
  | 'error'
  | 'required'
  | 'disabled'
  | 'data'
  | 'value'
  | 'onChange'
  | 'onFocus'
  | 'onBlur'
  | 'searchable'
  | 'hidePickedOptions'
  | 'maxValues'
  | 'nothingFoundMessage'
  | 'limit'
  | 'clearable'
  | 'clearButtonProps'
  | 'mt'
> & { id?: string };

export function MultiSelect(props: Props) {
  const id = useId(props.id);
  const [typed, setTyped] = useState<string>();
  const isChosen = (props.value ?? []).length > 0;
  const { label, description, placeholder, error, required, disabled, searchable = false, mt } = props;
  const List = useLate(load, typed !== undefined || isChosen);
  if (List) return <List {...props} id={id} typed={typed} />;
  return (
    <InputBase
      {...{ id, label, description, placeholder, error, mt, 'aria-label': props['aria-label'] }}
      required={required ?? false}
      disabled={disabled ?? false}
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      pointer={!searchable}
      readOnly={!searchable || isChosen}
      value={typed ?? ''}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onPointerEnter={load}
      onFocus={load}
      onClick={() => setTyped('')}
      onKeyDown={(event) => {
        if (!['ArrowDown', 'ArrowUp', 'Enter'].includes(event.key)) return;
        event.preventDefault();
        setTyped('');
      }}
    />
  );
}
