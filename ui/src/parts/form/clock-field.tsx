// THE field for a time of day: as the browser lets it be typed, without the browser's own picker, which is foreign in dark.
import { TextInput, type TextInputProps } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import classes from './clock-field.module.css';

export const ClockField = (props: TextInputProps) => (
  <TextInput
    type="time"
    leftSection={<IconClock size={16} aria-hidden />}
    classNames={{ input: classes.clock ?? '' }}
    {...props}
  />
);
