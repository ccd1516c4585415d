// A relative time, with the exact time in the account's time zone as a tooltip.
import { Text } from '@mantine/core';
import { parseTime, useFormats } from './formats.ts';

type Props = {
  /** A time as methods return it; "" shows `never`. */
  at: string | Date | undefined | null;
  never?: string;
  /** It is still to come: what is overdue is "now". */
  upcoming?: boolean;
};

export function Time({ at, never = '–', upcoming }: Props) {
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
      {upcoming ? formats.upcoming(time) : formats.relative(time)}
    </time>
  );
}

/** A sentence with a relative time at its {time}: where it is belongs to the language. */
export function TimeIn({ text, ...time }: Props & { text: string }) {
  const [before, after] = text.split('{time}');
  return (
    <>
      {before}
      <Time {...time} />
      {after}
    </>
  );
}
