// Conditions on the data of an event: of a trigger, of a goal, and of a step that waits for one.
import { Button, CloseButton, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Select } from '../../../parts/form/select.tsx';
import { useText } from '../../../text/use-text.tsx';
import type { StepOf } from '../types.ts';
import type { Words } from './kind.ts';

export type DataConditions = NonNullable<StepOf<'wait_for'>['data']>;
type DataCondition = DataConditions[number];

const comparisons = ['is', 'is_not', 'contains', 'greater', 'less', 'exists'] as const;

type Props = { conditions: DataConditions; onChange(next: DataConditions): void };

export function DataFields({ conditions, onChange }: Props) {
  const t = useText('automations');
  const change = (at: number, changed: Partial<DataCondition>) =>
    onChange(conditions.map((condition, i) => (i === at ? { ...condition, ...changed } : condition)));
  return (
    <Stack gap="xs" role="group" aria-label={t('eventData')}>
      <Text size="sm" fw={500}>
        {t('eventData')}
      </Text>
      <Text size="xs" c="dimmed">
        {t('eventDataAbout')}
      </Text>
      {conditions.map(({ path, condition, value }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no names, and their fields keep no state.
        <Group key={i} gap="xs" align="flex-end">
          <TextInput
            aria-label={t('dataPath')}
            placeholder="order.total"
            maxLength={200}
            flex="1 1 180px"
            value={path}
            onChange={(event) => change(i, { path: event.currentTarget.value })}
          />
          <Select
            aria-label={t('dataComparison')}
            data={comparisons.map((name) => ({ value: name, label: t(`comparison.${name}`) }))}
            allowDeselect={false}
            w={150}
            value={condition}
            onChange={(name) => change(i, { condition: name ?? 'is' })}
          />
          {condition !== 'exists' && (
            <TextInput
              aria-label={t('dataValue')}
              maxLength={500}
              flex="1 1 130px"
              value={value}
              onChange={(event) => change(i, { value: event.currentTarget.value })}
            />
          )}
          <CloseButton aria-label={t('dataRemove')} onClick={() => onChange(conditions.toSpliced(i, 1))} />
        </Group>
      ))}
      {conditions.length < 10 && (
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => onChange([...conditions, { path: '', condition: 'is', value: '' }])}
          >
            {t('dataAdd')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** The event and its conditions, as a card says them. */
export function eventInWords(
  t: Words,
  name: string,
  conditions: DataConditions = [],
  says: 'says.event' | 'says.whenEvent' = 'says.event',
): string {
  const event = t(says, { name: name || '…' });
  if (conditions.length === 0) return event;
  const words = conditions.map(({ path, condition, value }) =>
    [path || '…', t(`comparison.${condition}`), value].filter(Boolean).join(' '),
  );
  return t('says.eventWith', { event, conditions: words.join(', ') });
}
