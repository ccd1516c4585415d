// When, how often and with what data an event happened: the further members of a condition about events.

import { ActionIcon, Button, Flex, Group, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { NumberField } from '../../../parts/form/number-field.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { useText } from '../../../text/use-text.tsx';
import { detailAsks, type EventDetail, type EventDetails } from './conditions.ts';

/** The most comparisons that a condition takes. */
const maxDetails = 5;

type Props = { event: EventDetails; onChange(event: EventDetails): void };

export default function EventEditor({ event, onChange }: Props) {
  const t = useText('lists');
  const setDetail = (at: number, next: EventDetail | undefined) =>
    onChange({ ...event, where: event.where.flatMap((detail, i) => (i === at ? (next ?? []) : detail)) });
  const count = (value: string | number) => (value === '' ? '' : String(value));
  return (
    <Stack gap="xs" align="stretch" ml={{ base: 0, sm: 'md' }}>
      <Group gap="sm">
        <NumberField
          label={t('eventTimes')}
          placeholder="1"
          value={event.times}
          min={1}
          max={1000}
          w={150}
          onChange={(times) => onChange({ ...event, times: count(times) })}
        />
        <NumberField
          label={t('eventDays')}
          placeholder={t('eventAnyTime')}
          value={event.days}
          min={1}
          max={99_999}
          w={150}
          onChange={(days) => onChange({ ...event, days: count(days) })}
        />
      </Group>
      {event.where.map((detail, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: comparisons have no identity but their place
        <Detail key={i} detail={detail} onChange={(next) => setDetail(i, next)} />
      ))}
      {event.where.length < maxDetails && (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          style={{ alignSelf: 'start' }}
          onClick={() =>
            onChange({ ...event, where: [...event.where, { field: 'data.', condition: 'is', value: '' }] })
          }
        >
          {t('eventDetail')}
        </Button>
      )}
    </Stack>
  );
}

function Detail({ detail, onChange }: { detail: EventDetail; onChange(next: EventDetail | undefined): void }) {
  const t = useText('lists');
  const isValue = detail.field === 'value';
  const asks = Object.entries(detailAsks) as [
    EventDetail['condition'],
    (typeof detailAsks)[EventDetail['condition']],
  ][];
  return (
    <Flex gap="sm" align="flex-start" direction={{ base: 'column', sm: 'row' }}>
      <Select
        aria-label={t('eventPart')}
        data={[
          { value: 'data', label: t('eventData') },
          { value: 'value', label: t('eventValue') },
        ]}
        allowDeselect={false}
        value={isValue ? 'value' : 'data'}
        onChange={(part) => onChange({ ...detail, field: part === 'value' ? 'value' : 'data.' })}
        w={{ base: '100%', sm: 130 }}
      />
      {!isValue && (
        <TextInput
          aria-label={t('eventMember')}
          placeholder="items.*.sku"
          value={detail.field.replace(/^data\./, '')}
          onChange={(change) => onChange({ ...detail, field: `data.${change.currentTarget.value.trim()}` })}
          w={{ base: '100%', sm: 160 }}
        />
      )}
      <Select
        aria-label={t('comparison')}
        data={asks.map(([value, ask]) => ({ value, label: t(`ask.${ask}`) }))}
        allowDeselect={false}
        value={detail.condition}
        onChange={(condition) => condition && onChange({ ...detail, condition: condition as EventDetail['condition'] })}
        w={{ base: '100%', sm: 170 }}
      />
      <Group gap="sm" wrap="nowrap" flex={1} w={{ base: '100%', sm: 'auto' }}>
        {detail.condition !== 'isany' && (
          <TextInput
            aria-label={t('value')}
            value={detail.value}
            onChange={(change) => onChange({ ...detail, value: change.currentTarget.value })}
            style={{ flex: 1, minWidth: 0 }}
          />
        )}
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t('removeCondition')}
          onClick={() => onChange(undefined)}
        >
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </Group>
    </Flex>
  );
}
