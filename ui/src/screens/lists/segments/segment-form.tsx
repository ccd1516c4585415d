// Builds a segment: groups of conditions, with the number of matching members and a description in words.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import { ApiFault } from '../../../api/call.ts';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { useFaultText } from '../../../parts/fault.tsx';
import { besideField } from '../../../parts/form/fault-field.ts';
import { MethodForm, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { LinkButton, type Target } from '../../../parts/link.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useText } from '../../../text/use-text.tsx';
import type { ListField } from '../fields/value-input.tsx';
import classes from './conditions.module.css';
import { filterOf, type GroupNode, isWhole, keyAt, newCondition, newGroup, nodesOf } from './conditions.ts';
import { GroupEditor } from './group-editor.tsx';
import type { Segment } from './segment.ts';

type Props = {
  list: string;
  segment: Segment | undefined;
  fields: ListField[];
  onSaved(segment: string): void;
  /** Where Cancel leads. */
  back: Target;
};

export function SegmentForm({ list, segment, fields, onSaved, back }: Props) {
  const t = useText('lists');
  const words = useFaultText();
  const create = useMutate('listSegmentCreate', ['segment', 'member']);
  const update = useMutate('listSegmentUpdate', ['segment', 'member']);
  const types = useMemo(() => new Map(fields.map(({ tag, field_type }) => [tag, field_type])), [fields]);
  const [root, setRoot] = useState<GroupNode>(() =>
    segment ? newGroup(segment.match, nodesOf(segment.filter, types)) : newGroup('all', [newCondition()]),
  );
  const [wrong, setWrong] = useState<unknown>();
  const form = useMethodForm({
    // The conditions too, so that leaving with changed ones asks first.
    initialValues: { title: segment?.name ?? '', conditions: asText(root) },
    send: async ({ title }) => {
      setWrong(undefined);
      const built = { title, match: root.match, filter: filterOf(root.nodes) };
      try {
        if (segment) await update.mutateAsync({ id: segment.id, ...built });
        else return await create.mutateAsync({ list, ...built });
      } catch (error) {
        // Shown next to the condition; a fault about the name is shown next to the name.
        if (!(error instanceof ApiFault) || keyAt(root.nodes, error.member) === undefined) throw error;
        setWrong(error);
        return undefined;
      }
      return segment?.id;
    },
    done: (saved) => {
      if (saved === undefined) return;
      toast.done(t('segmentSaved'));
      onSaved(saved);
    },
  });
  const { whole, preview } = usePreview(list, root);
  const fault = wrong ?? (whole ? preview.error : undefined);
  const faulty = fault instanceof ApiFault ? keyAt(root.nodes, fault.member) : undefined;
  const change = (next: GroupNode) => {
    setWrong(undefined);
    setRoot(next);
    form.setFieldValue('conditions', asText(next));
  };
  /** A name that was typed stays. */
  const isReplaceable = (name: string) =>
    name.trim() === '' || presetNames.some((preset) => name === t(`preset.${preset}`));
  return (
    <MethodForm form={form} guard>
      <TextInput label={t('name')} required maxLength={200} maw={480} data-autofocus {...form.getInputProps('title')} />
      {segment === undefined && (
        <Presets
          onChoose={(title, next) => {
            change(next);
            if (isReplaceable(form.getValues().title)) form.setFieldValue('title', title);
          }}
        />
      )}
      <div className={classes.builder}>
        <GroupEditor
          list={list}
          fields={fields}
          group={root}
          depth={1}
          sizes
          onChange={change}
          faulty={faulty}
          faultText={fault instanceof ApiFault ? besideField(words(fault), fault.member) : ''}
        />
        <Matching
          preview={whole && !preview.error ? preview.data : undefined}
          problem={
            fault !== undefined && fault !== null && faulty === undefined
              ? words(fault)
              : t(faulty === undefined ? 'conditionsIncomplete' : 'conditionsInvalid')
          }
        />
      </div>
      <Group>
        <Submit form={form} disabled={!isWhole(root.nodes)}>
          {t('save')}
        </Submit>
        <LinkButton {...back} variant="default">
          {t('cancel')}
        </LinkButton>
      </Group>
    </MethodForm>
  );
}

/** Whom the conditions reach, once they have not been changed for a moment. */
function usePreview(list: string, root: GroupNode) {
  const [settled] = useDebouncedValue(root, 300);
  const whole = isWhole(settled.nodes);
  const preview = useMethod(
    'segmentPreview',
    { list, match: settled.match, filter: filterOf(settled.nodes) },
    { enabled: whole, keep: true },
  );
  return { whole, preview };
}

const asText = ({ match, nodes }: GroupNode) => JSON.stringify([match, filterOf(nodes)]);

const presets = {
  active: () => newGroup('all', [newCondition('opened', 'recent', '30')]),
  clicked: () => newGroup('all', [newCondition('clicked', 'recent', '90')]),
  inactive: () =>
    newGroup('all', [newCondition('opened', 'notRecent', '90'), newCondition('confirm_time', 'before', '90')]),
  fresh: () => newGroup('all', [newCondition('confirm_time', 'within', '30')]),
} as const;

const presetNames = Object.keys(presets) as (keyof typeof presets)[];

/** Conditions that nearly everyone needs, to begin with. */
function Presets({ onChoose }: { onChoose(title: string, group: GroupNode): void }) {
  const t = useText('lists');
  return (
    <Group gap={6} role="group" aria-label={t('presets')} className={classes.presets ?? ''}>
      <Text size="sm" c="dimmed">
        {t('presets')}
      </Text>
      {presetNames.map((name) => (
        <Button key={name} variant="default" size="xs" onClick={() => onChoose(t(`preset.${name}`), presets[name]())}>
          {t(`preset.${name}`)}
        </Button>
      ))}
    </Group>
  );
}

/** How many members match now, with examples; otherwise what is missing. */
function Matching({ preview, problem }: { preview: ResultOf<'segmentPreview'> | undefined; problem: string }) {
  const t = useText('lists');
  return (
    <Stack gap={4} className={classes.matching} role="status" aria-label={t('matching')}>
      {preview ? (
        <>
          <Text fw={600}>{t('matchCount', { count: preview.count })}</Text>
          <Text style={{ overflowWrap: 'anywhere' }}>{preview.reading}</Text>
          {preview.untracked > 0 && (
            <Text size="xs" c="dimmed">
              {t('untracked', { count: preview.untracked })}
            </Text>
          )}
          {preview.sample.length > 0 && (
            <Text size="xs" c="dimmed" className={classes.examples ?? ''} style={{ overflowWrap: 'anywhere' }}>
              {t('examples', {
                names: preview.sample
                  .slice(0, 5)
                  .map(({ email }) => email)
                  .join(', '),
              })}
            </Text>
          )}
        </>
      ) : (
        <Text c="dimmed">{problem}</Text>
      )}
    </Stack>
  );
}
