// One campaign: a draft redirects to the composer; a scheduled, sending or sent campaign shows its delivery and, once
// sending has started, its report.

import { Alert, Anchor, Tabs, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { useMethod } from '../../api/use-method.ts';
import { useFormats } from '../../parts/formats.ts';
import { Marks } from '../../parts/labels/arranging.tsx';
import { Lines, Loaded } from '../../parts/loaded.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { Tagged } from '../../parts/tagged/tagged.tsx';
import { Time, TimeIn } from '../../parts/time.tsx';
import { UrlTabs } from '../../parts/url-tabs.tsx';
import { useSession } from '../../session/session.ts';
import { NotFound } from '../../shell/not-found.tsx';
import { asSentence } from '../../text/as-sentence.ts';
import { useText } from '../../text/use-text.tsx';
import { useBackToFlow } from '../automations/back-to-flow.ts';
import { CampaignStatus } from '../campaigns/campaign-status.tsx';
import { type Tab, tabs } from '../tabs.ts';
import { Actions } from './actions.tsx';
import type { Campaign } from './campaign.ts';
import { Delivery, useProgress } from './delivery.tsx';
import { shareDone } from './live/remaining.ts';
import { Overview } from './overview/overview.tsx';

/** All tabs but the first. */
const late = {
  links: lazy(async () => ({ default: (await import('./links.tsx')).Links })),
  recipients: lazy(async () => ({ default: (await import('./recipients.tsx')).Recipients })),
  bounces: lazy(async () => ({ default: (await import('./bounces.tsx')).Bounces })),
  explain: lazy(() => import('./explain.tsx')),
};

const liveStates = ['scheduled', 'launching', 'sending', 'paused'];

export function CampaignScreen() {
  const { id } = getRouteApi('/shell/campaigns/$id').useParams();
  const t = useText('report');
  const answer = useMethod('campaigns', { filters: { campaign_id: id } }, { refetchInterval: 10_000 });
  if (answer.data === undefined)
    return (
      <Page>
        <PageHeader title={t('campaign')} back={{ to: '/campaigns', label: t('all') }} />
        <Loaded query={answer}>{() => null}</Loaded>
      </Page>
    );
  const [campaign] = answer.data;
  if (!campaign) return <NotFound />;
  return campaign.delivery_status === 'draft' ? (
    <Draft id={id} />
  ) : (
    <Shown key={id} campaign={campaign} onBehind={answer.refetch} />
  );
}

function Draft({ id }: { id: string }) {
  const { automation, step } = getRouteApi('/shell/campaigns/$id').useSearch();
  return <Navigate to="/campaigns/$id/edit" params={{ id }} search={{ automation, step }} replace />;
}

/** The tabs that name no contact. */
const withoutAddresses: readonly Tab<'report'>[] = ['overview', 'links'];

/** @param onBehind reads the campaign again, when its progress has another state */
function Shown({ campaign, onBehind }: { campaign: Campaign; onBehind(): unknown }) {
  const t = useText('report');
  const { percent } = useFormats();
  const { tab = 'overview' } = getRouteApi('/shell/campaigns/$id').useSearch() as { tab?: Tab<'report'> };
  const progress = useProgress(campaign.id);
  const back = useBackToFlow(campaign.type);
  const mayReadContacts = useSession().may('contacts:read');
  const shownTabs = mayReadContacts ? tabs.report : withoutAddresses;
  // Progress events are newer than the campaign, which is only polled.
  const state = progress.data?.delivery_status ?? campaign.delivery_status;
  useEffect(() => {
    if (state !== campaign.delivery_status) onBehind();
  }, [state, campaign.delivery_status, onBehind]);
  const shown = { ...campaign, delivery_status: state };
  // What is held has a notice of its own.
  const isHeld = progress.data?.waits_for === 'decision';
  const reason = isHeld ? '' : (progress.data?.status_reason ?? '');
  const started = state !== 'scheduled' && (progress.data?.recipients ?? 0) > 0;
  return (
    <Page>
      <PageHeader
        title={campaign.title || campaign.subject}
        {...(state === 'sending' && campaign.type !== 'auto' && progress.data
          ? { tabTitle: `${percent(shareDone(progress.data))} · ${campaign.title || campaign.subject}` }
          : {})}
        status={
          <>
            <CampaignStatus campaign={shown} inTest={progress.data?.waits_for === 'test'} />
            <Marks of={shown} />
          </>
        }
        description={<About campaign={shown} />}
        back={back ?? { to: '/campaigns', label: t('all') }}
        actions={
          <Actions
            campaign={shown}
            isRefusedAlike={progress.data?.refused_alike === true}
            isWatched={(progress.data?.too_many ?? '') !== ''}
          />
        }
      />
      {reason !== '' && state !== 'sent' && (
        <Alert
          color="yellow"
          variant="outline"
          icon={<IconAlertTriangle aria-hidden />}
          title={t(state === 'paused' ? 'haltedTitle' : 'standingTitle')}
          styles={{ title: { color: 'var(--mantine-color-text)' } }}
        >
          <Text size="sm">{asSentence(reason)}</Text>
          {state === 'paused' && shown.emails_sent > 0 && (
            <Text size="sm" mt="xs">
              {t('pausedReached')}
            </Text>
          )}
        </Alert>
      )}
      <Delivery campaign={shown} progress={progress} live={liveStates.includes(state)} />
      {started && (
        <UrlTabs
          tabs={shownTabs}
          open={shownTabs.includes(tab) ? tab : 'overview'}
          labelOf={(name) => t(`tab.${name}`)}
        >
          <Tabs.Panel value="overview">
            <Overview campaign={shown} />
          </Tabs.Panel>
          {Object.entries(late).map(([name, Late]) => (
            <Tabs.Panel key={name} value={name}>
              <Suspense fallback={<Lines />}>
                <Late campaign={shown} />
              </Suspense>
            </Tabs.Panel>
          ))}
        </UrlTabs>
      )}
      {started && !mayReadContacts && (
        <Text size="sm" c="dimmed">
          {t('noAddresses')}
        </Text>
      )}
    </Page>
  );
}

function About({ campaign }: { campaign: Campaign }) {
  const t = useText('report');
  const lists = useMethod('lists').data;
  const names = lists
    ? campaign.list_ids.map((id) => lists.find((list) => list.id === id)?.name ?? id).join(', ')
    : '…';
  const subject = campaign.subject !== (campaign.title || campaign.subject) ? campaign.subject : '';
  return (
    <>
      {subject && (
        <>
          <Tagged>{t('subject', { subject })}</Tagged>
          <br />
        </>
      )}
      {t('toLists', { names })}
      {campaign.delivery_status === 'scheduled' ? (
        <>
          {' '}
          · {t('due')} <Time at={campaign.schedule_time} />
        </>
      ) : (
        campaign.send_time !== '' && (
          <>
            {' '}
            · <TimeIn text={t(campaign.type === 'auto' ? 'activeSince' : 'begun')} at={campaign.send_time} />
          </>
        )
      )}
      {campaign.archive_url && campaign.delivery_status !== 'scheduled' && (
        <>
          {' '}
          ·{' '}
          <Anchor
            href={campaign.archive_url}
            target="_blank"
            rel="noreferrer"
            underline="always"
            inherit
            className="no-print"
          >
            {t('archive')}
          </Anchor>
        </>
      )}
    </>
  );
}
