// The overview of a report: numbers that lead to their recipients, opens and clicks over time (people or machines), top
// links and mailbox domains.
import { Anchor, SegmentedControl, Select, Stack, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { parseTime, useFormats } from '../../parts/formats.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/page.tsx';
import { LinePlot } from '../../parts/plot/plot.tsx';
import { Stat } from '../../parts/stat/stat.tsx';
import { useText } from '../../text/use-text.tsx';
import type { Campaign } from './campaign.ts';
import { LinkTable } from './link-table.tsx';
import classes from './report.module.css';
import { rowsBehind } from './tabs.ts';

type Stats = ResultOf<'campaignStats'>;
type Who = 'people' | 'machines';

export function Overview({ campaign }: { campaign: Campaign }) {
  const t = useText('report');
  const [who, setWho] = useState<Who>('people');
  const sending = campaign.delivery_status !== 'sent';
  const stats = useMethod('campaignStats', { cid: campaign.id }, { refetchInterval: sending ? 5_000 : 30_000 });
  // The delivery bar above is live; the numbers below must not contradict it.
  const progress = useMethod('campaignProgress', { cid: campaign.id });
  const sentNow = sending ? progress.data?.accepted : undefined;
  const choose = (
    <SegmentedControl
      className="no-print"
      aria-label={t('who')}
      value={who}
      onChange={(next) => setWho(next as Who)}
      data={[
        { value: 'people', label: t('people') },
        { value: 'machines', label: t('machines') },
      ]}
    />
  );
  return (
    <Stack gap="xl">
      <Section
        title={t('results')}
        description={t(who === 'people' ? 'peopleAbout' : 'machinesAbout')}
        actions={choose}
      >
        <Loaded query={stats}>
          {(data) => <Figures cid={campaign.id} stats={data} sent={sentNow ?? data.emails_sent} who={who} />}
        </Loaded>
      </Section>
      <Timeline campaign={campaign} who={who} />
      <Section
        title={t('linksTitle')}
        actions={
          <Anchor
            component={Link}
            to={`/campaigns/${campaign.id}`}
            search={{ tab: 'links' } as never}
            size="sm"
            className="no-print"
          >
            {t('toMap')}
          </Anchor>
        }
      >
        <LinkTable cid={campaign.id} limit={5} />
      </Section>
      <Domains cid={campaign.id} />
    </Stack>
  );
}

function Figures({ cid, stats, sent, who }: { cid: string; stats: Stats; sent: number; who: Who }) {
  const t = useText('report');
  const { number, shareOf } = useFormats();
  const bounces =
    stats.hard_bounces + stats.soft_bounces + stats.blocked_bounces + stats.temporary_bounces + stats.generic_bounces;
  const people = who === 'people';
  const opened = people ? stats.unique_opens : stats.unique_machine_opens;
  const clicked = people ? stats.users_who_clicked : stats.users_with_machine_clicks;
  const openedRows = rowsBehind(cid, people ? 'opened' : 'all');
  const tab = (name: string) => ({ to: `/campaigns/${cid}` as string, search: { tab: name } as never });
  return (
    <div className={classes.figures}>
      <Stat label={t('delivered')} to={rowsBehind(cid, 'accepted')} value={number(sent)} />
      <Stat
        label={t('opened')}
        to={openedRows}
        value={number(opened)}
        note={`${shareOf(opened, sent)} · ${t('opensInAll', { count: people ? stats.opens : stats.machine_opens })}`}
      />
      <Stat
        label={t('clicked')}
        to={tab('links')}
        value={number(clicked)}
        note={`${shareOf(clicked, sent)} · ${t('clicksInAll', { count: people ? stats.clicks : stats.machine_clicks })}`}
      />
      {people && (
        <>
          <Stat
            label={t('notOpened')}
            to={rowsBehind(cid, 'unopened')}
            value={number(Math.max(0, sent - opened))}
            note={shareOf(Math.max(0, sent - opened), sent)}
          />
          <Stat
            label={t('unsubscribed')}
            to={rowsBehind(cid, 'left')}
            value={number(stats.unsubscribes)}
            note={[
              shareOf(stats.unsubscribes, sent),
              ...(stats.complaints > 0 ? [t('complained', { count: stats.complaints })] : []),
            ].join(' · ')}
          />
          <Stat
            label={t('bounced')}
            to={tab('bounces')}
            value={number(bounces)}
            note={t('hardAndOther', { hard: stats.hard_bounces, other: bounces - stats.hard_bounces })}
          />
        </>
      )}
    </div>
  );
}

const spans = ['24', '72', '168', '720', '8760'] as const;

function Timeline({ campaign, who }: { campaign: Campaign; who: Who }) {
  const t = useText('report');
  const [hours, setHours] = useState<string>(() => initialSpan(campaign));
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
        <Select
          className="no-print"
          aria-label={t('span')}
          data={spans.map((span) => ({ value: span, label: t(`span.${span}`) }))}
          value={hours}
          onChange={(next) => next && setHours(next)}
          allowDeselect={false}
          w={180}
        />
      }
    >
      <Loaded query={answer}>
        {({ step_hours, data }) =>
          data.some((row) => row[opens] + row[clicks] > 0) ? (
            <LinePlot
              title={t('timelineLabel')}
              rows={data.map((row) => ({ x: label(row.time, step_hours), [opens]: row[opens], [clicks]: row[clicks] }))}
              series={[
                { name: opens, label: t(`series.${opens}`) },
                { name: clicks, label: t(`series.${clicks}`) },
              ]}
            />
          ) : (
            <Text c="dimmed">{t('nothingYet')}</Text>
          )
        }
      </Loaded>
    </Section>
  );
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

function Domains({ cid }: { cid: string }) {
  const t = useText('report');
  const { number, percent } = useFormats();
  const answer = useMethod('campaignEmailDomainPerformance', { cid });
  return (
    <Section title={t('domains')} description={t('domainsAbout')}>
      <Loaded query={answer}>
        {(rows) => (
          <Table.ScrollContainer type="native" minWidth={560} role="group" tabIndex={0} aria-label={t('domains')}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('domain')}</Table.Th>
                  {(['emails', 'delivered', 'bounced', 'opened', 'clicked', 'unsubscribed'] as const).map((name) => (
                    <Table.Th key={name} ta="end">
                      {t(name)}
                    </Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {rows.slice(0, 12).map((row) => (
                  <Table.Tr key={row.domain}>
                    <Table.Th scope="row">{row.domain || t('otherDomains')}</Table.Th>
                    <Table.Td ta="end">{number(row.emails)}</Table.Td>
                    <Table.Td ta="end">{percent(row.delivered_pct / 100)}</Table.Td>
                    <Table.Td ta="end">{percent(row.bounces_pct / 100)}</Table.Td>
                    <Table.Td ta="end">{percent(row.opens_pct / 100)}</Table.Td>
                    <Table.Td ta="end">{percent(row.clicks_pct / 100)}</Table.Td>
                    <Table.Td ta="end">{percent(row.unsubs_pct / 100)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </Loaded>
    </Section>
  );
}
