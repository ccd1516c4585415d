// Opens and clicks over time: per step, or added up since sending began.
import { Group, SegmentedControl, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import { maxHourlyHours } from '../../../../../src/tracking/reports/hourly.ts';
import { useMethod } from '../../../api/use-method.ts';
import { Select } from '../../../parts/form/select.tsx';
import { parseTime, useFormats } from '../../../parts/formats.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { Section } from '../../../parts/page.tsx';
import { LinePlot } from '../../../parts/plot/plot.tsx';
import { useText } from '../../../text/use-text.tsx';
import type { Campaign } from '../campaign.ts';
import type { Who } from './rates.tsx';

const plotHeight = 240;
const spans = ['24', '72', '168', '720', '8760'] as const;

export function Timeline({ campaign, who }: { campaign: Campaign; who: Who }) {
  const t = useText('report');
  const [hours, setHours] = useState<string>(() => initialSpan(campaign));
  const [added, setAdded] = useState(false);
  const sending = campaign.delivery_status !== 'sent';
  const answer = useMethod(
    'campaignTimeline',
    { cid: campaign.id, hours: Number(hours) },
    { keep: true, refetchInterval: sending ? 10_000 : 60_000 },
  );
  const label = useStepLabel();
  const [opens, clicks] =
    who === 'people' ? (['opens', 'clicks'] as const) : (['machine_opens', 'machine_clicks'] as const);
  return (
    <Section
      title={t('timeline')}
      actions={
        <Group gap="sm" className="no-print">
          <SegmentedControl
            aria-label={t('adding')}
            value={added ? 'added' : 'step'}
            onChange={(next) => setAdded(next === 'added')}
            data={[
              { value: 'step', label: t(Number(hours) <= maxHourlyHours ? 'perHour' : 'perDay') },
              { value: 'added', label: t('addedUp') },
            ]}
          />
          <Select
            aria-label={t('span')}
            data={spans.map((span) => ({ value: span, label: t(`span.${span}`) }))}
            value={hours}
            onChange={(next) => next && setHours(next)}
            allowDeselect={false}
            w={160}
          />
        </Group>
      }
    >
      <Loaded query={answer} skeleton={<Skeleton height={plotHeight} />}>
        {({ step_hours, data }) => {
          const rows = data.map((row) => ({
            x: label(row.time, step_hours),
            [opens]: row[opens],
            [clicks]: row[clicks],
          }));
          return data.some((row) => row[opens] + row[clicks] > 0) ? (
            <LinePlot
              height={plotHeight}
              title={t(added ? 'timelineAddedLabel' : 'timelineLabel')}
              rows={added ? addUp(rows, [opens, clicks]) : rows}
              series={[
                { name: opens, label: t(`series.${opens}`) },
                { name: clicks, label: t(`series.${clicks}`) },
              ]}
            />
          ) : (
            <Text c="dimmed">{t('nothingYet')}</Text>
          );
        }}
      </Loaded>
    </Section>
  );
}

type PlotRow = { x: string } & Record<string, string | number>;

/** Each row with the sum of all rows up to it. */
function addUp(rows: readonly PlotRow[], names: readonly string[]): PlotRow[] {
  const sums = new Map(names.map((name) => [name, 0]));
  return rows.map((row) => {
    for (const name of names) sums.set(name, sums.get(name)! + Number(row[name]));
    return { ...row, ...Object.fromEntries(sums) };
  });
}

/** The initial time range: 24 hours, or three days for an older campaign. */
function initialSpan({ send_time, type }: Campaign): string {
  if (type === 'auto') return '720';
  const age = (Date.now() - (parseTime(send_time)?.getTime() ?? Date.now())) / 3_600_000;
  return age <= 24 ? '24' : '72';
}

function useStepLabel() {
  const { date, hour } = useFormats();
  return (time: string, stepHours: number) => {
    const at = parseTime(time);
    if (!at) return time;
    return stepHours === 24 ? date(at) : hour(at);
  };
}
