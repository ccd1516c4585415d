// When an autoresponder sends: some time after a sign-up, or before or after a date of the contact.
import { Group, SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { NumberField } from '../../../parts/form/number-field.tsx';
import { useText } from '../../../text/use-text.tsx';
import { useFields } from '../content/merge-tags.tsx';
import { useDraft } from '../draft.tsx';

const events = ['signup', 'date', 'annual'] as const;
const units = ['day', 'week', 'month', 'year'] as const;

export function AutoSection() {
  const t = useText('composer');
  const { values, change, fault, fixed } = useDraft();
  const dates = useFields().filter(({ field_type }) => field_type === 'date');
  const settings = values.type_opts;
  const set = (part: Partial<typeof settings>) => {
    const next = { ...settings, ...part };
    if (next.event === 'signup') change({ type_opts: { ...next, 'offset-dir': 'after', 'event-datemerge': '' } });
    else change({ type_opts: { ...next, 'event-datemerge': next['event-datemerge'] || (dates[0]?.tag ?? '') } });
  };
  const tag = settings['event-datemerge'];
  return (
    <Stack gap="md">
      <div>
        <Text component="div" fw={500} mb={4} id="auto-event">
          {t('autoEvent')}
        </Text>
        <SegmentedControl
          fullWidth
          size="xs"
          aria-labelledby="auto-event"
          data={events.map((value) => ({ value, label: t(`event.${value}`) }))}
          value={settings.event}
          onChange={(event) => set({ event })}
          disabled={fixed}
        />
      </div>
      {settings.event !== 'signup' &&
        (dates.length === 0 ? (
          <Text c="var(--mantine-color-error)">{t('noDateField')}</Text>
        ) : (
          <Select
            label={t('dateField')}
            data={dates.map(({ tag: value, name }) => ({ value, label: name || value }))}
            value={tag || null}
            onChange={(chosen) => chosen && set({ 'event-datemerge': chosen })}
            disabled={fixed}
            allowDeselect={false}
            maw={320}
          />
        ))}
      <Group align="flex-end" gap="sm">
        <NumberField
          label={t('offset')}
          value={settings['offset-time']}
          onChange={(value) => set({ 'offset-time': Number(value) })}
          min={1}
          max={10_000}
          disabled={fixed}
          w={96}
        />
        <Select
          aria-label={t('offsetUnit')}
          data={units.map((value) => ({ value, label: t(`unit.${value}`) }))}
          value={settings['offset-units']}
          onChange={(value) => value && set({ 'offset-units': value })}
          disabled={fixed}
          allowDeselect={false}
          w={140}
        />
        {settings.event !== 'signup' && (
          <Select
            aria-label={t('offsetDirection')}
            data={(['before', 'after'] as const).map((value) => ({ value, label: t(`direction.${value}`) }))}
            value={settings['offset-dir']}
            onChange={(value) => value && set({ 'offset-dir': value })}
            disabled={fixed}
            allowDeselect={false}
            w={140}
          />
        )}
      </Group>
      {fault('type_opts') && (
        <Text c="var(--mantine-color-error)" role="alert">
          {fault('type_opts')}
        </Text>
      )}
      <Text c="dimmed">{t('autoText')}</Text>
    </Stack>
  );
}

/** The settings as one sentence. */
export function useAutoSummary(): string {
  const t = useText('composer');
  const { values } = useDraft();
  const fields = useFields();
  const { event, ...rest } = values.type_opts;
  const unit = units.find((name) => name === rest['offset-units']) ?? 'day';
  const name = fields.find(({ tag }) => tag === rest['event-datemerge'])?.name ?? rest['event-datemerge'];
  const length = t(`length.${unit}`, { count: rest['offset-time'] });
  const direction = rest['offset-dir'] === 'before' ? 'before' : 'after';
  if (event === 'signup') return t('autoAfterSignup', { length });
  return t(event === 'annual' ? `autoAnnual.${direction}` : `autoDate.${direction}`, { length, field: name });
}
