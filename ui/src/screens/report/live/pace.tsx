// How fast a campaign is being sent: done, rate with its course since the screen was opened, remaining, expected finish.
import { Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useFormats } from '../../../parts/formats.ts';
import { Stat, Stats } from '../../../parts/stat/stat.tsx';
import { Time } from '../../../parts/time.tsx';
import { useText } from '../../../text/use-text.tsx';
import type { Campaign } from '../campaign.ts';
import type { ProgressFigures } from '../delivery.tsx';
import { remaining } from './remaining.ts';

type Props = { campaign: Campaign; figures: ProgressFigures; updatedAt: number };

export function Pace({ campaign, figures, updatedAt }: Props) {
  const t = useText('report');
  const { number, shareOf } = useFormats();
  const rates = useCourse(figures.rate, updatedAt);
  const left = remaining(figures);
  const inTest = figures.waits_for === 'test';
  if (campaign.type === 'auto' && left === 0) return <Text c="dimmed">{t('autoWaits')}</Text>;
  // The live figures forecast by the rate alone.
  const finish = inTest ? '' : figures.finish_at;
  const done = figures.recipients - left;
  return (
    <Stats label={t('pace')}>
      <Stat
        label={t('done')}
        value={shareOf(done, figures.recipients)}
        note={t('doneOf', { done: number(done), all: number(figures.recipients) })}
      />
      <Stat
        label={t('rate')}
        value={
          inTest
            ? t('noForecast')
            : t('perSecond', { rate: figures.rate < 10 ? Math.round(figures.rate * 10) / 10 : number(figures.rate) })
        }
        note={campaign.delivery_status === 'paused' ? t('pausedNote') : !inTest && t('rateNote')}
        course={inTest ? [] : rates}
      />
      <Stat label={t('left')} value={number(left)} />
      <Stat
        label={t('finish')}
        value={inTest ? t('finishAfterTest') : finish ? <Time at={finish} /> : t('noForecast')}
        note={inTest && figures.next_time !== '' && <Time at={figures.next_time} upcoming />}
      />
    </Stats>
  );
}

const keptRates = 60;

/** The rates since the screen was opened. @param updatedAt changes with each new one */
function useCourse(rate: number, updatedAt: number): readonly number[] {
  const [rates, setRates] = useState<readonly number[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an unchanged rate is a new point as well
  useEffect(() => setRates((before) => [...before, rate].slice(-keptRates)), [updatedAt]);
  return rates;
}
