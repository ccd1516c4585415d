// The page buttons of a table. Loaded when there is more than one page.
import { Pagination } from '@mantine/core';
import { useText } from '../../text/use-text.tsx';
import type { useTableSearch } from './table-search.ts';

type Props = { pages: number; search: ReturnType<typeof useTableSearch> };

export default function PageButtons({ pages, search }: Props) {
  const t = useText('parts');
  return (
    <Pagination
      component="nav"
      aria-label={t('pages')}
      size="sm"
      total={pages}
      value={search.page}
      onChange={(page) => search.change({ page })}
      siblings={0}
      getItemProps={(page) => ({ 'aria-label': t('page', { page }) })}
      getControlProps={(control) => ({ 'aria-label': control === 'previous' ? t('previous') : t('next') })}
    />
  );
}
