// The home screen: invitations to other accounts, items that need attention, campaigns in progress, recent results compared with the average, and
// list growth; on a new account, the onboarding checklist.

import { Progress, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { invalidate, useMethod } from '../../api/use-method.ts';
import { useFormats } from '../../parts/formats.ts';
import { LinkAnchor, LinkButton, type Target } from '../../parts/link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page, PageHeader, Section } from '../../parts/page.tsx';
import { Trend } from '../../parts/plot/trend.tsx';
import { Change } from '../../parts/stat/change.tsx';
import { Status } from '../../parts/status/status.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { Tagged, useTagless } from '../../parts/tagged/tagged.tsx';
import { Time, TimeIn } from '../../parts/time.tsx';
import { useSession } from '../../session/session.ts';
import { onProgress } from '../../shell/progress-events.ts';
import { useText } from '../../text/use-text.tsx';
import { CampaignStatus } from '../campaigns/campaign-status.tsx';
import { CreateCampaign } from '../campaigns/create-campaign.tsx';
import { remaining } from '../report/live/remaining.ts';
import { Band } from './band.tsx';
import { FirstSteps } from './first-steps.tsx';
import classes from './home.module.css';
import { Invitations } from './invitations.tsx';
import type { Summary } from './summary.ts';

export function HomeScreen() {
  const t = useText('home');
  const { may, acting } = useSession();
  const summary = useMethod('homeSummary', {}, { refetchInterval: 10_000 });
  return (
    <Page>
      <PageHeader title={t('title')} actions={may('campaigns:write') && <CreateCampaign />} />
      {/* Those of the operator are of no interest in the account of another. */}
      {acting.until === '' && <Invitations />}
      <Loaded query={summary}>
        {(data) => (
          <Stack gap="xl">
            {!isNew(data) && <Band summary={data} />}
            <Attention items={data.attention} />
            {!hasSent(data) && <FirstSteps steps={data.steps} isNew={isNew(data)} />}
            {may('campaigns:read') && <InProgress shown={data.in_progress} />}
            {may('reports:read') && <RecentResults summary={data} />}
            {hasSent(data) && <FirstSteps steps={data.steps} isNew={false} />}
            <Growth summary={data} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

/** The account is past its first campaign: what is going on comes before what could still be set up. */
const hasSent = ({ results }: Summary): boolean => results.length > 0;

/** Nothing was sent, and no one has subscribed: all figures would be zero. */
const isNew = ({ members, results, in_progress }: Summary): boolean =>
  members === 0 && results.length === 0 && in_progress.campaigns.length === 0;

/**
 * The campaigns with the figures of the progress events since they were read; one in another state is read again. The events are not put
 * into the data of the screen: each would begin its interval again, and the rest of it would never be read.
 */
function useLive(read: readonly Campaign[]): readonly Campaign[] {
  const client = useQueryClient();
  const [live, setLive] = useState<{ since: readonly Campaign[]; now: readonly Campaign[] }>();
  useEffect(
    () =>
      onProgress(({ campaign: id, title: _title, ...event }) => {
        setLive((before) => {
          const now = before?.since === read ? before.now : read;
          return {
            since: read,
            now: now.map((campaign) => (campaign.id === id ? { ...campaign, ...event } : campaign)),
          };
        });
        const shown = read.find((campaign) => campaign.id === id);
        if (shown && shown.delivery_status !== event['delivery_status']) void invalidate(client, ['home']);
      }),
    [client, read],
  );
  return live?.since === read ? live.now : read;
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

function textOf({ kind, detail, count }: Item) {
  if (kind === 'webhook') return 'needs.webhook';
  if (kind === 'campaign') return 'needs.campaign';
  if (kind === 'held') return 'needs.held';
  if (kind === 'approval') return 'needs.approval';
  if (kind === 'issue') return detail === 'waiting' ? 'needs.issueWaiting' : 'needs.issueFailed';
  if (kind === 'disk') return 'needs.disk';
  if (kind === 'quota') return 'needs.quota';
  if (kind === 'operator') return 'needs.operator';
  if (kind === 'relay') return count > 0 ? 'needs.relayWaiting' : 'needs.relay';
  if (kind === 'reputation') return 'needs.reputation';
  if (kind === 'domain') return detail === 'broken' ? 'needs.domainBroken' : 'needs.domain';
  return 'needs.suppression';
}

type Campaign = Summary['in_progress']['campaigns'][number];

function InProgress({ shown: { campaigns: read, automations } }: { shown: Summary['in_progress'] }) {
  const t = useText('home');
  const campaigns = useLive(read);
  return (
    <Section title={t('inProgress')}>
      {campaigns.length + automations.length === 0 ? (
        <Text c="dimmed">{t('noneInProgress')}</Text>
      ) : (
        <ul className={classes.list}>
          {campaigns.map((campaign) => (
            <CampaignProgress key={campaign.id} campaign={campaign} />
          ))}
          {automations.map(({ kind, id, title, waiting }) => (
            <li key={id} className={classes.progress}>
              <LinkAnchor
                to={kind === 'automation' ? '/automations/$id' : '/campaigns/$id'}
                params={{ id }}
                fw={500}
                c="inherit"
                size="sm"
                className={classes.words}
              >
                <Tagged>{title}</Tagged>
              </LinkAnchor>
              <Status tone="good">{t('active')}</Status>
              <span className={classes.bar} />
              {waiting > 0 && (
                <Text size="sm" c="dimmed" component="span">
                  {t('inside', { count: waiting })}
                </Text>
              )}
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
  const tagless = useTagless();
  const { id, title, delivery_status: state, recipients, rate } = campaign;
  const scheduled = state === 'scheduled';
  // As in its report: who is tried again later is not done.
  const finished = recipients - remaining(campaign);
  return (
    <li className={classes.progress}>
      <LinkAnchor to="/campaigns/$id" params={{ id }} fw={500} c="inherit" size="sm" className={classes.words}>
        <Tagged>{title}</Tagged>
      </LinkAnchor>
      <CampaignStatus campaign={{ ...campaign, type: '' }} />
      <span className={classes.bar}>
        {recipients > 0 && !scheduled && (
          <Progress
            value={(finished / recipients) * 100}
            aria-label={t('progressOf', { name: tagless(title) })}
            size={6}
            color={state === 'paused' ? 'var(--state-later)' : 'var(--state-trying)'}
          />
        )}
      </span>
      <Text size="sm" c="dimmed" component="span" data-figure>
        {scheduled ? (
          <>
            {t('due')} <Time at={campaign.schedule_time} />
          </>
        ) : (
          // Before the recipients are recorded there is nothing to count.
          recipients > 0 && (
            <>
              {t('of', { done: number(finished), all: number(recipients) })}
              {rate > 0 && ` · ${t('rate', { rate: rate < 10 ? Math.round(rate * 10) / 10 : number(rate) })}`}
              {campaign.finish_at && (
                <>
                  {' · '}
                  <TimeIn text={t('finishes')} at={campaign.finish_at} />
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
  const inCampaigns = useText('campaigns');
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
          <Text size="xs" c="dimmed" data-note>
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
      description={
        <>
          {t(average.campaigns === 0 ? 'averageLater' : 'average', {
            count: average.campaigns,
            opens: percent(average.open_rate),
            clicks: percent(average.click_rate),
          })}
          {average.campaigns > 1 && ` ${t('points')}`}
        </>
      }
      actions={
        <LinkAnchor to="/campaigns" size="sm">
          {t('allCampaigns')}
        </LinkAnchor>
      }
    >
      <Rows
        label={t('results')}
        columns={columns}
        brief={({ send_time, emails_sent, opens, clicks }) => (
          <>
            <span>
              {inCampaigns('briefSent', {
                count: emails_sent,
                opened: shareOf(opens, emails_sent),
                clicked: shareOf(clicks, emails_sent),
              })}
            </span>
            <Time at={send_time} />
          </>
        )}
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
