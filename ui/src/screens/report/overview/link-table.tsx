// The links of a campaign with their clicks, best first; each leads to the recipients who clicked it.
import { Text } from '@mantine/core';
import { IconLink } from '@tabler/icons-react';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod } from '../../../api/use-method.ts';
import { Empty } from '../../../parts/empty.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { LinkAnchor } from '../../../parts/link.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { useText } from '../../../text/use-text.tsx';
import classes from '../report.module.css';
import { rowsBehind } from '../rows-behind.ts';

type LinkStats = ResultOf<'campaignClickStats'>[number];

/** @param limit shows only this many */
export function LinkTable({ cid, limit }: { cid: string; limit?: number }) {
  const t = useText('report');
  const { number, shareOf } = useFormats();
  const answer = useMethod('campaignClickStats', { cid }, { refetchInterval: 30_000 });
  const links = answer.data?.toSorted((a, b) => b.clicks - a.clicks);
  if (links?.length === 0) return <Text c="dimmed">{t('noLinks')}</Text>;
  const all = links?.reduce((sum, { clicks }) => sum + clicks, 0) ?? 0;
  const top = Math.max(links?.[0]?.clicks ?? 0, 1);
  const columns: Column<LinkStats>[] = [
    {
      name: 'link',
      title: t('link'),
      cell: ({ id, url, clicks, unique }) => (
        <>
          <LinkAnchor
            {...rowsBehind(cid, `link-${id}`)}
            c="inherit"
            style={{ overflowWrap: 'anywhere' }}
            aria-label={t('followersOf', { count: unique, url })}
          >
            {url}
          </LinkAnchor>
          <span className={classes.meter} style={{ width: `${(clicks / top) * 100}%` }} aria-hidden />
        </>
      ),
    },
    { name: 'people', title: t('persons'), figure: true, width: '90px', cell: ({ unique }) => number(unique) },
    { name: 'clicks', title: t('clicks'), figure: true, width: '90px', cell: ({ clicks }) => number(clicks) },
    { name: 'share', title: t('share'), figure: true, width: '90px', cell: ({ clicks }) => shareOf(clicks, all) },
    {
      name: 'machines',
      title: t('machines'),
      figure: true,
      width: '110px',
      wideOnly: true,
      cell: ({ machine_clicks }) => number(machine_clicks),
    },
  ];
  return (
    <Rows
      label={t('linksTitle')}
      columns={columns}
      rows={links?.slice(0, limit)}
      keyOf={({ id }) => id}
      nameOf={({ url }) => url}
      query={answer}
      empty={<Empty icon={IconLink} title={t('linksTitle')} text={t('noLinks')} />}
    />
  );
}
