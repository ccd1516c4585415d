// A time as a distance from now, with the exact time, in the account's zone, when pointed at.
import { Text } from '@mantine/core';
import { parseTime, useFormats } from './formats.ts';

/** @param at as the methods tell times; "" shows `never` */
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
