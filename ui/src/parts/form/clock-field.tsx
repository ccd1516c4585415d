// THE field for a time of day, which is typed: always with 24 hours, where a browser's own field follows the language of its menus.
import { TextInput, type TextInputProps } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import type { ChangeEvent } from 'react';
import { clockOf } from './clock.ts';

export function ClockField({ onChange, onBlur, ...props }: TextInputProps) {
  /** Shows what was typed as HH:MM. What is no time stays, for the fault beside it. */
  const tidy = (event: { currentTarget: HTMLInputElement }) => {
    const field = event.currentTarget;
    const time = clockOf(field.value);
    if (time === undefined || time === field.value) return;
    field.value = time;
    onChange?.(event as ChangeEvent<HTMLInputElement>);
  };
  return (
    <TextInput
      leftSection={<IconClock size={16} aria-hidden />}
      placeholder="09:00"
      autoComplete="off"
      maxLength={10}
      {...props}
      onChange={onChange}
      onKeyDown={(event) => event.key === 'Enter' && tidy(event)}
      onBlur={(event) => {
        tidy(event);
        onBlur?.(event);
      }}
    />
  );
}
