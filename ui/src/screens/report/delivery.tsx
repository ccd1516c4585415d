// The delivery of a campaign: a bar of recipients by state, and while it is being sent its rate, forecast and slow
// domains. Progress comes by server-sent events, and is polled as well.
import { Alert, Anchor, Group, Progress, Stack, Table, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { ResultOf } from '../../api/types.ts';
import { queryKey, useMethod } from '../../api/use-method.ts';
import { parseTime, useFormats } from '../../parts/formats.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/page.tsx';
import { Stat } from '../../parts/stat/stat.tsx';
import { Time } from '../../parts/time.tsx';
import { onProgress } from '../../shell/progress-events.ts';
import { useText } from '../../text/use-text.tsx';
import type { Campaign } from './campaign.ts';
import classes from './report.module.css';
import { rowsBehind } from './tabs.ts';

export type ProgressFigures = ResultOf<'campaignProgress'>;

const states = ['accepted', 'trying', 'later', 'failed', 'skipped', 'unclear', 'queued'] as const;

/** The progress of a campaign, updated by events. */
export function useProgress(cid: string) {
  const client = useQueryClient();
  const answer = useMethod('campaignProgress', { cid }, { refetchInterval: 10_000 });
  useEffect(
    () =>
      onProgress(({ campaign, title: _title, ...figures }) => {
        if (campaign !== cid) return;
        client.setQueryData(queryKey('campaignProgress', { cid }), (previous: ProgressFigures | undefined) =>
          previous === undefined ? previous : { ...previous, ...figures },
        );
      }),
    [client, cid],
  );
  return answer;
}

type Props = { campaign: Campaign; progress: ReturnType<typeof useProgress>; live: boolean };

export function Delivery({ campaign, progress, live }: Props) {
  const t = useText('report');
  if (campaign.delivery_status === 'scheduled') return <Scheduled campaign={campaign} />;
  return (
    <Section title={t('delivery')}>
      <Loaded query={progress}>
        {(figures) => (
          <Stack>
            <Bar cid={campaign.id} figures={figures} />
            {live && figures.waits_for !== '' && (
              <Text size="sm">
                {t(`waitsFor.${figures.waits_for}`)} {t('nextGo')} <Time at={figures.next_time} />
              </Text>
            )}
            {live && <Pace campaign={campaign} figures={figures} />}
            {figures.later > 0 && <SlowDomains cid={campaign.id} />}
            <Excluded excluded={figures.excluded} />
            {figures.warnings.map(({ code, message }) => (
              <Alert key={code} color="yellow" variant="outline" icon={<IconAlertTriangle aria-hidden />}>
                <Text size="sm">{message}</Text>
              </Alert>
            ))}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

/** A scheduled campaign: when sending starts, and how many would receive it now. */
function Scheduled({ campaign }: { campaign: Campaign }) {
  const t = useText('report');
  const { number, exact } = useFormats();
  const audience = useMethod('campaignAudience', { cid: campaign.id });
  const at = parseTime(campaign.schedule_time);
  return (
    <Section title={t('scheduledTitle')} description={at && t('scheduledFor', { time: exact(at) })}>
      <Loaded query={audience}>
        {({ recipients }) => <Stat label={t('wouldGet')} value={number(recipients)} note={t('wouldGetNote')} />}
      </Loaded>
    </Section>
  );
}

function Bar({ cid, figures }: { cid: string; figures: ProgressFigures }) {
  const t = useText('report');
  const { number, shareOf } = useFormats();
  const { recipients } = figures;
  return (
    <Stack gap="sm">
      <Progress.Root size={16} radius="sm" role="group" aria-label={t('barLabel')}>
        {states
          .filter((state) => state !== 'queued' && figures[state] > 0)
          .map((state) => (
            <Progress.Section
              key={state}
              value={recipients > 0 ? (figures[state] / recipients) * 100 : 0}
              color={`var(--state-${state})`}
              className={classes.bar}
              aria-label={t(`state.${state}`)}
              aria-valuetext={`${number(figures[state])} (${shareOf(figures[state], recipients)})`}
            />
          ))}
      </Progress.Root>
      <Group gap={0} component="ul" className={classes.legend}>
        <li>
          <Anchor component={Link} {...rowsBehind(cid, 'all')} c="inherit" size="sm">
            <b>{number(recipients)}</b> {t('recipients', { count: recipients })}
          </Anchor>
        </li>
        {states
          .filter((state) => figures[state] > 0)
          .map((state) => (
            <li key={state}>
              <span className={classes.point} style={{ background: `var(--state-${state})` }} aria-hidden />
              <Anchor component={Link} {...rowsBehind(cid, state)} c="inherit" size="sm">
                <b>{number(figures[state])}</b> {t(`state.${state}`)}
              </Anchor>
            </li>
          ))}
      </Group>
    </Stack>
  );
}

function Pace({ campaign, figures }: { campaign: Campaign; figures: ProgressFigures }) {
  const t = useText('report');
  const { number, shareOf } = useFormats();
  const left = figures.queued + figures.trying;
  if (campaign.type === 'auto' && left === 0) return <Text c="dimmed">{t('autoWaits')}</Text>;
  return (
    <div className={classes.pace}>
      <Stat label={t('done')} value={shareOf(figures.recipients - left - figures.later, figures.recipients)} />
      <Stat
        label={t('rate')}
        value={t('perSecond', { rate: figures.rate < 10 ? Math.round(figures.rate * 10) / 10 : number(figures.rate) })}
      />
      <Stat label={t('left')} value={number(left)} />
      <Stat
        label={t('finish')}
        value={figures.finish_at ? <Time at={figures.finish_at} /> : t('noForecast')}
        note={campaign.delivery_status === 'paused' ? t('pausedNote') : undefined}
      />
    </div>
  );
}

function SlowDomains({ cid }: { cid: string }) {
  const t = useText('report');
  const { number } = useFormats();
  const { data } = useMethod('campaignSlowDomains', { cid }, { refetchInterval: 10_000 });
  if (!data || data.length === 0) return null;
  return (
    <Table.ScrollContainer type="native" minWidth={420} role="group" tabIndex={0} aria-label={t('slowTitle')}>
      <Table>
        <Table.Caption ta="start" style={{ captionSide: 'top' }}>
          {t('slowTitle')}
        </Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('domain')}</Table.Th>
            <Table.Th ta="end">{t('waiting')}</Table.Th>
            <Table.Th>{t('nextTry')}</Table.Th>
            <Table.Th>{t('said')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.map((row) => (
            <Table.Tr key={row.domain}>
              <Table.Th scope="row">{row.domain}</Table.Th>
              <Table.Td ta="end">{number(row.later)}</Table.Td>
              <Table.Td>
                <Time at={row.next_time} />
              </Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{row.reply}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** Contacts excluded at launch, by reason. */
function Excluded({ excluded }: { excluded: Record<string, number> }) {
  const t = useText('report');
  const { number } = useFormats();
  const reasons = Object.entries(excluded).filter(([, count]) => count > 0);
  if (reasons.length === 0) return null;
  return (
    <Text size="sm" c="dimmed">
      {t('leftOut')} {reasons.map(([reason, count]) => `${number(count)} ${t.of('excluded', reason)}`).join(' · ')}
    </Text>
  );
}
