// The table of campaigns: search, filters, sorting, paging, bulk duplicate and delete.

import { Box, Button, Group } from '@mantine/core';
import { IconCopy, IconMail, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { call } from '../../api/call.ts';
import { invalidate, useMethod } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { Empty } from '../../parts/empty.tsx';
import { useFormats } from '../../parts/formats.ts';
import { ArrangeButtons } from '../../parts/labels/arranging.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { Rows } from '../../parts/table/rows.tsx';
import { useTableSearch } from '../../parts/table/table-search.ts';
import { useNameOf } from '../../parts/tagged/tagged.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { type Campaign, isSort, standardSort, useCampaignColumns } from './columns.tsx';
import { CreateCampaign } from './create-campaign.tsx';
import { campaignStates, isCampaignState } from './states.ts';
import { useCampaignFilter } from './use-campaign-filter.ts';

const CampaignFilter = lazy(() => import('./campaign-filter.tsx'));
const LabelFilter = lazy(() => import('../../parts/labels/label-filter.tsx'));
const CampaignPeek = lazy(() => import('./campaign-peek.tsx'));

const pageSize = 25;
const noFilters = {
  q: undefined,
  state: undefined,
  label: undefined,
  list: undefined,
  from: undefined,
  to: undefined,
};

export function CampaignsScreen() {
  const t = useText('campaigns');
  const search = useTableSearch();
  const session = useSession();
  const filter = useCampaignFilter();
  const state = isCampaignState(search.state) ? search.state : undefined;
  const automated = search.state === 'automated';
  const hidden = search.state === 'hidden';
  const answer = useMethod(
    'campaignSearch',
    {
      query: search.q,
      ...(state ? { state } : {}),
      // Hidden ones of both kinds are together.
      ...(hidden ? {} : { automated }),
      hidden,
      ...(search.label ? { label: search.label } : {}),
      ...filter.given,
      sort: isSort(search.sort) ? search.sort : standardSort,
      start: search.page - 1,
      limit: pageSize,
    },
    { keep: true },
  );
  const hiddenCount = answer.data?.hidden ?? 0;
  // Those of other chips are not known while one of these two is chosen: they stay, without a number.
  const isOwn = !automated && !hidden;
  const own = useLast(isOwn && !answer.isPlaceholderData ? answer.data : undefined);
  const hasAutomated = automated || (own?.automated ?? 0) > 0;
  const create = <CreateCampaign />;

  const nameOf = useNameOf();
  const { columns, brief } = useCampaignColumns(answer.data?.data);
  return (
    <Page>
      <PageHeader title={t('title')} actions={session.may('campaigns:write') && create} />
      <Rows
        label={t('title')}
        columns={columns}
        brief={brief}
        rows={answer.data?.data}
        keyOf={({ id }) => id}
        nameOf={(campaign) => nameOf(campaign)}
        query={answer}
        search={search}
        searchLabel={t('search')}
        chips={[
          ...campaignStates
            .filter((name) => name === state || (own?.counts[name] ?? 0) > 0)
            .map((name) => ({ name, label: t(`state.${name}`), count: isOwn ? own?.counts[name] : undefined })),
          ...(hasAutomated
            ? [{ name: 'automated', label: t('automated'), count: hidden ? undefined : answer.data?.automated }]
            : []),
          ...(hidden || hiddenCount > 0 ? [{ name: 'hidden', label: t('hidden'), count: hiddenCount }] : []),
        ]}
        tools={
          <Suspense fallback={<Box w={200} h={36} />}>
            <Group gap="sm" wrap="nowrap">
              <LabelFilter search={search} />
              <CampaignFilter filter={filter} />
            </Group>
          </Suspense>
        }
        narrowed={filter.count > 0 || hasAutomated || hiddenCount > 0}
        onClear={() => search.change(noFilters)}
        total={answer.data?.total}
        pageSize={pageSize}
        empty={
          <Empty
            icon={IconMail}
            title={t('emptyTitle')}
            text={t('emptyText')}
            action={session.may('campaigns:write') && create}
          />
        }
        peek={(campaign) => (
          <Suspense fallback={<Lines />}>
            <CampaignPeek campaign={campaign} />
          </Suspense>
        )}
        bulk={session.may('campaigns:write') ? (chosen, clear) => <Bulk chosen={chosen} clear={clear} /> : undefined}
      />
    </Page>
  );
}

function Bulk({ chosen, clear }: { chosen: readonly Campaign[]; clear(): void }) {
  const t = useText('campaigns');
  const { number } = useFormats();
  const client = useQueryClient();
  const nameOf = useNameOf();

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
      <ArrangeButtons
        kind="campaign"
        chosen={chosen.map((campaign) => ({ ...campaign, name: nameOf(campaign) }))}
        clear={clear}
      />
      <Button variant="default" size="xs" leftSection={<IconCopy size={14} aria-hidden />} onClick={replicate}>
        {t('copy')}
      </Button>
      <Button variant="default" size="xs" leftSection={<IconTrash size={14} aria-hidden />} onClick={remove}>
        {t('delete')}
      </Button>
    </>
  );
}

/** The last value that was known: the chips stay where they are while another one is chosen. */
function useLast<T>(value: T | undefined): T | undefined {
  const last = useRef(value);
  useEffect(() => {
    if (value !== undefined) last.current = value;
  }, [value]);
  return value ?? last.current;
}
