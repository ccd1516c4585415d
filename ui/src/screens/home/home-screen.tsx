// The home screen: invitations to other accounts, items that need attention, campaigns in progress, recent results compared with the average, and
// list growth; on a new account, the onboarding checklist.

import { Progress, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ResultOf } from '../../api/types.ts';
import { queryKey, useMethod } from '../../api/use-method.ts';
import { useFormats } from '../../parts/formats.ts';
import { LinkAnchor, LinkButton, type Target } from '../../parts/link.tsx';
import { Lines, Loaded } from '../../parts/loaded.tsx';
import { Page, PageHeader, Section } from '../../parts/page.tsx';
import { Trend } from '../../parts/plot/trend.tsx';
import { Change } from '../../parts/stat/change.tsx';
import { Status } from '../../parts/status/status.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { Tagged, useNameOf, useTagless } from '../../parts/tagged/tagged.tsx';
import { Time } from '../../parts/time.tsx';
import { useSession } from '../../session/session.ts';
import { onProgress } from '../../shell/progress-events.ts';
import { useText } from '../../text/use-text.tsx';
import { CampaignStatus } from '../campaigns/campaign-status.tsx';
import { CreateCampaign } from '../campaigns/create-campaign.tsx';
import type { ProgressFigures } from '../report/delivery.tsx';
import { Band } from './band.tsx';
import { FirstSteps } from './first-steps.tsx';
import classes from './home.module.css';
import { Invitations } from './invitations.tsx';
import type { Summary } from './summary.ts';

type Campaign = ResultOf<'campaigns'>[number];

export function HomeScreen() {
  const t = useText('home');
  const { may, acting } = useSession();
  const summary = useMethod('homeSummary', {}, { refetchInterval: 15_000 });
  const seesCampaigns = may('campaigns:read');
  const inProgress = useInProgress(seesCampaigns);
  // Both at once: what comes later would push down what is below it.
  const waits = seesCampaigns && inProgress.isPending;
  return (
    <Page>
      <PageHeader title={t('title')} actions={may('campaigns:write') && <CreateCampaign />} />
      {/* Those of the operator are of no interest in the account of another. */}
      {acting.until === '' && <Invitations />}
      <Loaded query={summary}>
        {(data) =>
          waits ? (
            <Lines />
          ) : (
            <Stack gap="xl">
              <Band summary={data} />
              <Attention items={data.attention} />
              <FirstSteps steps={data.steps} />
              {inProgress.shown && <InProgress {...inProgress.shown} />}
              {may('reports:read') && <RecentResults summary={data} />}
              <Growth summary={data} />
            </Stack>
          )
        }
      </Loaded>
    </Page>
  );
}

