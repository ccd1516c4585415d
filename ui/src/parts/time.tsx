// A relative time, with the exact time in the account's time zone as a tooltip.
import { Text } from '@mantine/core';
import { parseTime, useFormats } from './formats.ts';

/** @param at a time as methods return it; "" shows `never` */
export function Time({ at, never = '–' }: { at: string | Date | undefined | null; never?: string }) {
  const formats = useFormats();
  const time = at instanceof Date ? at : parseTime(at);
  if (!time)
    return (
      <Text span c="dimmed" inherit>
        {never}
      </Text>
    );
  return (
    <time dateTime={time.toISOString()} title={formats.exact(time)}>
      {formats.relative(time)}
    </time>
  );
}
