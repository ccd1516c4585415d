// The overview of a report: rates against the account's average, its A/B test, what to do next, opens and clicks over time (people or
// machines), the best links, clients and devices, and mailbox domains.
import { SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { useMethod } from '../../../api/use-method.ts';
import { LinkAnchor } from '../../../parts/link.tsx';
import { Lines, Loaded } from '../../../parts/loaded.tsx';
import { Section } from '../../../parts/page.tsx';
import { useText } from '../../../text/use-text.tsx';
import type { Campaign } from '../campaign.ts';
import { AbTest } from './ab-test.tsx';
import { Clients } from './clients.tsx';
import { Domains } from './domains.tsx';
import { Languages } from './languages.tsx';
import { LinkTable } from './link-table.tsx';
import { Next } from './next.tsx';
import { Rates, type Who } from './rates.tsx';
import { Revisions } from './revisions.tsx';
import { Timeline } from './timeline.tsx';

export function Overview({ campaign }: { campaign: Campaign }) {
  const t = useText('report');
  const [who, setWho] = useState<Who>('people');
  const sending = campaign.delivery_status !== 'sent';
  const stats = useMethod('campaignStats', { cid: campaign.id }, { refetchInterval: sending ? 5_000 : 30_000 });
  // The delivery bar above is live; the numbers below must not contradict it.
  const progress = useMethod('campaignProgress', { cid: campaign.id });
  const sentNow = sending ? progress.data?.accepted : undefined;
  const waits = useHeights(campaign.id) || stats.isPending;
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
  if (waits) return <Lines count={10} />;
  return (
    <Stack gap="xl">
      <Section
        title={t('results')}
        description={t(who === 'people' ? 'peopleAbout' : 'machinesAbout')}
        actions={choose}
      >
        <Loaded query={stats}>
          {(data) => <Rates campaign={campaign} stats={data} sent={sentNow ?? data.emails_sent} who={who} />}
        </Loaded>
      </Section>
      <AbTest campaign={campaign} />
      <Languages campaign={campaign} />
      <Revisions campaign={campaign} />
      {stats.data && <Next campaign={campaign} stats={stats.data} />}
      <Timeline campaign={campaign} who={who} />
      <Section
        title={t('bestLinks')}
        actions={
          <LinkAnchor
            to="/campaigns/$id"
            params={{ id: campaign.id }}
            search={{ tab: 'links' }}
            size="sm"
            className="no-print"
          >
            {t('toMap')}
          </LinkAnchor>
        }
      >
        <LinkTable cid={campaign.id} limit={5} />
      </Section>
      <Clients cid={campaign.id} />
      <Domains cid={campaign.id} />
    </Stack>
  );
}

/** Whether it is still unknown which sections are above the charts: what comes later would push them down. */
function useHeights(cid: string): boolean {
  const answers = [
    useMethod('campaignTestGet', { cid }),
    useMethod('campaignLanguages', { cid }),
    useMethod('campaignRevisions', { cid }),
    useMethod('campaignConversions', { cids: [cid] }),
    useMethod('campaignClickStats', { cid }),
    // The averages, below the rates.
    useMethod('homeSummary', {}),
  ];
  return answers.some(({ isPending }) => isPending);
}
