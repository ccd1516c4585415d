// When issues are due, and the schedule in words below the fields.
import { Checkbox, Group, Input, Stack, Switch, Text, TextInput } from '@mantine/core';
import { ClockField } from '../../parts/form/clock-field.tsx';
import { Select } from '../../parts/form/select.tsx';
import { zoneChoices } from '../../text/choices.ts';
import { useLanguage, useText } from '../../text/use-text.tsx';
import { type Fields, scheduleOf } from './types.ts';
import { scheduleInWords, weekdayName } from './words.ts';

export function ScheduleFields({ form }: { form: Fields }) {
  const t = useText('recurring');
  const { language } = useLanguage();
  const values = form.getValues();
  const { type } = values;
  return (
    <Stack gap="md">
      <Select
        label={t('schedule')}
        data={(['daily', 'weekly', 'monthly', 'cron'] as const).map((value) => ({ value, label: t(`type.${value}`) }))}
        allowDeselect={false}
        maw={320}
        {...form.getInputProps('type')}
      />
      {type === 'weekly' && (
        <Input.Wrapper label={t('weekdays')} labelElement="div" error={form.errors['weekdays']}>
          <Group gap="md" mt={4} role="group" aria-label={t('weekdays')}>
            {[1, 2, 3, 4, 5, 6, 7].map(String).map((day) => (
              <Checkbox
                key={day}
                label={weekdayName(Number(day), language, 'short')}
                aria-label={weekdayName(Number(day), language)}
                checked={values.weekdays.includes(day)}
                onChange={({ currentTarget }) => {
                  const others = values.weekdays.filter((one) => one !== day);
                  form.setFieldValue('weekdays', currentTarget.checked ? [...others, day].sort() : others);
                }}
              />
            ))}
          </Group>
        </Input.Wrapper>
      )}
      {type === 'monthly' && (
        <Select
          label={t('day')}
          description={t('dayAbout')}
          data={Array.from({ length: 31 }, (_, i) => String(i + 1))}
          allowDeselect={false}
          maw={320}
          {...form.getInputProps('day')}
        />
      )}
      {type === 'cron' ? (
        <TextInput
          label={t('cron')}
          description={t('cronAbout')}
          maxLength={200}
          maw={320}
          {...form.getInputProps('cron')}
        />
      ) : (
        <ClockField label={t('time')} maw={160} required {...form.getInputProps('time')} />
      )}
      <Select
        label={t('timeZone')}
        description={t('timeZoneAbout')}
        data={zoneChoices(values.time_zone)}
        searchable
        allowDeselect={false}
        limit={100}
        maw={320}
        {...form.getInputProps('time_zone')}
      />
      <Text size="sm" fw={600} role="status">
        {scheduleInWords(t, scheduleOf(values), language)}
      </Text>
      <Switch
        label={t('approve')}
        description={t('approveAbout')}
        checked={values.approve}
        onChange={({ currentTarget }) => form.setFieldValue('approve', currentTarget.checked)}
      />
    </Stack>
  );
}
