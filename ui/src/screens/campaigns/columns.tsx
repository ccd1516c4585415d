// The columns of the table of campaigns. Opened and clicked come from a second request, so that the table is there before them.

import { Group, Text, VisuallyHidden } from '@mantine/core';
import { IconFileText, IconMail, IconRepeat } from '@tabler/icons-react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { useFormats } from '../../parts/formats.ts';
import { LabelChips } from '../../parts/labels/label.tsx';
import { LinkAnchor } from '../../parts/link.tsx';
import type { Column } from '../../parts/table/rows.tsx';
import { Tagged } from '../../parts/tagged/tagged.tsx';
import { TimeIn } from '../../parts/time.tsx';
import { type Translate, useText } from '../../text/use-text.tsx';
import { CampaignStatus } from './campaign-status.tsx';
import { placeOf } from './place.ts';

export type Campaign = ResultOf<'campaignSearch'>['data'][number];

/** The order of the table until the user chooses another. */
export const standardSort = '-created';
/** The columns that the server sorts by; the name of each is that of its order. */
const sortable = ['name', 'emails_sent', 'date'];

export const isSort = (sort: string | undefined): sort is string =>
  sort !== undefined && sortable.includes(sort.replace(/^-/, ''));

/** @param rows those shown; undefined while they are loading */
export function useCampaignColumns(rows: readonly Campaign[] | undefined) {
  const t = useText('campaigns');
  const { number, shareOf } = useFormats();
  const lists = useMethod('lists', { limit: 1000 }).data ?? [];
  const names = new Map(lists.map(({ id, name }) => [id, name]));
  const sent = rows?.filter(({ emails_sent }) => emails_sent > 0).map(({ id }) => id) ?? [];
  const answer = useMethod('campaignReactions', { cids: sent }, { enabled: sent.length > 0, keep: true });
  const reactions = new Map(answer.data?.map((row) => [row.id, row]));
  const share = ({ id, emails_sent }: Campaign, kind: 'unique_opens' | 'users_who_clicked') => {
    const own = reactions.get(id);
    return emails_sent > 0 && own ? shareOf(own[kind], emails_sent) : '–';
  };
  const brief = (campaign: Campaign) => (
    <>
      <CampaignStatus campaign={campaign} />
      {campaign.emails_sent > 0 && (
        <span>
          {t('briefSent', {
            count: campaign.emails_sent,
            opened: share(campaign, 'unique_opens'),
            clicked: share(campaign, 'users_who_clicked'),
          })}
        </span>
      )}
      <When campaign={campaign} t={t} />
    </>
  );
  const columns: Column<Campaign>[] = [
    { name: 'name', title: t('name'), serverSort: true, cell: (campaign) => <Name campaign={campaign} /> },
    { name: 'state', title: t('state'), width: '120px', cell: (campaign) => <CampaignStatus campaign={campaign} /> },
    {
      name: 'list',
      title: t('list'),
      width: '140px',
      cell: ({ list_ids: ids }) => (
        <Text size="sm" c="dimmed" lineClamp={1} title={ids.map((id) => names.get(id)).join(', ')}>
          {ids.length === 0 ? '–' : ids.map((id) => names.get(id) ?? '…').join(', ')}
        </Text>
      ),
    },
    {
      name: 'emails_sent',
      title: t('emails'),
      width: '90px',
      figure: true,
      serverSort: true,
      cell: ({ emails_sent, delivery_status }) =>
        delivery_status === 'draft' || delivery_status === 'scheduled' ? '–' : number(emails_sent),
    },
    {
      name: 'opened',
      title: t('opened'),
      width: '90px',
      figure: true,
      cell: (campaign) => share(campaign, 'unique_opens'),
    },
    {
      name: 'clicked',
      title: t('clicked'),
      width: '90px',
      figure: true,
      cell: (campaign) => share(campaign, 'users_who_clicked'),
    },
    {
      name: 'date',
      title: t('when'),
      // "started 13 minutes ago" in one line, also in longer languages.
      width: '200px',
      serverSort: true,
      cell: (campaign) => <When campaign={campaign} t={t} />,
    },
  ];
  return { columns, brief };
}

const icons = { 'plain text': IconFileText, auto: IconRepeat } as Record<string, typeof IconMail>;

function Name({ campaign }: { campaign: Campaign }) {
  const t = useText('campaigns');
  const name = campaign.title || campaign.subject;
  const Icon = icons[campaign.type] ?? IconMail;
  const type = t(campaign.type === 'auto' ? 'type.auto' : campaign.type === 'plain text' ? 'type.plain' : 'type.html');
  return (
    <Group gap="sm" wrap="nowrap">
      <Text c="dimmed" component="span" title={type} style={{ display: 'flex' }}>
        <Icon size={16} aria-hidden />
        <VisuallyHidden>{type}</VisuallyHidden>
      </Text>
      <div>
        <LinkAnchor {...placeOf(campaign)} fw={500} c="inherit">
          <Tagged>{name}</Tagged>
        </LinkAnchor>
        {campaign.subject !== name && (
          <Text data-note size="xs" c="dimmed">
            <Tagged>{campaign.subject}</Tagged>
          </Text>
        )}
        <BelongsTo {...campaign.belongs_to} />
        <LabelChips labels={campaign.labels} inRow />
      </div>
    </Group>
  );
}

/** The automation or recurring campaign whose email it is. */
function BelongsTo({ kind, id, title }: Campaign['belongs_to']) {
  const t = useText('campaigns');
  if (kind === '') return null;
  return (
    <Text data-note size="xs" c="dimmed">
      {t.of('belongsTo', kind)}:{' '}
      <LinkAnchor
        to={kind === 'automation' ? '/automations/$id' : '/recurring/$id'}
        params={{ id }}
        inherit
        c="inherit"
      >
        {title}
      </LinkAnchor>
    </Text>
  );
}

function When({ campaign, t }: { campaign: Campaign; t: Translate<'campaigns'> }) {
  const { delivery_status: state } = campaign;
  const [text, at] =
    state === 'scheduled'
      ? [t('whenScheduled'), campaign.schedule_time]
      : campaign.send_time
        ? [t(state === 'sent' ? 'whenSent' : 'whenStarted'), campaign.send_time]
        : [t('whenCreated'), campaign.create_time];
  return (
    <Text size="sm" c="dimmed" component="span">
      <TimeIn text={text} at={at} />
    </Text>
  );
}
