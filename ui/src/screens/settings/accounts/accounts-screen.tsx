// The accounts of the installation, for its operator: what each sends, what needs attention, and what can be done with it.
import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconBuildingSkyscraper, IconPlus } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { linkMinutes } from '../../../../../src/accounts/access/link-minutes.ts';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod } from '../../../api/use-method.ts';
import { Copy } from '../../../parts/copy.tsx';
import { Empty } from '../../../parts/empty.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { Status, type Tone } from '../../../parts/status/status.tsx';
import { Tag } from '../../../parts/status/tag.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { useTableSearch } from '../../../parts/table/table-search.ts';
import { Tagged } from '../../../parts/tagged/tagged.tsx';
import { Time } from '../../../parts/time.tsx';
import { useText } from '../../../text/use-text.tsx';
import { SettingsFrame } from '../frame.tsx';
import { AccountMenu } from './account-menu.tsx';

const load = () => import('./account-form.tsx');
const AccountForm = lazy(load);

export type OperatedAccount = ResultOf<'accounts'>['data'][number];

const pageSize = 25;
const toneOf: Record<OperatedAccount['state'], Tone> = {
  active: 'good',
  suspended: 'still',
  may_not_send: 'waiting',
  quota_used: 'waiting',
  deleted: 'bad',
};
const states = Object.keys(toneOf) as OperatedAccount['state'][];

export function AccountsScreen() {
  const t = useText('operator');
  const search = useTableSearch();
  const state = states.find((name) => name === search.state);
  const answer = useMethod(
    'accounts',
    { query: search.q, ...(state && { state }), start: search.page - 1, limit: pageSize },
    { keep: true },
  );
  const [edited, setEdited] = useState<OperatedAccount | 'new'>();
  const [link, setLink] = useState<{ email: string; link: string }>();
  const columns = useColumns(setEdited);
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')} onPointerEnter={load}>
      {t('create')}
    </Button>
  );
  return (
    <SettingsFrame section="accounts" description={t('about')} actions={create}>
      <Stack>
        {link && <Invited {...link} />}
        <Rows
          label={t('title')}
          columns={columns}
          rows={answer.data?.data}
          keyOf={({ id }) => id}
          nameOf={({ name }) => name}
          query={answer}
          search={search}
          searchLabel={t('search')}
          chips={states.map((name) => ({ name, label: t(`state.${name}`) }))}
          total={answer.data?.total}
          pageSize={pageSize}
          empty={<Empty icon={IconBuildingSkyscraper} title={t('title')} text={t('about')} action={create} />}
        />
      </Stack>
      <Suspense>
        {edited && (
          <AccountForm
            account={edited === 'new' ? undefined : edited}
            onClose={() => setEdited(undefined)}
            onDone={(invited) => {
              setEdited(undefined);
              setLink(invited?.link ? invited : undefined);
            }}
          />
        )}
      </Suspense>
    </SettingsFrame>
  );
}

function useColumns(onEdit: (account: OperatedAccount) => void): Column<OperatedAccount>[] {
  const t = useText('operator');
  return [
    { name: 'name', title: t('account'), cell: (account) => <Name account={account} /> },
    { name: 'sent', title: t('sent'), figure: true, width: '130px', cell: (account) => <Sent account={account} /> },
    { name: 'rates', title: t('rates'), figure: true, width: '110px', cell: (account) => <Rates account={account} /> },
    { name: 'last', title: t('last'), width: '150px', cell: ({ last_campaign }) => <Last of={last_campaign} /> },
    {
      name: 'state',
      title: t('stateTitle'),
      width: '140px',
      cell: ({ state, delete_at }) => (
        <>
          <Status tone={toneOf[state]}>{t(`state.${state}`)}</Status>
          {delete_at !== '' && (
            <Text size="xs" c="dimmed">
              {t('erased')} <Time at={delete_at} />
            </Text>
          )}
        </>
      ),
    },
    {
      name: 'actions',
      title: t('actions'),
      untitled: true,
      width: '56px',
      cell: (account) => <AccountMenu account={account} onEdit={() => onEdit(account)} />,
    },
  ];
}

function Name({ account }: { account: OperatedAccount }) {
  const t = useText('operator');
  const { name, email, operator, has_owner, inactive_domains } = account;
  return (
    <>
      <Group gap="xs">
        <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        {operator && <Tag>{t('own')}</Tag>}
        {!has_owner && <Tag title={t('noOwnerHint')}>{t('noOwner')}</Tag>}
      </Group>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {email}
      </Text>
      {inactive_domains.length > 0 && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {t('domains', { names: inactive_domains.join(', ') })}
        </Text>
      )}
    </>
  );
}

function Sent({ account: { emails_this_month, monthly_quota } }: { account: OperatedAccount }) {
  const t = useText('operator');
  const { number, shareOf } = useFormats();
  return (
    <>
      <Text inherit>{number(emails_this_month)}</Text>
      <Text size="xs" c="dimmed">
        {monthly_quota === 0
          ? t('noQuota')
          : t('ofQuota', { quota: number(monthly_quota), share: shareOf(emails_this_month, monthly_quota) })}
      </Text>
    </>
  );
}

function Rates({ account: { bounce_rate, complaint_rate } }: { account: OperatedAccount }) {
  const t = useText('operator');
  const { percent } = useFormats();
  return (
    <>
      <Text inherit>{t('bounced', { rate: percent(bounce_rate) })}</Text>
      <Text size="xs" c="dimmed">
        {t('complained', { rate: percent(complaint_rate) })}
      </Text>
    </>
  );
}

function Last({ of: { title, at } }: { of: OperatedAccount['last_campaign'] }) {
  if (at === '') return <Text c="dimmed">–</Text>;
  return (
    <>
      <Text inherit lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
        <Tagged>{title}</Tagged>
      </Text>
      <Text size="xs" c="dimmed">
        <Time at={at} />
      </Text>
    </>
  );
}

/** Without a relay no email can be sent, so the link is passed on by hand. */
function Invited({ email, link }: { email: string; link: string }) {
  const t = useText('operator');
  return (
    <Alert variant="outline" title={t('linkTitle', { email })} role="status">
      <Stack gap="sm">
        <Text size="sm">{t('linkText', { days: linkMinutes.invite / 1440 })}</Text>
        <Group gap="sm" wrap="nowrap">
          <Code style={{ overflowWrap: 'anywhere' }}>{link}</Code>
          <Copy value={link} label={t('link')} />
        </Group>
      </Stack>
    </Alert>
  );
}
