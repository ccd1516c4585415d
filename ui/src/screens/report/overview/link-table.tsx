// The links of a campaign with their clicks, best first; each leads to the recipients who clicked it.
import { Text } from '@mantine/core';
import { IconLink, IconPencil } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod } from '../../../api/use-method.ts';
import { Empty } from '../../../parts/empty.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { LinkAnchor } from '../../../parts/link.tsx';
import { ObjectMenu } from '../../../parts/object-menu.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { Tagged, useTagless } from '../../../parts/tagged/tagged.tsx';
import { TimeIn } from '../../../parts/time.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import classes from '../report.module.css';
import { rowsBehind } from '../rows-behind.ts';

const LinkDialog = lazy(() => import('./link-dialog.tsx'));

type LinkStats = ResultOf<'campaignClickStats'>[number];

/** @param limit shows only this many, to be read only */
export function LinkTable({ cid, limit }: { cid: string; limit?: number }) {
  const t = useText('report');
  const { number, shareOf } = useFormats();
  const { may } = useSession();
  const tagless = useTagless();
  const [correcting, setCorrecting] = useState<LinkStats>();
  const answer = useMethod('campaignClickStats', { cid }, { refetchInterval: 30_000 });
  const links = answer.data?.toSorted((a, b) => b.clicks - a.clicks);
  if (links?.length === 0) return <Text c="dimmed">{t('noLinks')}</Text>;
  const all = links?.reduce((sum, { clicks }) => sum + clicks, 0) ?? 0;
  const top = Math.max(links?.[0]?.clicks ?? 0, 1);
  const columns: Column<LinkStats>[] = [
    {
      name: 'link',
      title: t('link'),
      cell: ({ id, url, clicks, unique, first_url, corrected_at, corrected_by }) => (
        <>
          <LinkAnchor
            {...rowsBehind(cid, `link-${id}`)}
            c="inherit"
            style={{ overflowWrap: 'anywhere' }}
            aria-label={t('followersOf', { count: unique, url: tagless(url) })}
          >
            <Tagged>{url}</Tagged>
          </LinkAnchor>
          {corrected_at !== '' && (
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              <TimeIn
                text={t(corrected_by === '' ? 'linkWas' : 'linkWasBy', { url: tagless(first_url), who: corrected_by })}
                at={corrected_at}
              />
            </Text>
          )}
          {clicks > 0 && <span className={classes.meter} style={{ width: `${(clicks / top) * 100}%` }} aria-hidden />}
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
    ...(may('campaigns:send') && limit === undefined
      ? [
          {
            name: 'actions',
            title: t('linkCorrect'),
            untitled: true,
            width: '44px',
            cell: (link: LinkStats) => (
              <ObjectMenu
                inRow
                of={tagless(link.url)}
                items={[{ label: t('linkCorrect'), icon: IconPencil, act: () => setCorrecting(link) }]}
              />
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <Rows
        label={t('linksTitle')}
        columns={columns}
        brief={({ unique, clicks }) => (
          <span>
            {[t('peopleCount', { count: unique }), t('clicksInAll', { count: clicks }), shareOf(clicks, all)].join(
              ' · ',
            )}
          </span>
        )}
        rows={links?.slice(0, limit)}
        keyOf={({ id }) => id}
        nameOf={({ url }) => url}
        query={answer}
        empty={<Empty icon={IconLink} title={t('linksTitle')} text={t('noLinks')} />}
      />
      {correcting && (
        <Suspense>
          <LinkDialog cid={cid} link={correcting} onClose={() => setCorrecting(undefined)} />
        </Suspense>
      )}
    </>
  );
}
