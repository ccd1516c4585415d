// The results of a campaign: rates first, each beside the account's average, with the counts below. Each leads to its recipients.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod } from '../../../api/use-method.ts';
import { useFormats } from '../../../parts/formats.ts';
import { Change } from '../../../parts/stat/change.tsx';
import { Stat, Stats } from '../../../parts/stat/stat.tsx';
import { useText } from '../../../text/use-text.tsx';
import { rowsBehind } from '../tabs.ts';

export type StatsOf = ResultOf<'campaignStats'>;
export type Who = 'people' | 'machines';

type Props = { cid: string; stats: StatsOf; sent: number; who: Who };

export function Rates({ cid, stats, sent, who }: Props) {
  const t = useText('report');
  const { number, shareOf } = useFormats();
  const people = who === 'people';
  const opened = people ? stats.unique_opens : stats.unique_machine_opens;
  const clicked = people ? stats.users_who_clicked : stats.users_with_machine_clicks;
  const bounces =
    stats.hard_bounces + stats.soft_bounces + stats.blocked_bounces + stats.temporary_bounces + stats.generic_bounces;
  const usual = useAverage(people && sent > 0);
  const beside = (count: number, average: number | undefined, better: 'higher' | 'lower', more: ReactNode[]) => (
    <>
      {average !== undefined && (
        <div>
          <Change rate={count / sent} usual={average} better={better} />
        </div>
      )}
      {[number(count), ...more].filter(Boolean).join(' · ')}
    </>
  );
  const tab = (name: string) => ({ to: `/campaigns/${cid}` as string, search: { tab: name } as never });
  return (
    <>
      <Stats label={t('results')}>
        <Stat
          label={t('opened')}
          to={rowsBehind(cid, people ? 'opened' : 'all')}
          value={shareOf(opened, sent)}
          note={beside(opened, usual?.open_rate, 'higher', [
            t('opensInAll', { count: people ? stats.opens : stats.machine_opens }),
          ])}
        />
        <Stat
          label={t('clicked')}
          to={tab('links')}
          value={shareOf(clicked, sent)}
          note={beside(clicked, usual?.click_rate, 'higher', [
            t('clicksInAll', { count: people ? stats.clicks : stats.machine_clicks }),
          ])}
        />
        {people && (
          <>
            <Stat
              label={t('unsubscribed')}
              to={rowsBehind(cid, 'left')}
              value={shareOf(stats.unsubscribes, sent)}
              note={beside(stats.unsubscribes, usual?.unsubscribe_rate, 'lower', [
                stats.complaints > 0 && t('complained', { count: stats.complaints }),
              ])}
            />
            <Stat
              label={t('bounced')}
              to={tab('bounces')}
              value={shareOf(bounces, sent + bounces)}
              note={`${number(bounces)} · ${t('hardAndOther', { hard: stats.hard_bounces, other: bounces - stats.hard_bounces })}`}
            />
          </>
        )}
        <Stat label={t('delivered')} to={rowsBehind(cid, 'accepted')} value={number(sent)} note={t('emailsAccepted')} />
      </Stats>
      {usual && (
        <Text size="xs" c="dimmed">
          {t('comparedWith', { count: usual.campaigns })}
        </Text>
      )}
    </>
  );
}

/** The rates of the last campaigns; undefined while there is nothing to compare with. */
function useAverage(enabled: boolean) {
  const { data } = useMethod('homeSummary', {}, { enabled });
  return data && data.average.campaigns > 1 ? data.average : undefined;
}
