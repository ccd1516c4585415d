// The pages of a table whose rows are not counted.
import { useText } from '../../text/use-text.tsx';
import { Pager } from './pager.tsx';
import type { useTableSearch } from './table-search.ts';

type Props = { search: ReturnType<typeof useTableSearch>; more: boolean };

export function Neighbours({ search: { page, change }, more }: Props) {
  const t = useText('parts');
  if (page === 1 && !more) return null;
  return (
    <Pager
      words={t('page', { page })}
      previous={page === 1 ? undefined : () => change({ page: page - 1 })}
      next={more ? () => change({ page: page + 1 }) : undefined}
    />
  );
}
