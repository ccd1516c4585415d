// The results of a campaign: rates first, each beside the account's average, with the counts below. Each leads to its recipients.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod } from '../../../api/use-method.ts';
import { parseTime, useFormats } from '../../../parts/formats.ts';
import type { Target } from '../../../parts/link.tsx';
import { Change } from '../../../parts/stat/change.tsx';
import { Stat, Stats } from '../../../parts/stat/stat.tsx';
import { useText } from '../../../text/use-text.tsx';
import type { Tab } from '../../tabs.ts';
import type { Campaign } from '../campaign.ts';
import { Conversions as ConversionFigures } from '../conversions.tsx';
import { rowsBehind } from '../rows-behind.ts';

export type StatsOf = ResultOf<'campaignStats'>;
export type Who = 'people' | 'machines';

type Props = { campaign: Campaign; stats: StatsOf; sent: number; who: Who };

/** Most opens and clicks come within two days: the rates of a younger campaign are not compared. */
const settledHours = 48;

export function Rates({ campaign, stats, sent, who }: Props) {
  const t = useText('report');
  const { number, shareOf } = useFormats();
  const { id: cid } = campaign;
  const people = who === 'people';
  const opened = people ? stats.unique_opens : stats.unique_machine_opens;
  const clicked = people ? stats.users_who_clicked : stats.users_with_machine_clicks;
  const bounces =
    stats.hard_bounces + stats.soft_bounces + stats.blocked_bounces + stats.temporary_bounces + stats.generic_bounces;
  const average = useAverage(people && sent > 0);
  const sentMs = parseTime(campaign.send_time)?.getTime() ?? Date.now();
  const isEarly = campaign.type !== 'auto' && Date.now() - sentMs < settledHours * 3_600_000;
  const usual = isEarly ? undefined : average;
  const beside = (count: number, average: number | undefined, better: 'higher' | 'lower', more: ReactNode[]) => (
    <>
      {average !== undefined && (
        <div>
          <Change rate={count / sent} usual={average} better={better} />
        </div>
      )}
      {[t('peopleCount', { count }), ...more].filter(Boolean).join(' · ')}
    </>
  );
  const tab = (name: Tab<'report'>): Target => ({ to: '/campaigns/$id', params: { id: cid }, search: { tab: name } });
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
              note={
                bounces === 0
                  ? `${number(0)} ${t('emailsAccepted')}`
                  : `${number(bounces)} · ${t('hardAndOther', { hard: stats.hard_bounces, other: bounces - stats.hard_bounces })}`
              }
            />
          </>
        )}
        <Stat label={t('delivered')} to={rowsBehind(cid, 'accepted')} value={number(sent)} note={t('emailsAccepted')} />
      </Stats>
      {people && <Conversions cid={cid} />}
      {average && (
        <Text size="xs" c="dimmed">
          {isEarly ? t('tooEarly') : t('comparedWith', { count: average.campaigns })}
        </Text>
      )}
    </>
  );
}

function Conversions({ cid }: { cid: string }) {
  const [found] = useMethod('campaignConversions', { cids: [cid] }).data ?? [];
  return found && <ConversionFigures figures={found} />;
}

/** The rates of the last campaigns; undefined while there is nothing to compare with. */
function useAverage(enabled: boolean) {
  const { data } = useMethod('homeSummary', {}, { enabled });
  return data && data.average.campaigns > 1 ? data.average : undefined;
}
