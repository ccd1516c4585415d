// The recipients of a campaign, filtered by state, opens, unsubscribes or a clicked link. Each filter can be exported as
// CSV.

import { Button, Text } from '@mantine/core';
import { IconDownload, IconUsers } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMethod } from '../../api/use-method.ts';
import { shownDomains } from '../../parts/domain-name.ts';
import { Empty } from '../../parts/empty.tsx';
import { csvOf } from '../../parts/files/csv.ts';
import { saveFile } from '../../parts/files/save-file.ts';
import { useFormats } from '../../parts/formats.ts';
import { LinkAnchor } from '../../parts/link.tsx';
import { Section } from '../../parts/page.tsx';
import { Status, type Tone } from '../../parts/status/status.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { useTableSearch } from '../../parts/table/table-search.ts';
import { Time } from '../../parts/time.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useSession } from '../../session/session.ts';
import { capital } from '../../text/capital.ts';
import { useText } from '../../text/use-text.tsx';
import type { Campaign } from './campaign.ts';
import { type Row, type RowSet, readAll, readPage, setOf, stateSets } from './row-sets.ts';

const pageSize = 25;

export function Recipients({ campaign }: { campaign: Campaign }) {
  const t = useText('report');
  const mayExport = useSession().may('contacts:export');
  const search = useTableSearch();
  const set = setOf(search.state);
  const cid = campaign.id;
  const sending = campaign.delivery_status !== 'sent';
  const progress = useMethod('campaignProgress', { cid });
  const answer = useQuery({
    queryKey: ['campaign', 'rows', { cid, set, page: search.page }],
    queryFn: () => readPage(cid, set, { start: search.page - 1, limit: pageSize }),
    placeholderData: keepPreviousData,
    refetchInterval: sending ? 10_000 : false,
  });
  const states = stateSets.filter((name) => name === set || (progress.data?.[name] ?? 0) > 0);
  const chips = [
    ...states.map((name) => ({ name, label: capital(t(`state.${name}`)), count: progress.data?.[name] })),
    ...(['opened', 'unopened', 'left'] as const).map((name) => ({ name, label: capital(t(`set.${name}`)) })),
    ...(set.startsWith('link-') ? [{ name: set, label: capital(t('set.link', { id: set.slice(5) })) }] : []),
  ];
  return (
    <Section
      title={t('tab.recipients')}
      {...(progress.data?.recipients_kept === false && { description: t('recipientsFolded') })}
      actions={mayExport && <Export campaign={campaign} set={set} />}
    >
      <Rows
        label={t('tab.recipients')}
        compact
        columns={useColumns(campaign, set)}
        rows={answer.data?.data}
        keyOf={(row) => `${row.email} ${row.occasion ?? ''} ${row.list_id ?? ''}`}
        nameOf={({ email }) => email}
        query={answer}
        search={search}
        chips={chips}
        total={answer.data?.total}
        pageSize={pageSize}
        empty={<Empty icon={IconUsers} title={t('noRowsTitle')} text={t('noRowsText')} />}
      />
    </Section>
  );
}

const tones: Record<string, Tone> = {
  queued: 'still',
  trying: 'busy',
  accepted: 'good',
  later: 'waiting',
  failed: 'bad',
  skipped: 'still',
  unclear: 'waiting',
};

function useColumns(campaign: Campaign, set: RowSet): Column<Row>[] {
  const t = useText('report');
  const { number } = useFormats();
  const address: Column<Row> = {
    name: 'email',
    title: t('address'),
    cell: ({ email }) => (
      <LinkAnchor
        to="/campaigns/$id"
        params={{ id: campaign.id }}
        search={{ tab: 'explain', email }}
        c="inherit"
        fw={500}
        style={{ overflowWrap: 'anywhere' }}
      >
        {shownDomains(email)}
      </LinkAnchor>
    ),
  };
  const figure = (name: 'opens' | 'clicks' | 'machine_opens' | 'machine_clicks'): Column<Row> => ({
    name,
    title: t(`column.${name}`),
    figure: true,
    width: '130px',
    cell: (row) => number(row[name] ?? 0),
  });
  const when = (name: 'last_open' | 'timestamp' | 'done_time', title: string): Column<Row> => ({
    name,
    title,
    width: '160px',
    cell: (row) => <Time at={row[name]} />,
  });
  if (set === 'opened' || set === 'unopened')
    return [address, figure('opens'), figure('clicks'), figure('machine_opens'), when('last_open', t('lastOpen'))];
  if (set.startsWith('link-')) return [address, figure('clicks'), figure('machine_clicks')];
  if (set === 'left')
    return [
      address,
      { name: 'reason', title: t('reason'), cell: ({ reason }) => reason || '–' },
      when('timestamp', t('at')),
    ];
  return [
    address,
    {
      name: 'state',
      title: t('state'),
      width: '170px',
      cell: ({ state = '' }) => <Status tone={tones[state] ?? 'still'}>{capital(t.of('state', state))}</Status>,
    },
    {
      name: 'reply',
      title: t('said'),
      cell: (row) => (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }} lineClamp={2}>
          {[row.occasion, row.reason, row.reply_code || '', row.reply].filter(Boolean).join(' · ') || '–'}
        </Text>
      ),
    },
    when('done_time', t('lastChange')),
  ];
}

function Export({ campaign, set }: { campaign: Campaign; set: RowSet }) {
  const t = useText('report');
  const { busy, run } = useAction();
  const save = async () => {
    await run(async () => {
      saveFile(`${campaign.id}-${set}.csv`, csvOf(await readAll(campaign.id, set)));
    });
  };
  return (
    <Button
      variant="default"
      size="xs"
      className="no-print"
      loading={busy}
      leftSection={<IconDownload size={14} aria-hidden />}
      onClick={save}
    >
      {t('export')}
    </Button>
  );
}
