// A status: a coloured dot and a label. Colour is never the only signal.
import { Box, Group, Text } from '@mantine/core';
import classes from './status.module.css';

/** still: nothing happens; busy: in progress; waiting: paused or scheduled; good: done; bad: failed. */
export type Tone = 'still' | 'busy' | 'waiting' | 'good' | 'bad';

export function Status({ tone, children }: { tone: Tone; children: string }) {
  return (
    <Group gap={6} wrap="nowrap" component="span" display="inline-flex" className={classes.status}>
      <Box component="span" className={classes.point} data-tone={tone} aria-hidden />
      <Text span size="sm">
        {children}
      </Text>
    </Group>
  );
}
