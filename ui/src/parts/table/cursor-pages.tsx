// The pages of a table whose rows are too many to number: the page before and the next one, and how many rows there are.
import { Button, Group, Text } from '@mantine/core';
import { useText } from '../../text/use-text.tsx';
import type { useTableSearch } from './table-search.ts';

type Props = {
  search: ReturnType<typeof useTableSearch>;
  previous: string;
  next: string;
  /** How many rows there are, in words; empty while that is counted. */
  total: string;
};

export function CursorPages({ search, previous, next, total }: Props) {
  const t = useText('parts');
  const go = (cursor: string) => {
    search.change({ cursor });
    window.scrollTo({ top: 0 });
  };
  return (
    <Group justify="space-between" mt="md" gap="sm">
      <Text size="sm" c="dimmed" role="status">
        {total}
      </Text>
      {(previous !== '' || next !== '' || search.cursor) && (
        <Group gap="sm" component="nav" aria-label={t('pages')}>
          {search.cursor && previous === '' && (
            <Button variant="default" size="xs" onClick={() => search.change({ cursor: undefined })}>
              {t('firstPage')}
            </Button>
          )}
          <Button variant="default" size="xs" disabled={previous === ''} onClick={() => go(previous)}>
            {t('previous')}
          </Button>
          <Button variant="default" size="xs" disabled={next === ''} onClick={() => go(next)}>
            {t('next')}
          </Button>
        </Group>
      )}
    </Group>
  );
}
