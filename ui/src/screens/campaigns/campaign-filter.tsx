// The button that filters the table of campaigns, and its fields. Loaded after the table: it needs what floats.
import { Button, Popover, Stack } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { useMethod } from '../../api/use-method.ts';
import { DayField } from '../../parts/form/day-field.tsx';
import { Select } from '../../parts/form/select.tsx';
import { useText } from '../../text/use-text.tsx';
import type { CampaignFilterState } from './use-campaign-filter.ts';

export default function CampaignFilter({ filter }: { filter: CampaignFilterState }) {
  const t = useText('campaigns');
  const { count } = filter;
  return (
    <Popover position="bottom-end" trapFocus withinPortal={false} width={280}>
      <Popover.Target>
        <Button variant="default" leftSection={<IconFilter size={16} aria-hidden />}>
          {count === 0 ? t('filter') : t('filters', { count })}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Fields filter={filter} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Fields({ filter }: { filter: CampaignFilterState }) {
  const t = useText('campaigns');
  const lists = useMethod('lists', { limit: 1000 }).data ?? [];
  const { list, from, to, count, change } = filter;
  return (
    <Stack gap="md">
      <Select
        label={t('list')}
        placeholder={t('allLists')}
        data={lists.map(({ id, name }) => ({ value: id, label: name }))}
        value={list ?? null}
        onChange={(id) => change({ list: id ?? undefined })}
        clearable
        searchable
        comboboxProps={{ withinPortal: false }}
      />
      <Day label={t('sentFrom')} value={from} max={to} onChange={(day) => change({ from: day })} />
      <Day label={t('sentTo')} value={to} min={from} onChange={(day) => change({ to: day })} />
      {count > 0 && (
        <Button
          variant="subtle"
          color="gray"
          onClick={() => change({ list: undefined, from: undefined, to: undefined })}
        >
          {t('clearFilter')}
        </Button>
      )}
    </Stack>
  );
}

type DayProps = {
  label: string;
  value: string | undefined;
  min?: string | undefined;
  max?: string | undefined;
  onChange(day: string | undefined): void;
};

const Day = ({ value = '', onChange, ...field }: DayProps) => (
  <DayField {...field} value={value} onChange={(day) => onChange(day || undefined)} />
);
