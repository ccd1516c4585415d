// The members of a list: search, filter by status or segment, bulk unsubscribe and delete.
import { Anchor, Button, Group, Select, Stack, Text } from '@mantine/core';
import { IconTrash, IconUserMinus, IconUsers } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ApiFault, call } from '../../api/call.ts';
import type { ResultOf } from '../../api/types.ts';
import { invalidate, useMethod } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { Empty } from '../../parts/empty.tsx';
import { useFormats } from '../../parts/formats.ts';
import { Status } from '../../parts/status/status.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { useTableSearch } from '../../parts/table/table-search.ts';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { isMemberState, type MemberState, memberStates, toneOfMember } from './states.ts';

type Member = ResultOf<'memberSearch'>['data'][number];

const pageSize = 25;
/** Fields with a column; the others are on the contact screen. */
const maxColumns = 3;

export function Members({ list }: { list: string }) {
  const t = useText('lists');
  const search = useTableSearch();
  const { segment = '' } = useSearch({ strict: false }) as { segment?: string };
  const mayWrite = useSession().may('write');
  const fields = useMethod('listMergeVars', { id: list }).data ?? [];
  const segments = useMethod('listSegments', { id: list }).data ?? [];
  const state = isMemberState(search.state) ? search.state : undefined;
  const answer = useMethod(
    'memberSearch',
    { list, query: search.q, segment, ...(state ? { status: state } : {}), start: search.page - 1, limit: pageSize },
    { keep: true },
  );
  const counts = answer.data?.counts;
  const columns: Column<Member>[] = [
    {
      name: 'email',
      title: t('email'),
      cell: ({ email }) => (
        <Anchor component={Link} to={`/contacts/${encodeURIComponent(email)}`} fw={500} c="inherit">
          {email}
        </Anchor>
      ),
    },
    { name: 'state', title: t('state'), width: '140px', cell: ({ status }) => <MemberStatus state={status} /> },
    ...fields
      .filter(({ tag }) => tag !== 'EMAIL')
      .slice(0, maxColumns)
      .map(({ tag, name }) => ({
        name: tag,
        title: name,
        cell: ({ merges }: Member) => merges[tag] || <Text c="dimmed">–</Text>,
      })),
    { name: 'since', title: t('since'), width: '150px', cell: ({ status_time }) => <Time at={status_time} /> },
  ];
  return (
    <Stack gap="sm">
      {segments.length > 0 && <SegmentChoice segments={segments} chosen={segment} />}
      <Rows
        label={t('tab.members')}
        columns={columns}
        rows={answer.data?.data}
        keyOf={({ id }) => id}
        nameOf={({ email }) => email}
        error={answer.error}
        onRetry={() => answer.refetch()}
        search={search}
        searchLabel={t('searchMembers')}
        chips={memberStates
          .filter((name) => name === state || (counts?.[name] ?? 0) > 0)
          .map((name) => ({ name, label: t(`state.${name}`), count: counts?.[name] }))}
        total={answer.data?.total}
        pageSize={pageSize}
        empty={
          segment === '' ? (
            <Empty
              icon={IconUsers}
              title={t('noMembersTitle')}
              text={t('noMembersText')}
              action={
                mayWrite && (
                  <Button component={Link} to={'.' as string} search={{ tab: 'import' } as never} variant="default">
                    {t('importFile')}
                  </Button>
                )
              }
            />
          ) : (
            <Empty icon={IconUsers} title={t('noMatch')} text={t('noMatchText')} />
          )
        }
        bulk={mayWrite ? (chosen, clear) => <Bulk list={list} chosen={chosen} clear={clear} /> : undefined}
      />
    </Stack>
  );
}

export function MemberStatus({ state }: { state: string }) {
  const t = useText('lists');
  return <Status tone={toneOfMember(state)}>{t(`state.${state as MemberState}`)}</Status>;
}

function SegmentChoice({ segments, chosen }: { segments: ResultOf<'listSegments'>; chosen: string }) {
  const t = useText('lists');
  const navigate = useNavigate();
  return (
    <Group>
      <Select
        aria-label={t('segment')}
        data={[
          { value: '', label: t('wholeList') },
          ...segments.map(({ id, name }) => ({ value: id, label: t('segmentNamed', { name }) })),
        ]}
        allowDeselect={false}
        value={chosen}
        w={{ base: '100%', xs: 320 }}
        onChange={(id) =>
          navigate({
            to: '.',
            replace: true,
            resetScroll: false,
            search: (before: Record<string, unknown>) => ({ ...before, page: undefined, segment: id || undefined }),
          } as never)
        }
      />
    </Group>
  );
}

function Bulk({ list, chosen, clear }: { list: string; chosen: readonly Member[]; clear(): void }) {
  const t = useText('lists');
  const { number } = useFormats();
  const client = useQueryClient();
  const subscribed = chosen.filter(({ status }) => status === 'subscribed');

  const send = async (members: readonly Member[], remove: boolean) => {
    try {
      const result = await call('listBatchUnsubscribe', {
        id: list,
        emails: members.map(({ email }) => email),
        delete_member: remove,
        send_goodbye: false,
      });
      clear();
      const [wrong] = result.errors;
      if (result.success_count > 0)
        toast.done(t(remove ? 'deletedMembers' : 'unsubscribedMembers', { count: result.success_count }));
      if (wrong) toast.failed(new ApiFault(wrong.code, wrong.message, 400));
    } catch (error) {
      toast.failed(error);
    }
    await invalidate(client, ['list', 'member', 'contact', 'segment']);
  };
  const unsubscribe = async () => {
    const yes = await confirm({
      title: t('unsubscribeTitle', { count: subscribed.length }),
      figures: [{ value: number(subscribed.length), label: t('unsubscribeCount', { count: subscribed.length }) }],
      text: t('unsubscribeText'),
      action: t('unsubscribe'),
      danger: true,
    });
    if (yes) await send(subscribed, false);
  };
  const remove = async () => {
    const yes = await confirm({
      title: t('deleteTitle', { count: chosen.length }),
      figures: [{ value: number(chosen.length), label: t('deleteCount', { count: chosen.length }) }],
      text: t('deleteText'),
      action: t('delete'),
      danger: true,
    });
    if (yes) await send(chosen, true);
  };
  return (
    <>
      <Button
        variant="default"
        size="xs"
        disabled={subscribed.length === 0}
        leftSection={<IconUserMinus size={14} aria-hidden />}
        onClick={unsubscribe}
      >
        {t('unsubscribe')}
      </Button>
      <Button variant="default" size="xs" leftSection={<IconTrash size={14} aria-hidden />} onClick={remove}>
        {t('delete')}
      </Button>
    </>
  );
}
