// The table of campaigns: search, filter by state, paging, bulk duplicate and delete.
import { Anchor, Button, Text } from '@mantine/core';
import { IconCopy, IconMail, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { call } from '../../api/call.ts';
import type { ResultOf } from '../../api/types.ts';
import { invalidate, useMethod } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { Empty } from '../../parts/empty.tsx';
import { useFormats } from '../../parts/formats.ts';
import { Lines } from '../../parts/loaded.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { useTableSearch } from '../../parts/table/table-search.ts';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { type Translate, useText } from '../../text/use-text.tsx';
import { CampaignStatus } from './campaign-status.tsx';
import { CreateCampaign } from './create-campaign.tsx';
import { placeOf } from './place.ts';
import { campaignStates, isCampaignState } from './states.ts';

type Campaign = ResultOf<'campaignSearch'>['data'][number];

const CampaignPeek = lazy(() => import('./campaign-peek.tsx'));

const pageSize = 25;

export function CampaignsScreen() {
  const t = useText('campaigns');
  const search = useTableSearch();
  const session = useSession();
  const { number } = useFormats();
  const state = isCampaignState(search.state) ? search.state : undefined;
  const answer = useMethod(
    'campaignSearch',
    { query: search.q, ...(state ? { state } : {}), start: search.page - 1, limit: pageSize },
    { keep: true },
  );
  const counts = answer.data?.counts;
  const create = <CreateCampaign />;

  const columns: Column<Campaign>[] = [
    { name: 'title', title: t('name'), cell: (campaign) => <Name campaign={campaign} /> },
    { name: 'state', title: t('state'), width: '140px', cell: (campaign) => <CampaignStatus campaign={campaign} /> },
    {
      name: 'sent',
      title: t('sent'),
      width: '110px',
      figure: true,
      cell: ({ emails_sent, delivery_status }) =>
        delivery_status === 'draft' || delivery_status === 'scheduled' ? '–' : number(emails_sent),
    },
    { name: 'when', title: t('when'), width: '200px', cell: (campaign) => <When campaign={campaign} t={t} /> },
  ];
  return (
    <Page>
      <PageHeader title={t('title')} actions={session.may('write') && create} />
      <Rows
        label={t('title')}
        columns={columns}
        rows={answer.data?.data}
        keyOf={({ id }) => id}
        nameOf={({ title }) => title}
        error={answer.error}
        onRetry={() => answer.refetch()}
        search={search}
        searchLabel={t('search')}
        chips={campaignStates
          .filter((name) => name === state || (counts?.[name] ?? 0) > 0)
          .map((name) => ({ name, label: t(`state.${name}`), count: counts?.[name] }))}
        total={answer.data?.total}
        pageSize={pageSize}
        empty={
          <Empty
            icon={IconMail}
            title={t('emptyTitle')}
            text={t('emptyText')}
            action={session.may('write') && create}
          />
        }
        peek={(campaign) => (
          <Suspense fallback={<Lines />}>
            <CampaignPeek campaign={campaign} />
          </Suspense>
        )}
        bulk={session.may('write') ? (chosen, clear) => <Bulk chosen={chosen} clear={clear} /> : undefined}
      />
    </Page>
  );
}

function Name({ campaign }: { campaign: Campaign }) {
  const name = campaign.title || campaign.subject;
  return (
    <>
      <Anchor component={Link} to={placeOf(campaign)} fw={500} c="inherit">
        {name}
      </Anchor>
      {campaign.subject !== name && (
        <Text size="xs" c="dimmed">
          {campaign.subject}
        </Text>
      )}
    </>
  );
}

function When({ campaign, t }: { campaign: Campaign; t: Translate<'campaigns'> }) {
  const { delivery_status: state } = campaign;
  const [word, at] =
    state === 'scheduled'
      ? [t('whenScheduled'), campaign.schedule_time]
      : campaign.send_time
        ? [t(state === 'sent' ? 'whenSent' : 'whenStarted'), campaign.send_time]
        : [t('whenCreated'), campaign.create_time];
  return (
    <Text size="sm" c="dimmed" component="span">
      {word} <Time at={at} />
    </Text>
  );
}

function Bulk({ chosen, clear }: { chosen: readonly Campaign[]; clear(): void }) {
  const t = useText('campaigns');
  const { number } = useFormats();
  const client = useQueryClient();

  /** One request after the other; failures are shown, successes stay. */
  const each = async (act: (id: string) => Promise<unknown>, done: (count: number) => string) => {
    let count = 0;
    try {
      for (const { id } of chosen) {
        await act(id);
        count++;
      }
      clear();
    } catch (error) {
      toast.failed(error);
    }
    if (count > 0) toast.done(done(count));
    await invalidate(client, ['campaign']);
  };
  const replicate = () =>
    each(
      (cid) => call('campaignReplicate', { cid }),
      (count) => t('copied', { count }),
    );
  const remove = async () => {
    const sent = chosen.reduce((sum, { emails_sent }) => sum + emails_sent, 0);
    const yes = await confirm({
      title: t('deleteTitle', { count: chosen.length }),
      figures: [
        { value: number(chosen.length), label: t('deleteCampaigns', { count: chosen.length }) },
        ...(sent > 0 ? [{ value: number(sent), label: t('deleteEmails', { count: sent }) }] : []),
      ],
      text: t('deleteText'),
      action: t('delete'),
      danger: true,
    });
    if (!yes) return;
    await each(
      (cid) => call('campaignDelete', { cid }),
      (count) => t('deleted', { count }),
    );
  };
  return (
    <>
      <Button variant="default" size="xs" leftSection={<IconCopy size={14} aria-hidden />} onClick={replicate}>
        {t('copy')}
      </Button>
      <Button variant="default" size="xs" leftSection={<IconTrash size={14} aria-hidden />} onClick={remove}>
        {t('delete')}
      </Button>
    </>
  );
}
