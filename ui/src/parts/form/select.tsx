// The select of the library, whose list and the layer it floats in are loaded at the first use: with them a screen would load
// 35 kB more. Until then a field of the same look and name stands for it, which opens with a click, an arrow key, Enter or
// Space, and takes what is typed.
import { ComboboxChevron, InputBase, type Primitive, type SelectProps } from '@mantine/core';
import { useId } from '@mantine/hooks';
import { type KeyboardEvent, useState } from 'react';
import { useLate } from '../use-late.ts';
import { nameOf } from './options.ts';

const load = () => import('./select-list.tsx');

/** What made the list be needed, and what was typed by then. */
export type Opening = { typed?: string };

export function Select<V extends Primitive = string>(props: SelectProps<V>) {
  const id = useId(props.id);
  // The button that empties it belongs to the library's own.
  const isCleared = props.clearable === true && props.value != null && !props.readOnly && !props.disabled;
  const [opening, setOpening] = useState<Opening>();
  const List = useLate(load, opening !== undefined || isCleared);
  if (!List) return <StandIn {...props} id={id} typed={opening?.typed} onOpen={setOpening} />;
  // The library's own has the type of its values too; the one that is loaded has strings.
  return <List {...(props as unknown as SelectProps)} id={id} opening={opening} />;
}

type StandInProps<V extends Primitive> = SelectProps<V> & {
  typed: string | undefined;
  onOpen(opening: Opening): void;
};

function StandIn<V extends Primitive>(props: StandInProps<V>) {
  const { typed, onOpen, data, value, searchable = false, onFocus, onClick, onKeyDown, rightSection, ...rest } = props;
  const isFixed = rest.readOnly || rest.disabled;
  const openByKey = (event: KeyboardEvent<HTMLInputElement>) => {
    onKeyDown?.(event);
    const keys = searchable ? ['ArrowDown', 'ArrowUp'] : ['ArrowDown', 'ArrowUp', 'Enter', ' '];
    if (isFixed || event.nativeEvent.isComposing || !keys.includes(event.key)) return;
    event.preventDefault();
    onOpen({});
  };
  return (
    <InputBase
      {...onlyOfField(rest)}
      rightSection={rightSection ?? <ComboboxChevron size={rest.size} error={rest.error} color={rest.chevronColor} />}
      rightSectionPointerEvents={rest.rightSectionPointerEvents ?? 'none'}
      __staticSelector="Select"
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      pointer={!searchable}
      readOnly={rest.readOnly || !searchable}
      value={typed ?? (value == null ? '' : nameOf(value, data))}
      onChange={({ currentTarget }) => onOpen({ typed: currentTarget.value })}
      onPointerEnter={load}
      onFocus={(event) => {
        load();
        // What is typed replaces the name of the chosen option.
        if (searchable && typed === undefined) event.currentTarget.select();
        onFocus?.(event);
      }}
      onClick={(event) => {
        if (searchable && typed === undefined) event.currentTarget.select();
        onClick?.(event);
        if (!isFixed && typed === undefined) onOpen({});
      }}
      onKeyDown={openByKey}
    />
  );
}

/** Without what belongs to the list. */
function onlyOfField<V extends Primitive>(
  props: Omit<StandInProps<V>, 'typed' | 'onOpen' | 'data' | 'value' | 'rightSection'>,
) {
  const {
    allowDeselect: _allowDeselect,
    autoSelectOnBlur: _autoSelectOnBlur,
    checkIconPosition: _checkIconPosition,
    chevronColor: _chevronColor,
    clearable: _clearable,
    clearButtonProps: _clearButtonProps,
    comboboxProps: _comboboxProps,
    defaultValue: _defaultValue,
    filter: _filter,
    hiddenInputProps: _hiddenInputProps,
    limit: _limit,
    maxDropdownHeight: _maxDropdownHeight,
    nothingFoundMessage: _nothingFoundMessage,
    onChange: _onChange,
    onClear: _onClear,
    onDropdownClose: _onDropdownClose,
    onDropdownOpen: _onDropdownOpen,
    onOptionSubmit: _onOptionSubmit,
    onSearchChange: _onSearchChange,
    openOnFocus: _openOnFocus,
    renderOption: _renderOption,
    searchValue: _searchValue,
    withCheckIcon: _withCheckIcon,
    classNames: _classNames,
    styles: _styles,
    vars: _vars,
    attributes: _attributes,
    ...field
  } = props;
  return field;
}
