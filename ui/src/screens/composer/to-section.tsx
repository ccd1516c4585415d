// The recipients: lists, segments and exclusions; how many there are now, and why others are excluded.
import { Alert, Button, Group, MultiSelect, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryKey, useMethod } from '../../api/use-method.ts';
import { useFormats } from '../../parts/formats.ts';
import { offeredLists } from '../../parts/labels/offered.ts';
import { Lines, Loaded } from '../../parts/loaded.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { useDraft } from './draft.tsx';

export function ToSection() {
  return useIsOfAutomation() ? <ContactsOfAutomation /> : <Recipients />;
}

/** Whether the email is that of a step of an automation, which decides who gets it. */
export const useIsOfAutomation = (): boolean => useDraft().values.type_opts.event === 'automation';

/** Who gets the email of a step. */
export function ContactsOfAutomation() {
  const t = useText('composer');
  const { values } = useDraft();
  const { data: lists = [] } = useMethod('lists');
  const list = lists.find(({ id }) => id === values.list_id[0])?.name ?? '';
  return <Text>{t('toAutomationAbout', { list })}</Text>;
}

function Recipients() {
  const t = useText('composer');
  const { values, change, fault, fixed } = useDraft();
  const { number } = useFormats();
  const lists = useMethod('lists');
  const excludes = values.exclude_list_id.length + values.exclude_segment_id.length > 0;
  const [showExclusions, setShowExclusions] = useState(excludes);
  const rows = lists.data ?? [];
  const listOptions = offeredLists(rows, [...values.list_id, ...values.exclude_list_id]).map(
    ({ id, name, member_count }) => ({ value: id, label: name, count: member_count }),
  );
  // The number is in the choice only: a chosen list needs its room for the name.
  const counted = ({ option }: { option: { label: string } }) =>
    `${option.label} (${number((option as (typeof listOptions)[number]).count)})`;
  const segments = useSegments(values.list_id, rows);
  const hasSegments = segments.length > 0;
  const allSegments = useSegments(showExclusions ? rows.slice(0, maxLists).map(({ id }) => id) : [], rows);

  /** Keeps the segments of the remaining lists; the server drops all segments when the lists change. */
  const changeLists = (list_id: string[]) => {
    const removed = new Set(values.list_id.filter((id) => !list_id.includes(id)));
    const removedSegments = segments
      .filter(({ list }) => removed.has(list))
      .flatMap(({ items }) => items.map(({ value }) => value));
    change({ list_id, segment_id: values.segment_id.filter((id) => !removedSegments.includes(id)) });
  };
  return (
    <Stack gap="md">
      <Stack gap="md">
        <MultiSelect
          label={t('lists')}
          placeholder={values.list_id.length === 0 ? t('listsChoose') : ''}
          data={listOptions}
          value={values.list_id}
          onChange={changeLists}
          error={fault('list_id')}
          disabled={fixed}
          searchable
          hidePickedOptions
          renderOption={counted}
        />
        <MultiSelect
          label={t('segments')}
          placeholder={values.segment_id.length > 0 ? '' : t(hasSegments ? 'segmentsAll' : 'segmentsNone')}
          data={segments.map(({ group, items }) => ({ group, items }))}
          value={values.segment_id}
          onChange={(segment_id) => change({ segment_id })}
          error={fault('segment_id')}
          disabled={fixed || !hasSegments}
          searchable
          hidePickedOptions
        />
      </Stack>
      {showExclusions ? (
        <Stack gap="md">
          <MultiSelect
            label={t('notLists')}
            placeholder={values.exclude_list_id.length === 0 ? t('noExclusions') : ''}
            data={listOptions}
            value={values.exclude_list_id}
            onChange={(exclude_list_id) => change({ exclude_list_id })}
            error={fault('exclude_list_id')}
            disabled={fixed}
            searchable
            hidePickedOptions
            renderOption={counted}
          />
          <MultiSelect
            label={t('notSegments')}
            placeholder={values.exclude_segment_id.length === 0 ? t('noExclusions') : ''}
            data={allSegments.map(({ group, items }) => ({ group, items }))}
            value={values.exclude_segment_id}
            onChange={(exclude_segment_id) => change({ exclude_segment_id })}
            error={fault('exclude_segment_id')}
            disabled={fixed}
            searchable
            hidePickedOptions
          />
        </Stack>
      ) : (
        !fixed && (
          <Group>
            <Button variant="default" size="xs" onClick={() => setShowExclusions(true)}>
              {t('leaveOut')}
            </Button>
          </Group>
        )
      )}
      <Audience plain counted={false} />
    </Stack>
  );
}

/** Segments of at most this many lists are offered as exclusions. */
const maxLists = 40;

export type SegmentGroup = { list: string; group: string; items: { value: string; label: string }[] };

export function useSegments(
  lists: readonly string[],
  listRows: readonly { id: string; name: string }[],
): SegmentGroup[] {
  const mayReadContacts = useSession().may('contacts:read');
  const answers = useQueries({
    queries: (mayReadContacts ? lists : []).map((id) => ({
      queryKey: queryKey('listSegments', { id }),
      queryFn: () => call('listSegments', { id }),
      staleTime: 60_000,
    })),
  });
  const { number } = useFormats();
  return lists.flatMap((list, i) => {
    const items = (answers[i]?.data ?? []).map(({ id, name, member_count }) => ({
      value: id,
      label: `${name} (${number(member_count)})`,
    }));
    return items.length === 0 ? [] : [{ list, group: listRows.find(({ id }) => id === list)?.name ?? list, items }];
  });
}

export function useAudience() {
  const { cid } = useDraft();
  return useMethod('campaignAudience', { cid }, { keep: true });
}

/** @param plain without a frame, among other facts @param counted whether the number is seen; it is read aloud in any case */
export function Audience({ plain = false, counted = true }: { plain?: boolean; counted?: boolean }) {
  const t = useText('composer');
  const { number } = useFormats();
  const { type } = useDraft();
  const audience = useAudience();
  const words = (count: number) => t(type === 'auto' ? 'canGet' : 'wouldGet', { count });
  return (
    <Loaded query={audience} skeleton={<Lines count={3} height={14} />}>
      {({ recipients, left_out }) => (
        <Alert variant="default" role="status" aria-live="polite" {...(plain ? { p: 0, bd: 0, bg: 'none' } : {})}>
          {counted ? (
            <Text size="md" fw={plain ? 500 : 600}>
              {words(recipients)}
            </Text>
          ) : (
            <VisuallyHidden>{words(recipients)}</VisuallyHidden>
          )}
          {left_out.length > 0 && (
            <Text component="div" c="dimmed">
              {t('leftOut')}{' '}
              {left_out.map(({ reason, count }, i) => (
                <span key={reason}>
                  {i > 0 && ' · '}
                  {number(count)} {t.of('reason', reason)}
                </span>
              ))}
            </Text>
          )}
        </Alert>
      )}
    </Loaded>
  );
}
