// How fast a campaign is being sent: done, rate with its course since the screen was opened, remaining, expected finish; before there
// is a rate, what is going on.
import { Group, Loader, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { parseTime, useFormats } from '../../../parts/formats.ts';
import { Stat, Stats } from '../../../parts/stat/stat.tsx';
import { Time } from '../../../parts/time.tsx';
import { useText } from '../../../text/use-text.tsx';
import type { Campaign } from '../campaign.ts';
import type { ProgressFigures } from '../delivery.tsx';
import { beginningOf, isYoung, type Reading } from './beginning.ts';
import { remaining, shareDone } from './remaining.ts';

type Props = { campaign: Campaign; figures: ProgressFigures; updatedAt: number };

export function Pace({ campaign, figures, updatedAt }: Props) {
  const t = useText('report');
  const { number, percent } = useFormats();
  const readings = useReadings(figures.rate, updatedAt);
  const left = remaining(figures);
  if (campaign.type === 'auto' && left === 0) return <Text c="dimmed">{t('autoWaits')}</Text>;
  const inTest = figures.waits_for === 'test';
  const isPaused = figures.delivery_status === 'paused';
  // The live figures forecast by the rate alone.
  const finish = inTest ? '' : figures.finish_at;
  const done = figures.recipients - left;
  const beginning = campaign.type === 'auto' ? undefined : beginningOf(figures, campaign.undo_seconds_left);
  const hasRate = !inTest && !isPaused && figures.rate > 0;
  const young = hasRate && isYoung(readings, parseTime(campaign.send_time)?.getTime() ?? 0, updatedAt);
  const rate = figures.rate < 10 ? String(Math.round(figures.rate * 10) / 10) : number(figures.rate);
  const rateNote = isPaused ? t('pausedNote') : hasRate && t(young ? 'youngNote' : 'rateNote');
  const now = beginning && (
    <Group gap="xs" wrap="nowrap" role="status">
      <Loader size={14} aria-hidden />
      <Text size="sm">{t(`beginning.${beginning}`)}</Text>
    </Group>
  );
  // All figures would be zero.
  if (now && figures.recipients === 0) return now;
  return (
    <>
      {now}
      <Stats label={t('pace')}>
        <Stat
          label={t('done')}
          value={percent(shareDone(figures))}
          note={t('doneOf', { done: number(done), all: number(figures.recipients) })}
        />
        <Stat
          label={t('rate')}
          value={hasRate ? t(young ? 'perSecondAbout' : 'perSecond', { rate }) : t('noForecast')}
          note={rateNote}
          course={hasRate ? readings.map((reading) => reading.rate) : []}
        />
        <Stat label={t('left')} value={number(left)} />
        <Stat
          label={t('finish')}
          value={inTest ? t('finishAfterTest') : finish ? <Time at={finish} upcoming /> : t('noForecast')}
          note={
            inTest
              ? figures.next_time !== '' && <Time at={figures.next_time} upcoming />
              : young && finish !== '' && t('youngFinish')
          }
        />
      </Stats>
    </>
  );
}

const keptReadings = 60;

/** The rates since the screen was opened. @param updatedAt changes with each new one */
function useReadings(rate: number, updatedAt: number): readonly Reading[] {
  const [readings, setReadings] = useState<readonly Reading[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an unchanged rate is a new point as well
  useEffect(() => setReadings((before) => [...before, { rate, at: updatedAt }].slice(-keptReadings)), [updatedAt]);
  return readings;
}
