// How a webhook does: success rate and response times of the last 24 hours, what is queued, and its latest failure.
import { Stack, Text } from '@mantine/core';
import { useMethod } from '../../api/use-method.ts';
import { parseTime, useFormats } from '../../parts/formats.ts';
import type { Target } from '../../parts/link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/page.tsx';
import { BarPlot } from '../../parts/plot/plot.tsx';
import { Stat, Stats } from '../../parts/stat/stat.tsx';
import { Time } from '../../parts/time.tsx';
import { useText } from '../../text/use-text.tsx';
import type { Webhook } from './hook-status.tsx';

export function Overview({ hook }: { hook: Webhook }) {
  const t = useText('webhooks');
  const { number, shareOf, hour } = useFormats();
  const answer = useMethod('webhookStats', { wid: hook.id }, { refetchInterval: 15_000 });
  const log: Target = { to: '/webhooks/$id', params: { id: hook.id }, search: { tab: 'log' } };
  return (
    <Stack gap="xl">
      <Loaded query={answer}>
        {(stats) => (
          <>
            <Stats label={t('tab.overview')}>
              <Stat
                label={t('successRate')}
                value={shareOf(stats.delivered, stats.attempts)}
                note={t('requestsToday', { count: stats.attempts })}
                to={log}
                course={stats.hours.map(({ delivered, failed }) =>
                  delivered + failed > 0 ? delivered / (delivered + failed) : 1,
                )}
              />
              <Stat
                label={t('p95')}
                value={stats.attempts > 0 ? t('ms', { ms: number(stats.p95_ms) }) : '–'}
                note={stats.attempts > 0 ? t('median', { ms: number(stats.p50_ms) }) : undefined}
              />
              <Stat label={t('queued')} value={number(hook.waiting_events)} />
              <Stat
                label={t('totalEvents')}
                value={number(hook.total_events)}
                note={<LastEvent at={hook.last_event} />}
              />
            </Stats>
            <Section title={t('requests')} description={t('requestsAbout')}>
              {stats.attempts > 0 ? (
                <BarPlot
                  title={t('requests')}
                  stacked
                  height={200}
                  rows={stats.hours.map(({ time, delivered, failed }) => ({
                    x: hour(parseTime(time)!),
                    delivered,
                    failed,
                  }))}
                  series={[
                    { name: 'delivered', label: t('outcome.delivered'), color: 'var(--state-accepted)' },
                    { name: 'failed', label: t('failed'), color: 'var(--state-failed)' },
                  ]}
                />
              ) : (
                <Text c="dimmed">{t('noRequests')}</Text>
              )}
            </Section>
          </>
        )}
      </Loaded>
    </Stack>
  );
}

function LastEvent({ at }: { at: string }) {
  const t = useText('webhooks');
  return (
    <>
      {t('lastEvent')}: <Time at={at} />
    </>
  );
}
