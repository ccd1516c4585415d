// The sign-up forms of all lists: which are live, and their addresses.
import { ActionIcon, Text } from '@mantine/core';
import { IconExternalLink, IconForms, IconPlus } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import type { ResultOf } from '../../api/types.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { ButtonMenu } from '../../parts/button-menu.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Empty } from '../../parts/empty.tsx';
import { LinkAnchor, LinkButton } from '../../parts/link.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { Status } from '../../parts/status/status.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { useTableSearch } from '../../parts/table/table-search.ts';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';

type Form = ResultOf<'listForms'>[number];

const pageSize = 25;

export function FormsScreen() {
  const t = useText('forms');
  const search = useTableSearch();
  const mayWrite = useSession().may('contacts:write');
  const answer = useMethod('listForms');
  const columns: Column<Form>[] = [
    {
      name: 'name',
      title: t('list'),
      sortBy: ({ list_name }) => list_name,
      cell: ({ list, list_name }) => (
        <LinkAnchor to="/lists/$id/form" params={{ id: list }} fw={500} c="inherit">
          {list_name}
        </LinkAnchor>
      ),
    },
    {
      name: 'state',
      title: t('state'),
      width: '120px',
      cell: ({ enabled }) => <Status tone={enabled ? 'good' : 'still'}>{t(enabled ? 'on' : 'off')}</Status>,
    },
    {
      name: 'emails',
      title: t('sends'),
      width: '240px',
      cell: ({ send_welcome, send_goodbye }) => (
        <Text size="sm" c="dimmed">
          {[t('confirmation'), send_welcome && t('welcome'), send_goodbye && t('goodbye')].filter(Boolean).join(', ')}
        </Text>
      ),
    },
    {
      name: 'url',
      title: t('address'),
      width: '120px',
      cell: ({ url, enabled }) => (enabled ? <FormUrl url={url} /> : '–'),
    },
  ];
  const wanted = search.q.toLowerCase();
  const found = answer.data?.filter(
    ({ list_name, enabled }) =>
      list_name.toLowerCase().includes(wanted) && (search.state === undefined || (search.state === 'live') === enabled),
  );
  const live = answer.data?.filter(({ enabled }) => enabled).length ?? 0;
  const create = mayWrite && <CreateForm forms={answer.data ?? []} />;
  return (
    <Page>
      <PageHeader title={t('all')} description={t('about')} actions={create} />
      <Rows
        label={t('all')}
        columns={columns}
        brief={(form) => <Brief form={form} />}
        rows={found?.slice((search.page - 1) * pageSize, search.page * pageSize)}
        keyOf={({ list }) => list}
        nameOf={({ list_name }) => list_name}
        query={answer}
        search={search}
        searchLabel={t('search')}
        chips={[
          { name: 'live', label: t('on'), count: live },
          { name: 'off', label: t('off'), count: (answer.data?.length ?? 0) - live },
        ]}
        total={found?.length}
        pageSize={pageSize}
        empty={
          <Empty
            icon={IconForms}
            title={t('emptyTitle')}
            text={t('emptyText')}
            action={
              mayWrite && (
                <LinkButton to="/lists/new" leftSection={<IconPlus size={16} aria-hidden />}>
                  {t('createList')}
                </LinkButton>
              )
            }
          />
        }
      />
    </Page>
  );
}

function FormUrl({ url }: { url: string }) {
  const t = useText('forms');
  return (
    <span style={{ display: 'inline-flex', gap: 4, alignItems: 'center' }}>
      <ActionIcon
        component="a"
        href={url}
        target="_blank"
        rel="noopener"
        variant="subtle"
        color="gray"
        aria-label={t('openForm')}
      >
        <IconExternalLink size={16} aria-hidden />
      </ActionIcon>
      <Copy value={url} label={t('address')} />
    </span>
  );
}

function Brief({ form: { enabled, send_welcome, send_goodbye } }: { form: Form }) {
  const t = useText('forms');
  const emails = [t('confirmation'), send_welcome && t('welcome'), send_goodbye && t('goodbye')];
  return (
    <>
      <Status tone={enabled ? 'good' : 'still'}>{t(enabled ? 'on' : 'off')}</Status>
      <span>{emails.filter(Boolean).join(', ')}</span>
    </>
  );
}

/** Every list has one form: the choice is which one goes live. */
function CreateForm({ forms }: { forms: readonly Form[] }) {
  const t = useText('forms');
  const navigate = useNavigate();
  const update = useMutate('listFormUpdate');
  const off = forms.filter(({ enabled }) => !enabled);
  if (off.length === 0) return null;
  const publish = (id: string) =>
    update.mutate(
      { id, options: { enabled: true } },
      {
        onSuccess: () => {
          toast.done(t('nowLive'));
          void navigate({ to: '/lists/$id/form', params: { id } });
        },
        onError: toast.failed,
      },
    );
  return (
    <ButtonMenu
      leftSection={<IconPlus size={16} aria-hidden />}
      loading={update.isPending}
      title={t('forList')}
      items={off.map(({ list, list_name }) => ({ key: list, label: list_name, act: () => publish(list) }))}
    >
      {t('create')}
    </ButtonMenu>
  );
}
