// Newer and older: paging for tables whose rows are not counted.
import { Button, Group } from '@mantine/core';
import { useText } from '../../text/use-text.tsx';
import type { useTableSearch } from './table-search.ts';

type Props = { search: ReturnType<typeof useTableSearch>; more: boolean };

export function Neighbours({ search, more }: Props) {
  const t = useText('parts');
  if (search.page === 1 && !more) return null;
  return (
    <Group gap="sm" component="nav" aria-label={t('pages')}>
      <Button
        variant="default"
        size="xs"
        disabled={search.page === 1}
        onClick={() => search.change({ page: search.page - 1 })}
      >
        {t('newer')}
      </Button>
      <Button variant="default" size="xs" disabled={!more} onClick={() => search.change({ page: search.page + 1 })}>
        {t('older')}
      </Button>
    </Group>
  );
}
