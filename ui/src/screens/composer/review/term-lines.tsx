// Terms with their values, one below the other; those without a value are left out.
import { Text } from '@mantine/core';
import classes from '../composer.module.css';

export type TermLine = readonly [term: string, values: readonly string[]];

export function TermLines({ lines, isList = false }: { lines: readonly TermLine[]; isList?: boolean }) {
  return (
    <dl className={classes.audienceLines}>
      {lines
        .filter(([, values]) => values.length > 0)
        .map(([term, values]) => (
          <div key={term}>
            <Text component="dt" c="dimmed">
              {term}
            </Text>
            {(isList ? values : [values.join(', ')]).map((value) => (
              <Text component="dd" key={value}>
                {value}
              </Text>
            ))}
          </div>
        ))}
    </dl>
  );
}