function Attention({ items }: { items: Summary['attention'] }) {
  const t = useText('home');
  const tagless = useTagless();
  if (items.length === 0) return null;
  return (
    <Section title={t('attention')}>
      <ul className={classes.list}>
        {items.map((item) => {
          const severe = item.kind === 'disk' || item.kind === 'relay' || item.kind === 'campaign';
          return (
            <li key={`${item.kind} ${item.id}`} className={classes.item}>
              <IconAlertTriangle size={16} aria-hidden className={classes.mark} data-severe={severe || undefined} />
              <Text size="sm" className={classes.words}>
                {t(textOf(item), { name: tagless(item.name), count: item.count })}
                {item.detail !== '' && item.kind !== 'domain' && item.kind !== 'held' && item.detail !== 'waiting' && (
                  <Text span size="sm" c="dimmed">
                    {' '}
                    – {item.detail}
                  </Text>
                )}
              </Text>
              {item.kind !== 'disk' && item.kind !== 'quota' && (
                <LinkButton {...placeOf(item)} variant="default" size="xs" className={classes.fix}>
                  {t.of('fix', item.kind)}
                </LinkButton>
              )}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

type Item = Summary['attention'][number];

function placeOf({ kind, id }: Item): Target {
  if (kind === 'webhook') return { to: '/webhooks/$id', params: { id } };
  if (kind === 'campaign' || kind === 'held') return { to: '/campaigns/$id', params: { id } };
  if (kind === 'approval') return { to: '/campaigns/$id/approval', params: { id } };
  if (kind === 'issue') return { to: '/recurring/$id', params: { id } };
  if (kind === 'domain') return { to: '/settings/domains/$domain', params: { domain: id } };
  if (kind === 'operator') return { to: '/settings/audit', search: { q: 'accountSignIn' } };
  return { to: kind === 'relay' ? '/settings/relays' : '/settings/suppression' };
}

function textOf({ kind, detail }: Item) {
  if (kind === 'webhook') return 'needs.webhook';
  if (kind === 'campaign') return 'needs.campaign';
  if (kind === 'held') return 'needs.held';
  if (kind === 'approval') return 'needs.approval';
  if (kind === 'issue') return detail === 'waiting' ? 'needs.issueWaiting' : 'needs.issueFailed';
  if (kind === 'disk') return 'needs.disk';
  if (kind === 'quota') return 'needs.quota';
  if (kind === 'operator') return 'needs.operator';
  if (kind === 'relay') return 'needs.relay';
  if (kind === 'reputation') return 'needs.reputation';
  if (kind === 'domain') return detail === 'broken' ? 'needs.domainBroken' : 'needs.domain';
  return 'needs.suppression';
}

type Flow = { to: '/automations/$id' | '/campaigns/$id'; id: string; title: string; waiting: number };

type Shown = { campaigns: Campaign[]; flows: Flow[] };

/** Campaigns that are sent or paused, and automations by their own names. */
function useInProgress(enabled: boolean): { isPending: boolean; shown?: Shown } {
  const every = { refetchInterval: 10_000, enabled };
  const sending = useMethod('campaigns', { filters: { status: 'sending' }, limit: 100 }, every);
  const paused = useMethod('campaigns', { filters: { status: 'paused' }, limit: 10 }, every);
  const automations = useMethod('automations', { limit: 100 }, every);
  const autoresponders = useMethod('automationAutoresponders', { limit: 100 }, every);
  if (!sending.data || !paused.data || !automations.data || !autoresponders.data)
    return { isPending: [sending, paused, automations, autoresponders].every(({ error }) => !error) };
  // Emails of automations are steps of what is listed by its own name.
  const campaigns = [...paused.data, ...sending.data].filter(({ type }) => type !== 'auto');
  const flows: Flow[] = [
    ...automations.data.data
      .filter(({ status }) => status === 'active')
      .map(({ id, title, figures }) => ({ to: '/automations/$id' as const, id, title, waiting: figures.waiting })),
    ...autoresponders.data.data
      .filter(({ status }) => status === 'active')
      .map(({ campaign, title, waiting }) => ({ to: '/campaigns/$id' as const, id: campaign, title, waiting })),
  ];
  return { isPending: false, shown: { campaigns, flows } };
}

function InProgress({ campaigns, flows }: Shown) {
  const t = useText('home');
  return (
    <Section title={t('inProgress')}>
      {campaigns.length + flows.length === 0 ? (
        <Text c="dimmed">{t('noneInProgress')}</Text>
      ) : (
        <ul className={classes.list}>
          {campaigns.map((campaign) => (
            <CampaignProgress key={campaign.id} campaign={campaign} />
          ))}
          {flows.map(({ to, id, title, waiting }) => (
            <li key={id} className={classes.progress}>
              <LinkAnchor to={to} params={{ id }} fw={500} c="inherit" size="sm" className={classes.words}>
                <Tagged>{title}</Tagged>
              </LinkAnchor>
              <Status tone="good">{t('active')}</Status>
              <span className={classes.bar} />
              <Text size="sm" c="dimmed" component="span">
                {t('inside', { count: waiting })}
              </Text>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function CampaignProgress({ campaign }: { campaign: Campaign }) {
  const t = useText('home');
  const { number } = useFormats();
  const nameOf = useNameOf();
  const client = useQueryClient();
  const cid = campaign.id;
  const { data } = useMethod('campaignProgress', { cid });
  useEffect(
    () =>
      onProgress(({ campaign: id, title: _title, ...figures }) => {
        if (id !== cid) return;
        client.setQueryData(queryKey('campaignProgress', { cid }), (before: ProgressFigures | undefined) =>
          before === undefined ? before : { ...before, ...figures },
        );
      }),
    [client, cid],
  );
  const name = nameOf(campaign);
  const scheduled = campaign.delivery_status === 'scheduled';
  const state = data && !scheduled ? { ...campaign, delivery_status: data.delivery_status } : campaign;
  const finished = data ? data.recipients - data.queued - data.trying : 0;
  return (
    <li className={classes.progress}>
      <LinkAnchor to="/campaigns/$id" params={{ id: cid }} fw={500} c="inherit" size="sm" className={classes.words}>
        <Tagged>{campaign.title || campaign.subject}</Tagged>
      </LinkAnchor>
      <CampaignStatus campaign={state} />
      <span className={classes.bar}>
        {data && !scheduled && (
          <Progress
            value={data.recipients > 0 ? (finished / data.recipients) * 100 : 0}
            aria-label={t('progressOf', { name })}
            size={6}
            color={data.delivery_status === 'paused' ? 'var(--state-later)' : 'var(--state-trying)'}
          />
        )}
      </span>
      <Text size="sm" c="dimmed" component="span">
        {scheduled ? (
          <>
            {t('due')} <Time at={campaign.schedule_time} />
          </>
        ) : (
          data && (
            <>
              {t('of', { done: number(finished), all: number(data.recipients) })}
              {data.rate > 0 &&
                ` · ${t('rate', { rate: data.rate < 10 ? Math.round(data.rate * 10) / 10 : number(data.rate) })}`}
              {data.finish_at && (
                <>
                  {' · '}
                  {t('finishes')} <Time at={data.finish_at} />
                </>
              )}
            </>
          )
        )}
      </Text>
    </li>
  );
}

type Result = Summary['results'][number];

function RecentResults({ summary }: { summary: Summary }) {
  const t = useText('home');
  const { number, percent, shareOf } = useFormats();
  const tagless = useTagless();
  const { results, average } = summary;
  if (results.length === 0) return null;
  const rate = (name: 'opened' | 'clicked', of: (result: Result) => number, mean: number): Column<Result> => ({
    name,
    title: t(name),
    figure: true,
    cell: (result) => (
      <div>
        {shareOf(of(result), result.emails_sent)}{' '}
        {result.emails_sent > 0 && average.campaigns > 1 && (
          <Text size="xs" c="dimmed" span>
            {result.early ? t('soFar') : <Change rate={of(result) / result.emails_sent} usual={mean} better="higher" />}
          </Text>
        )}
      </div>
    ),
  });
  const columns: Column<Result>[] = [
    {
      name: 'campaign',
      title: t('campaign'),
      cell: ({ id, title, send_time }) => (
        <>
          <LinkAnchor to="/campaigns/$id" params={{ id }} fw={500} c="inherit" size="sm">
            <Tagged>{title}</Tagged>
          </LinkAnchor>
          <Text size="xs" c="dimmed">
            <Time at={send_time} />
          </Text>
        </>
      ),
    },
    { name: 'sent', title: t('sent'), figure: true, cell: ({ emails_sent }) => number(emails_sent) },
    rate('opened', ({ opens }) => opens, average.open_rate),
    rate('clicked', ({ clicks }) => clicks, average.click_rate),
    { name: 'left', title: t('left'), figure: true, wideOnly: true, cell: ({ unsubscribes }) => number(unsubscribes) },
  ];
  return (
    <Section
      title={t('results')}
      description={t(average.campaigns === 0 ? 'averageLater' : 'average', {
        count: average.campaigns,
        opens: percent(average.open_rate),
        clicks: percent(average.click_rate),
      })}
    >
      <Rows
        label={t('results')}
        columns={columns}
        rows={results}
        keyOf={({ id }) => id}
        nameOf={({ title }) => tagless(title)}
        empty={null}
      />
    </Section>
  );
}

function Growth({ summary }: { summary: Summary }) {
  const t = useText('home');
  const { number, month: monthName } = useFormats();
  const { growth, members } = summary;
  // One month is no course.
  if (growth.length < 2) return null;
  const now = growth.at(-1)!;
  return (
    <Section
      title={t('growth')}
      description={
        <>
          <LinkAnchor to="/lists" c="inherit" underline="always" inherit>
            {t('members', { count: members })}
          </LinkAnchor>{' '}
          · {t('thisMonth', { joined: number(now.joined), left: number(now.left) })}
        </>
      }
    >
      <Trend
        title={t('growthLabel')}
        label={t('membersShort')}
        rows={growth.map(({ month, members }) => ({ x: monthName(month), value: members }))}
      />
    </Section>
  );
}
