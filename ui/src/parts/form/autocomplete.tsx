// A text field with proposals. They are loaded at the first use; until then it is a plain text field.
import { type AutocompleteProps, TextInput } from '@mantine/core';
import { useId } from '@mantine/hooks';
import { useState } from 'react';
import { useLate } from '../use-late.ts';

const load = () => import('./autocomplete-list.tsx');

type Props = Pick<
  AutocompleteProps,
  | 'label'
  | 'aria-label'
  | 'description'
  | 'placeholder'
  | 'error'
  | 'maxLength'
  | 'data'
  | 'filter'
  | 'renderOption'
  | 'maxDropdownHeight'
  | 'comboboxProps'
> & { value: string; onChange(value: string): void };

export function Autocomplete({ value, onChange, ...props }: Props) {
  const id = useId();
  const [wanted, setWanted] = useState(false);
  const { data: _data, filter: _filter, renderOption: _option, maxDropdownHeight: _height, ...rest } = props;
  const { comboboxProps: _combobox, ...field } = rest;
  const List = useLate(load, wanted);
  if (List) return <List {...props} id={id} value={value} onChange={onChange} />;
  return (
    <TextInput
      {...field}
      id={id}
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      aria-autocomplete="list"
      value={value}
      onChange={({ currentTarget }) => {
        onChange(currentTarget.value);
        setWanted(true);
      }}
      onPointerEnter={load}
      onFocus={load}
      onClick={() => setWanted(true)}
      onKeyDown={({ key }) => key === 'ArrowDown' && setWanted(true)}
    />
  );
}
