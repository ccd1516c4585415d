// The filter of the table of campaigns: the list they go to, and when they were sent. Kept in the URL.
import { Button, Popover, Select, Stack, TextInput } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMethod } from '../../api/use-method.ts';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { momentOf, scheduleTime } from '../composer/send/zone-time.ts';
import type { CampaignSearch } from './campaign-search.ts';

type Given = { list_id?: string; sent_from?: string; sent_to?: string };

/** The filter, as the user chose it and as the method takes it, and a function that changes it. */
export function useCampaignFilter() {
  const { list, from, to } = useSearch({ strict: false }) as CampaignSearch;
  const { account } = useSession();
  const navigate = useNavigate();
  const change = (next: CampaignSearch) =>
    void navigate({
      to: '.',
      replace: true,
      resetScroll: false,
      search: (before: Record<string, unknown>) =>
        Object.fromEntries(
          Object.entries({ ...before, page: undefined, ...next }).filter(([, value]) => value !== undefined),
        ),
    } as never);
  const given: Given = {
    ...(list ? { list_id: list } : {}),
    ...(from ? { sent_from: startOf(from, account.time_zone) } : {}),
    ...(to ? { sent_to: startOf(dayAfter(to), account.time_zone) } : {}),
  };
  return { list, from, to, given, count: [list, from, to].filter(Boolean).length, change };
}

/** The beginning of a day in the account's zone, in GMT. */
const startOf = (day: string, zone: string) => scheduleTime(momentOf(`${day}T00:00`, zone) ?? new Date(day));

function dayAfter(day: string): string {
  const next = new Date(`${day}T00:00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  return next.toISOString().slice(0, 10);
}

export function CampaignFilter({ filter }: { filter: ReturnType<typeof useCampaignFilter> }) {
  const t = useText('campaigns');
  const lists = useMethod('lists', { limit: 1000 }).data ?? [];
  const { list, from, to, count, change } = filter;
  return (
    <Popover position="bottom-end" trapFocus withinPortal={false} width={280}>
      <Popover.Target>
        <Button variant="default" leftSection={<IconFilter size={16} aria-hidden />}>
          {count === 0 ? t('filter') : t('filters', { count })}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
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
          <DayField label={t('sentFrom')} value={from} max={to} onChange={(day) => change({ from: day })} />
          <DayField label={t('sentTo')} value={to} min={from} onChange={(day) => change({ to: day })} />
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
      </Popover.Dropdown>
    </Popover>
  );
}

type DayFieldProps = {
  label: string;
  value: string | undefined;
  min?: string | undefined;
  max?: string | undefined;
  onChange(day: string | undefined): void;
};

function DayField({ label, value, min, max, onChange }: DayFieldProps) {
  return (
    <TextInput
      type="date"
      label={label}
      value={value ?? ''}
      min={min}
      max={max}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    />
  );
}
