// The delivery of a campaign: a bar of recipients by state, and while it is being sent its rate, forecast, relays and slow
// domains. Progress comes by server-sent events, and is polled as well.
import { Alert, Group, Progress, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import type { ResultOf } from '../../api/types.ts';
import { queryKey, useMethod } from '../../api/use-method.ts';
import { parseTime, useFormats } from '../../parts/formats.ts';
import { LinkAnchor } from '../../parts/link.tsx';
import { Lines, Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { onProgress } from '../../shell/progress-events.ts';
import { useText } from '../../text/use-text.tsx';
import type { Campaign } from './campaign.ts';
import { Held } from './held.tsx';
import { Pace } from './live/pace.tsx';
import classes from './report.module.css';
import { rowsBehind } from './rows-behind.ts';

/** Of a campaign that is being sent. */
const ByRelay = lazy(async () => ({ default: (await import('./live/by-relay.tsx')).ByRelay }));
const SlowDomains = lazy(async () => ({ default: (await import('./live/slow-domains.tsx')).SlowDomains }));

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

const ScheduledCampaign = lazy(() => import('../composer/review/scheduled-campaign.tsx'));

type Props = { campaign: Campaign; progress: ReturnType<typeof useProgress>; live: boolean };

export function Delivery({ campaign, progress, live }: Props) {
  const t = useText('report');
  if (campaign.delivery_status === 'scheduled') return <Scheduled campaign={campaign} />;
  return (
    <Section title={t('delivery')}>
      <Loaded query={progress}>
        {(figures) => (
          <Stack>
            {(figures.recipients > 0 || !live) && <Bar cid={campaign.id} figures={figures} live={live} />}
            {figures.held > 0 && <Held cid={campaign.id} figures={figures} />}
            {live && figures.waits_for !== '' && figures.waits_for !== 'decision' && (
              <Text size="sm">
                {t(`waitsFor.${figures.waits_for}`)}{' '}
                {figures.next_time !== '' && (
                  <>
                    {t('nextGo')} <Time at={figures.next_time} />
                  </>
                )}
              </Text>
            )}
            {live && <Pace campaign={campaign} figures={figures} updatedAt={progress.dataUpdatedAt} />}
            <Excluded excluded={figures.excluded} />
            {figures.warnings.map(({ code, message }) => (
              <Alert key={code} color="yellow" variant="outline" icon={<IconAlertTriangle aria-hidden />}>
                <Text size="sm">{message}</Text>
              </Alert>
            ))}
            {(figures.later > 0 || (live && !isIdle(campaign, figures))) && (
              <Suspense fallback={<Lines />}>
                {figures.later > 0 && <SlowDomains cid={campaign.id} />}
                {live && !isIdle(campaign, figures) && <ByRelay />}
              </Suspense>
            )}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

/** An autoresponder that waits for the next contact: no relay has anything of it. */
const isIdle = ({ type }: Campaign, { queued, trying, later }: ProgressFigures): boolean =>
  type === 'auto' && queued + trying + later === 0;

/** A scheduled campaign: when sending starts, and what will be sent to how many. */
function Scheduled({ campaign }: { campaign: Campaign }) {
  const t = useText('report');
  const { dateTime } = useFormats();
  const at = parseTime(campaign.schedule_time);
  const when = at ? t('scheduledFor', { time: dateTime(at) }) : '';
  return (
    <Section title={t('scheduledTitle')}>
      <Suspense fallback={<Lines count={7} height={44} />}>
        <ScheduledCampaign campaign={campaign} when={when} />
      </Suspense>
    </Section>
  );
}

function Bar({ cid, figures, live }: { cid: string; figures: ProgressFigures; live: boolean }) {
  const t = useText('report');
  const { number, shareOf } = useFormats();
  const { recipients } = figures;
  return (
    <Stack gap="sm">
      <Progress.Root size={live ? 16 : 6} radius="sm" role="group" aria-label={t('barLabel')}>
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
          <LinkAnchor {...rowsBehind(cid, 'all')} c="inherit" size="sm">
            <b>{number(recipients)}</b> {t('recipients', { count: recipients })}
          </LinkAnchor>
        </li>
        {states
          .filter((state) => figures[state] > 0)
          .map((state) => (
            <li key={state}>
              <span className={classes.point} style={{ background: `var(--state-${state})` }} aria-hidden />
              <LinkAnchor {...rowsBehind(cid, state)} c="inherit" size="sm">
                <b>{number(figures[state])}</b> {t(`state.${state}`)}
              </LinkAnchor>
            </li>
          ))}
      </Group>
    </Stack>
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
