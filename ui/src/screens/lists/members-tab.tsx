// The members of a list: search, filter by status or segment, bulk unsubscribe and delete.

import { Box, Button, Group, Text } from '@mantine/core';
import { IconFilter, IconTrash, IconUserMinus, IconUsers, IconX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { ApiFault, call } from '../../api/call.ts';
import type { ResultOf } from '../../api/types.ts';
import { invalidate, useMethod } from '../../api/use-method.ts';
import { ButtonMenu } from '../../parts/button-menu.tsx';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { shownDomains } from '../../parts/domain-name.ts';
import { Empty } from '../../parts/empty.tsx';
import { FaultNote } from '../../parts/fault.tsx';
import { useFormats } from '../../parts/formats.ts';
import { LinkAnchor, LinkButton } from '../../parts/link.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { ColumnChoice, useChosenColumns } from '../../parts/table/chosen-columns.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { useSearchChange, useTableSearch } from '../../parts/table/table-search.ts';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { useShownValue } from './fields/use-shown-value.ts';
import { MemberStatus } from './member-status.tsx';
import { useConditionChips } from './segments/condition-chips.tsx';
import { useConditions } from './segments/use-conditions.ts';
import { isMemberState, memberStates } from './states.ts';

const SaveSegment = lazy(async () => ({ default: (await import('./segments/save-segment.tsx')).SaveSegment }));
const MemberPeek = lazy(() => import('../contacts/contact-peek.tsx').then((peek) => ({ default: peek.MemberPeek })));

type Member = ResultOf<'memberSearch'>['data'][number];

const pageSize = 25;
const noFields: never[] = [];
/** Fields with a column until the user chooses others. */
const maxColumns = 3;

export function Members({ list }: { list: string }) {
  const t = useText('lists');
  const search = useTableSearch();
  const { segment = '' } = useSearch({ strict: false }) as { segment?: string };
  const mayWrite = useSession().may('contacts:write');
  const { data: fields = noFields, isPending: waitsForFields } = useMethod('listMergeVars', { id: list });
  const conditions = useConditions(fields);
  const { data: segments = [], isPending: waitsForSegments } = useMethod('listSegments', { id: list });
  const state = isMemberState(search.state) ? search.state : undefined;
  const answer = useMethod(
    'memberSearch',
    {
      list,
      query: search.q,
      segment,
      ...conditions.given,
      ...(state ? { status: state } : {}),
      start: search.page - 1,
      limit: pageSize,
    },
    { keep: true },
  );
  const counts = answer.data?.counts;
  const { columns, chosen, toggle } = useMemberColumns(list, fields);
  const filter = useConditionChips({
    list,
    fields,
    conditions,
    children: (segment !== '' || conditions.nodes.length > 0) && (
      <>
        <ChosenSegment segments={segments} chosen={segment} />
        {mayWrite && conditions.nodes.length > 0 && (
          <Suspense>
            <SaveSegment list={list} conditions={conditions} />
          </Suspense>
        )}
      </>
    ),
  });
  const clearAll = () =>
    search.change({ q: undefined, state: undefined, filter: undefined, match: undefined, segment: undefined });
  return (
    <>
      {answer.error && answer.data !== undefined && <FaultNote error={answer.error} />}
      <Rows
        label={t('tab.members')}
        columns={columns.filter(({ name }) => name === 'email' || chosen.includes(name))}
        brief={brief}
        // Each field has a column.
        rows={waitsForFields ? undefined : answer.data?.data}
        keyOf={({ id }) => id}
        nameOf={({ email }) => email}
        query={answer}
        search={search}
        searchLabel={t('searchMembers')}
        chips={memberStates
          .filter((name) => name === state || (counts?.[name] ?? 0) > 0)
          .map((name) => ({ name, label: t(`state.${name}`), count: counts?.[name] }))}
        filters={filter.chips}
        tools={
          <Group gap="sm" wrap="nowrap">
            {/* First, so that the others stay where they are when it appears. */}
            {segment === '' && (waitsForSegments ? <Box w={110} h={36} /> : <SavedSegments segments={segments} />)}
            {filter.button}
            <ColumnChoice columns={columns.slice(1)} chosen={chosen} onToggle={toggle} />
          </Group>
        }
        narrowed={conditions.nodes.length > 0}
        onClear={clearAll}
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
                  <LinkButton to="." search={{ tab: 'import' }} variant="default">
                    {t('importFile')}
                  </LinkButton>
                )
              }
            />
          ) : (
            <Empty icon={IconUsers} title={t('noMatch')} text={t('noMatchText')} />
          )
        }
        peek={({ email }) => (
          <Suspense fallback={<Lines />}>
            <MemberPeek email={email} fields={fields} />
          </Suspense>
        )}
        bulk={mayWrite ? (chosen, clear) => <Bulk list={list} chosen={chosen} clear={clear} /> : undefined}
      />
    </>
  );
}

const brief = ({ status, status_time }: Member) => (
  <>
    <MemberStatus state={status} />
    <Time at={status_time} />
  </>
);

/** The columns of the table: the address, fields and dates, and which of them the user chose. */
function useMemberColumns(list: string, fields: ResultOf<'listMergeVars'>) {
  const t = useText('lists');
  const shownValue = useShownValue();
  const others = fields.filter(({ tag }) => tag !== 'EMAIL');
  const { chosen, toggle } = useChosenColumns(`list-${list}`, [
    'state',
    ...others.slice(0, maxColumns).map(({ tag }) => `field-${tag}`),
    'since',
  ]);
  const columns: Column<Member>[] = [
    {
      name: 'email',
      title: t('email'),
      cell: ({ email }) => (
        <LinkAnchor to="/contacts/$email" params={{ email }} fw={500} c="inherit">
          {shownDomains(email)}
        </LinkAnchor>
      ),
    },
    { name: 'state', title: t('state'), width: '140px', cell: ({ status }) => <MemberStatus state={status} /> },
    ...others.map((field) => ({
      name: `field-${field.tag}`,
      title: field.name,
      cell: ({ merges }: Member) => shownValue(field, merges[field.tag]) || <Text c="dimmed">–</Text>,
    })),
    { name: 'since', title: t('since'), width: '150px', cell: ({ status_time }) => <Time at={status_time} /> },
  ];
  return { columns, chosen, toggle };
}

type Segments = ResultOf<'listSegments'>;

/** The segment that narrows the members; a click removes it. */
function ChosenSegment({ segments, chosen }: { segments: Segments; chosen: string }) {
  const t = useText('lists');
  const change = useSearchChange();
  const name = segments.find(({ id }) => id === chosen)?.name;
  if (chosen === '') return null;
  return (
    <Button
      variant="light"
      size="xs"
      rightSection={<IconX size={14} aria-hidden />}
      aria-label={t('removeSegmentFilter', { name: name ?? '' })}
      onClick={() => change({ segment: undefined })}
    >
      {t('segmentChip', { name: name ?? '…' })}
    </Button>
  );
}

/** The saved segments of the list, to narrow the members by one. */
function SavedSegments({ segments }: { segments: Segments }) {
  const t = useText('lists');
  const change = useSearchChange();
  if (segments.length === 0) return null;
  return (
    <ButtonMenu
      variant="default"
      leftSection={<IconFilter size={16} aria-hidden />}
      position="bottom-start"
      items={segments.map(({ id, name }) => ({ key: id, label: name, act: () => change({ segment: id }) }))}
    >
      {t('savedSegments')}
    </ButtonMenu>
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
