// A field for a number, whole unless `decimals` are allowed. What is no number is not taken; a number beyond the limits
// becomes the nearest within them when the field is left. A sixth of the size of the library's.
import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';

type Props = Omit<TextInputProps, 'value' | 'defaultValue' | 'onChange' | 'min' | 'max' | 'type'> & {
  value?: number | string | undefined;
  min?: number;
  max?: number;
  /** So many digits may follow the point. */
  decimals?: number;
  /** Gets '' from an empty field. `text` has all digits of a number that is too long for the value. */
  onChange?: (value: number | '', text: string) => void;
};

export function NumberField({ value = '', min, max, decimals = 0, onChange, onBlur, onKeyDown, ...rest }: Props) {
  /** What is being typed, such as "1." or "-", before it is a number. */
  const [typed, setTyped] = useState<string>();
  const give = (number: number | '', text = String(number)) => onChange?.(number, text);
  const within = (number: number) => Math.min(max ?? number, Math.max(min ?? number, number));
  const pattern = new RegExp(
    `^${min !== undefined && min >= 0 ? '' : '-?'}\\d*${decimals > 0 ? `([.,]\\d{0,${decimals}})?` : ''}$`,
  );
  return (
    <TextInput
      {...rest}
      inputMode={decimals > 0 ? 'decimal' : 'numeric'}
      value={typed ?? String(value)}
      onChange={({ currentTarget }) => {
        const next = currentTarget.value.trim();
        if (!pattern.test(next)) return;
        setTyped(next);
        const text = next.replace(',', '.');
        if (next === '') give('');
        else if (Number.isFinite(Number(text))) give(Number(text), text);
      }}
      onKeyDown={(event) => {
        onKeyDown?.(event);
        const step = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
        if (step === 0) return;
        event.preventDefault();
        setTyped(undefined);
        give(within((Number(value) || 0) + step));
      }}
      onBlur={(event) => {
        setTyped(undefined);
        if (value !== '' && within(Number(value)) !== Number(value)) give(within(Number(value)));
        onBlur?.(event);
      }}
    />
  );
}
