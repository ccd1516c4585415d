// The state of something: a coloured point and a word. Colour stands for state only, and never without the word.
import { Box, Group, Text } from '@mantine/core';
import classes from './status.module.css';

/** still: nothing happens; busy: under way; waiting: halted or to come; good: done; bad: failed. */
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
